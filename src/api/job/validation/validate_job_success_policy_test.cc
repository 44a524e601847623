// spec.successPolicy on create (api.md J74-J79).
#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::create_errors;
using testing::indexed_job;
using testing::Job;
using testing::Texts;

constexpr std::string_view kRules = "spec.successPolicy.rules";

std::string at_rules(std::string_view rest) {
  return std::string(kRules) + std::string(rest);
}

Job with_indexes(std::string_view indexes, int32_t completions = 10) {
  Job job = indexed_job(completions);
  job.mutable_spec()->mutable_success_policy()->add_rules()->set_succeeded_indexes(
      std::string(indexes));
  return job;
}

Job with_count(int32_t count) {
  Job job = indexed_job(10);
  job.mutable_spec()->mutable_success_policy()->add_rules()->set_succeeded_count(count);
  return job;
}

TEST(SuccessPolicyValidation, J74_BetweenOneAnd20Rules) {
  Job job = indexed_job();
  auto& policy = *job.mutable_spec()->mutable_success_policy();
  EXPECT_EQ(create_errors(job),
            Texts{at_rules(": Required value: at least one rules must be specified when the "
                           "successPolicy is specified")});
  for (int i = 0; i < 20; ++i) {
    policy.add_rules()->set_succeeded_count(1);
  }
  EXPECT_EQ(create_errors(job), Texts{});
  policy.add_rules()->set_succeeded_count(1);
  EXPECT_EQ(create_errors(job), Texts{at_rules(": Too many: 21: must have at most 20 items")});
}

TEST(SuccessPolicyValidation, J75_ARuleSaysSomething) {
  Job job = indexed_job();
  job.mutable_spec()->mutable_success_policy()->add_rules();
  EXPECT_EQ(create_errors(job),
            Texts{at_rules("[0]: Required value: at least one of succeededCount or "
                           "succeededIndexes must be specified")});
  EXPECT_EQ(create_errors(with_indexes("0")), Texts{});
  EXPECT_EQ(create_errors(with_count(1)), Texts{});
}

TEST(SuccessPolicyValidation, J76_IndexesHaveAtMost64KiB) {
  // 0,2,4,... is as long as a list can be made.
  std::string longest;
  for (int32_t i = 0; longest.size() < 65530; i += 2) {
    longest += (longest.empty() ? "" : ",") + std::to_string(i);
  }
  ASSERT_LE(longest.size(), 65536U);
  EXPECT_EQ(create_errors(with_indexes(longest, 100'000)), Texts{});
  const std::string too_long = std::string(65536 - longest.size(), '0') + longest + "0";
  ASSERT_GT(too_long.size(), 65536U);
  EXPECT_EQ(create_errors(with_indexes(too_long, 2'000'000)),
            Texts{at_rules("[0].succeededIndexes: Too long: may not be more than 65536 bytes")});
}

TEST(SuccessPolicyValidation, J76_ATooLongListIsParsedAllTheSame) {
  const std::string bad(65537, 'x');
  const Texts errors = create_errors(with_indexes(bad));
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0],
            at_rules("[0].succeededIndexes: Too long: may not be more than 65536 bytes"));
  EXPECT_EQ(errors[1].substr(0, 60),
            at_rules("[0].succeededIndexes: Invalid value: \"xxxxx").substr(0, 60));
}

TEST(SuccessPolicyValidation, J77_CountWithinCompletionsAndIndexes) {
  EXPECT_EQ(create_errors(with_count(0)), Texts{});
  EXPECT_EQ(create_errors(with_count(10)), Texts{});
  EXPECT_EQ(create_errors(with_count(-1)),
            Texts{at_rules("[0].succeededCount: Invalid value: -1: must be greater than or equal "
                           "to 0")});
  EXPECT_EQ(create_errors(with_count(11)),
            Texts{at_rules("[0].succeededCount: Invalid value: 11: must be less than or equal to "
                           "10 (the number of specified completions)")});
  Job both = with_indexes("0-3");
  auto& first = *both.mutable_spec()->mutable_success_policy()->mutable_rules(0);
  first.set_succeeded_count(4);
  EXPECT_EQ(create_errors(both), Texts{});
  first.set_succeeded_count(11);
  EXPECT_EQ(create_errors(both),
            (Texts{at_rules("[0].succeededCount: Invalid value: 11: must be less than or equal to "
                            "10 (the number of specified completions)"),
                   at_rules("[0].succeededCount: Invalid value: 11: must be less than or equal to "
                            "4 (the number of indexes in the specified succeededIndexes field)")}));
}

TEST(SuccessPolicyValidation, J78_NoCompletionsIsNoCrash) {
  Job job = with_indexes("0-3");
  job.mutable_spec()->mutable_success_policy()->mutable_rules(0)->set_succeeded_count(1);
  job.mutable_spec()->clear_completions();
  job.mutable_spec()->set_parallelism(2);
  EXPECT_EQ(create_errors(job),
            Texts{"spec.completions: Required value: when completion mode is Indexed"});
}

TEST(SuccessPolicyValidation, J79_IndexListGrammar) {
  for (const std::string_view good : {"", "0", "0,2", "0-3", "0-3,5,7-9", "+1,2", "00,01"}) {
    EXPECT_EQ(create_errors(with_indexes(good)), Texts{}) << good;
  }
  struct Case {
    std::string_view list;
    std::string_view error;
  };
  const Case cases[] = {
      {"1-2-3",
       "the fragment \"1-2-3\" violates the requirement that an index interval can have at most "
       "two parts separated by '-'"},
      {"x", "cannot convert string to integer for index: \"x\""},
      {"1, 2", "cannot convert string to integer for index: \" 2\""},
      {"1,", "cannot convert string to integer for index: \"\""},
      {"-1", "cannot convert string to integer for index: \"\""},
      {"1-", "cannot convert string to integer for index: \"\""},
      {"-", "cannot convert string to integer for index: \"\""},
      {"10", "too large index: \"10\""},
      {"1-10", "too large index: \"10\""},
      {"3-3", "non-increasing order, previous: 3, current: 3"},
      {"3-2", "non-increasing order, previous: 3, current: 2"},
      {"2,1", "non-increasing order, previous: 2, current: 1"},
      {"1-2,2-3", "non-increasing order, previous: 2, current: 2"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(create_errors(with_indexes(c.list)),
              Texts{at_rules("[0].succeededIndexes: Invalid value: \"" + std::string(c.list) +
                             "\": error parsing succeededIndexes: " + std::string(c.error))});
  }
}

}  // namespace
}  // namespace windlass::api
