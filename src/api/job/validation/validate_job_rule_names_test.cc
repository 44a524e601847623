// Names of pod failure policy rules (KEP-4443; api.md J88).
#include "api/job/validation/validate_job_spec.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::create_errors;
using testing::Job;
using testing::Texts;

// One FailJob rule for each name; an absent one where it is nullptr.
Job with_names(const std::vector<const char*>& names) {
  Job job = testing::minimal_job();
  for (const char* name : names) {
    auto& added = testing::add_exit_code_rule(job, "FailJob");
    if (name != nullptr) {
      added.set_name(name);
    }
  }
  return job;
}

std::string at_name(size_t index, std::string_view rest) {
  return "spec.podFailurePolicy.rules[" + std::to_string(index) + "].name: " + std::string(rest);
}

constexpr std::string_view kPatternText =
    "must consist of letters, digits, '_', ',' or ':' and must end with a letter, a digit or '_', "
    "because it becomes part of the Job's failure reason (regex used for validation is "
    "'([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

TEST(RuleNames, J88_GoodNames) {
  EXPECT_EQ(create_errors(with_names({"ExitCode2", nullptr, "oom", "a,b:c", "_", "7up"})), Texts{});
}

TEST(RuleNames, J88a_NamesAreUnique) {
  EXPECT_EQ(create_errors(with_names({"A", nullptr, "A"})),
            Texts{at_name(2, "Duplicate value: \"A\"")});
  EXPECT_EQ(create_errors(with_names({"A", "a"})), Texts{});
}

TEST(RuleNames, J88b_ANameIsNotAnotherRulesIndex) {
  EXPECT_EQ(create_errors(with_names({"1", nullptr})),
            Texts{at_name(0, "Invalid value: \"1\": must not be the index of another rule")});
  EXPECT_EQ(create_errors(with_names({nullptr, "1"})), Texts{});   // its own
  EXPECT_EQ(create_errors(with_names({"2", nullptr})), Texts{});   // of no rule
  EXPECT_EQ(create_errors(with_names({"01", nullptr})), Texts{});  // not how an index is written
  EXPECT_EQ(create_errors(with_names({"99999999999999999999999", nullptr})), Texts{});
}

TEST(RuleNames, J88c_TheReasonHasAtMost128Characters) {
  const std::string longest(111, 'a');
  EXPECT_EQ(create_errors(with_names({longest.c_str()})), Texts{});
  const std::string too_long(112, 'a');
  EXPECT_EQ(create_errors(with_names({too_long.c_str()})),
            Texts{at_name(0, "Too long: may not be more than 111 bytes")});
}

TEST(RuleNames, J88c_TheReasonIsAValidReason) {
  for (const char* bad : {"a-b", "a b", "a,", "a:", ",", "caf\xc3\xa9", "a.b"}) {
    EXPECT_EQ(create_errors(with_names({bad})),
              Texts{at_name(
                  0, "Invalid value: \"" + std::string(bad) + "\": " + std::string(kPatternText))})
        << bad;
  }
}

TEST(RuleNames, J88d_ANameIsNoReasonOfTheController) {
  for (const char* reserved :
       {"PodFailurePolicy", "BackoffLimitExceeded", "DeadlineExceeded", "MaxFailedIndexesExceeded",
        "FailedIndexes", "SuccessPolicy", "CompletionsReached", "JobSuspended", "JobResumed"}) {
    EXPECT_EQ(create_errors(with_names({reserved})),
              Texts{at_name(0, "Invalid value: \"" + std::string(reserved) +
                                   "\": must not be a reason that the Job controller itself uses")})
        << reserved;
  }
  EXPECT_EQ(create_errors(with_names({"BackoffLimitExceeded2"})), Texts{});
}

TEST(RuleNames, J88e_ANameIsNotEmpty) {
  EXPECT_EQ(create_errors(with_names({""})),
            Texts{at_name(0,
                          "Invalid value: \"\": must not be empty; leave it out to have the "
                          "rule's index instead")});
}

TEST(RuleNames, J88f_NamesAreImmutable) {
  const Job old_job = testing::created(with_names({"A"}));
  for (const bool renamed : {true, false}) {
    Job job = old_job;
    auto& first = *job.mutable_spec()->mutable_pod_failure_policy()->mutable_rules(0);
    renamed ? first.set_name("B") : first.clear_name();
    const Texts errors = testing::update_errors(old_job, job);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].substr(0, 38), "spec.podFailurePolicy: Invalid value: ");
    EXPECT_EQ(errors[0].substr(errors[0].size() - 18), "field is immutable");
  }
  EXPECT_EQ(testing::update_errors(old_job, old_job), Texts{});
}

TEST(RuleNames, AHugeListOfRulesIsStillCheckedQuickly) {
  Job job = testing::minimal_job();
  for (int i = 0; i < 20'000; ++i) {
    testing::add_exit_code_rule(job, "FailJob").set_name(std::to_string(i + 20'000));
  }
  EXPECT_EQ(create_errors(job),
            Texts{"spec.podFailurePolicy.rules: Too many: 20000: must have at most 20 items"});
}

}  // namespace
}  // namespace windlass::api
