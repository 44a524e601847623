// Annotation windlass.dev/policy (api.md J157-J159).
#include "api/job/job_policy.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"
#include "api/job/validation/validate_job.h"

namespace windlass::api {
namespace {

using testing::create_errors;
using testing::Job;
using testing::Texts;

void set_policy_text(Job& job, const std::string& text) {
  (*job.mutable_metadata()->mutable_annotations())[std::string(kPolicyAnnotation)] = text;
}

// Rules: 0 Spot (Ignore), 1 unnamed (Count), 2 Fatal (FailJob).
Job job_with(const std::string& text) {
  Job job = testing::minimal_job();
  testing::add_exit_code_rule(job, "Ignore", "In", {1}).set_name("Spot");
  testing::add_exit_code_rule(job, "Count", "In", {2});
  testing::add_exit_code_rule(job, "FailJob", "In", {3}).set_name("Fatal");
  set_policy_text(job, text);
  return job;
}

std::string error_of(const std::string& text) {
  const Texts errors = create_errors(job_with(text));
  constexpr std::string_view kAnnotationPath = "metadata.annotations[windlass.dev/policy]";
  std::string all;
  for (const std::string& error : errors) {
    EXPECT_EQ(error.substr(0, kAnnotationPath.size()), kAnnotationPath);
    all += (all.empty() ? "" : "\n") + error.substr(std::min(error.size(), kAnnotationPath.size()));
  }
  return all;
}

TEST(JobPolicy, J157_ReadsYaml) {
  FieldErrors errors;
  const JobPolicy policy = read_job_policy(job_with(R"(
rules:
  Spot: {budget: 50, backoff: {base: 1s, cap: 30s}}
  1: {budget: 3, window: 1h, resetOnSuccess: true}
)"),
                                           errors);
  EXPECT_TRUE(errors.empty());
  ASSERT_EQ(policy.rules.size(), 2u);
  EXPECT_EQ(policy.rules.at(0),
            (RulePolicy{50, std::nullopt, false, RulePolicy::Backoff{seconds(1), seconds(30)}}));
  EXPECT_EQ(policy.rules.at(1), (RulePolicy{3, hours(1), true, std::nullopt}));
}

TEST(JobPolicy, J157_ReadsJson) {
  FieldErrors errors;
  const JobPolicy policy =
      read_job_policy(job_with(R"({"rules":{"Spot":{"backoff":{"base":"2m"}}}})"), errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(policy.rules.at(0).backoff, (RulePolicy::Backoff{minutes(2), minutes(10)}))
      << "the cap is 10 minutes, as that of the Job";
}

TEST(JobPolicy, J157_AnEmptyPolicyLimitsNothing) {
  EXPECT_EQ(error_of("{}"), "");
  EXPECT_EQ(error_of("rules: {}"), "");
  EXPECT_EQ(create_errors(testing::minimal_job()), Texts{});
}

TEST(JobPolicy, J157_NamesOfRules) {
  EXPECT_EQ(
      error_of("rules:\n  Sport: {budget: 1}"),
      ".rules.Sport: Forbidden: no rule of spec.podFailurePolicy has this name or index (line "
      "2, column 3 of the annotation)");
  EXPECT_NE(error_of("rules: {3: {budget: 1}}").find("no rule of"), std::string::npos);
  EXPECT_NE(error_of("rules: {01: {budget: 1}}").find("is there"), 0u);
  EXPECT_NE(error_of("rules: {Spot: {budget: 1}, 0: {budget: 1}}")
                .find("rule 0 of spec.podFailurePolicy is there already"),
            std::string::npos);
  EXPECT_NE(
      error_of("rules: {Fatal: {budget: 1}}").find("a rule with action FailJob is not tried again"),
      std::string::npos);
}

TEST(JobPolicy, J157_KeysGivenTwice) {
  EXPECT_EQ(error_of("rules:\n  Spot: {budget: 1}\n  Spot: {budget: 2}"),
            ".rules.Spot: Forbidden: is given twice");
}

TEST(JobPolicy, J157_Numbers) {
  for (const char* bad : {"-1", "1.5", "2147483648", "\"3\"", "many", "null"}) {
    EXPECT_NE(error_of(std::string("rules: {Spot: {budget: ") + bad + "}}")
                  .find("must be a whole number from 0 to 2147483647 (line 1, column 16 of"),
              std::string::npos)
        << bad;
  }
  EXPECT_EQ(error_of("rules: {Spot: {budget: 0}}"), "");
  EXPECT_EQ(error_of("rules: {Spot: {budget: 32, window: 1h}}"),
            ".rules.Spot.budget: Invalid value: 32: must be at most 31 with window or "
            "resetOnSuccess (line 1, column 16 of the annotation)");
}

TEST(JobPolicy, J157_Durations) {
  for (const char* bad : {"1", "soon", "true"}) {
    EXPECT_NE(error_of(std::string("rules: {Spot: {budget: 1, window: ") + bad + "}}")
                  .find("must be a duration such as 30s, 5m or 1h30m"),
              std::string::npos)
        << bad;
  }
  for (const char* bad : {"0s", "-1h", "999ms", "10000h"}) {
    EXPECT_NE(error_of(std::string("rules: {Spot: {budget: 1, window: ") + bad + "}}")
                  .find("must be from 1s to 8784h0m0s"),
              std::string::npos)
        << bad;
  }
  EXPECT_NE(error_of("rules: {Spot: {backoff: {base: 0s}}}").find("must be from 1ms"),
            std::string::npos);
  EXPECT_NE(error_of("rules: {Spot: {backoff: {base: 10s, cap: 5s}}}")
                .find(".rules.Spot.backoff.cap: Invalid value: \"5s\": must be at least base"),
            std::string::npos);
  EXPECT_NE(error_of("rules: {Spot: {backoff: {cap: 5s}}}").find("must be an object with base"),
            std::string::npos);
}

TEST(JobPolicy, J157_WindowAndResetNeedABudget) {
  for (const char* field : {"window: 1h", "resetOnSuccess: true"}) {
    EXPECT_NE(error_of(std::string("rules: {Spot: {") + field + "}}")
                  .find("may be set only together with budget"),
              std::string::npos)
        << field;
  }
  EXPECT_NE(error_of("rules: {Spot: {}}").find("a budget, a backoff or both"), std::string::npos);
}

TEST(JobPolicy, J157_UnknownFields) {
  EXPECT_EQ(error_of("rulez: {}"),
            ".rulez: Forbidden: unknown field; known here: rules (line 1, column 1 of the "
            "annotation)");
  EXPECT_NE(error_of("rules: {Spot: {budget: 1, limit: 2}}").find("unknown field; known here: bud"),
            std::string::npos);
}

// What is planned is refused until it is obeyed.
TEST(JobPolicy, J158_FieldsThatAreNotSupported) {
  for (const char* field :
       {"oomRule: Spot", "pending: []", "attempt: {timeout: 2h}", "index: {timeout: 8h}",
        "checkpoint: {}", "lostNode: {}", "rules: {Spot: {budget: 1, memory: {grow: 2}}}"}) {
    EXPECT_NE(error_of(field).find("this version of Windlass does not support it"),
              std::string::npos)
        << field;
  }
  Job job = job_with("rules: {Spot: {budget: 1}}");
  job.mutable_spec()->set_completion_mode("Indexed");
  job.mutable_spec()->set_completions(2);
  job.mutable_spec()->set_backoff_limit_per_index(1);
  ASSERT_EQ(create_errors(job).size(), 1u);
  EXPECT_NE(create_errors(job).at(0).find("spec.backoffLimitPerIndex"), std::string::npos);
  set_policy_text(job, "{}");
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(JobPolicy, J157_TextsThatAreNoPolicy) {
  for (const char* bad : {"", "---\n{}\n---\n{}\n", "[1]", "text", "{", "a: *b"}) {
    EXPECT_NE(error_of(bad), "") << bad;
  }
  EXPECT_NE(error_of(std::string(kMaxPolicyBytes + 1, ' ')).find("may not be more than 65536"),
            std::string::npos);
}

TEST(JobPolicy, J157_YamlBombsAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int n = 1; n < 10; ++n) {
      bomb += ", " + before;
    }
    bomb += "]\n";
  }
  EXPECT_NE(error_of(bomb), "");
}

TEST(JobPolicy, J157_ANameMustFitIntoTheReason) {
  Job job = job_with("");
  const std::string name(110, 'x');
  job.mutable_spec()->mutable_pod_failure_policy()->mutable_rules(0)->set_name(name);
  set_policy_text(job, "rules: {" + name + ": {budget: 1}}");
  ASSERT_EQ(create_errors(job).size(), 1u);
  EXPECT_NE(create_errors(job).at(0).find("at most 109 bytes"), std::string::npos);
  set_policy_text(job, "rules: {" + name + ": {backoff: {base: 1s}}}");
  EXPECT_EQ(create_errors(job), Texts{});
}

Texts update_errors(const Job& before, const Job& now) {
  FieldErrors errors;
  validate_job_policy_update(errors, before, now);
  Texts texts;
  for (const FieldError& error : errors.all()) {
    texts.push_back(error.text());
  }
  return texts;
}

Texts update_errors(const std::string& before, const std::string& now) {
  return update_errors(job_with(before), job_with(now));
}

const Texts kImmutablePolicy = {
    "metadata.annotations[windlass.dev/policy]: Forbidden: is immutable: the failures so far were "
    "judged by the policy as it was"};

TEST(JobPolicy, J159_Immutable) {
  const std::string limits = "rules: {Spot: {budget: 1}}";
  EXPECT_EQ(update_errors(limits, "rules: {Spot: {budget: 2}}"), kImmutablePolicy);
  EXPECT_EQ(update_errors(limits, "{}"), kImmutablePolicy);
  EXPECT_EQ(update_errors("{}", limits), kImmutablePolicy);
  Job without = job_with("");
  without.mutable_metadata()->mutable_annotations()->clear();
  EXPECT_EQ(update_errors(job_with(limits), without), kImmutablePolicy);
  EXPECT_EQ(update_errors(without, job_with(limits)), kImmutablePolicy);
  EXPECT_EQ(update_errors(without, job_with("{}")), Texts{});
}

TEST(JobPolicy, J159_OfTheJobAndOfItsStatus) {
  const Job before = job_with("rules: {Spot: {budget: 1}}");
  const Job now = job_with("{}");
  const auto tells = [](const FieldErrors& errors) {
    return std::ranges::any_of(errors.all(), [](const FieldError& error) {
      return error.text() == kImmutablePolicy.front();
    });
  };
  EXPECT_TRUE(tells(validate_job_update(before, now)));
  EXPECT_TRUE(tells(validate_job_status_update(before, now)));
  EXPECT_FALSE(tells(validate_job_update(before, before)));
}

TEST(JobPolicy, J159_TheSameInOtherWords) {
  EXPECT_EQ(update_errors("rules: {Spot: {budget: 1}}", "{\"rules\":{\"0\":{\"budget\":1}}}"),
            Texts{});
}

TEST(JobPolicy, J159_AMistakeMayBeCorrected) {
  EXPECT_EQ(update_errors("rules: {Spot: {budget: -1}}", "rules: {Spot: {budget: 1}}"), Texts{});
  EXPECT_EQ(update_errors("rules: {Spot: {budget: -1}}", "rules: {Spot: {budget: -1}}"), Texts{})
      << "what is unchanged is not checked";
  EXPECT_EQ(update_errors("rules: {Spot: {budget: -1}}", "rules: {Spot: {budget: -2}}").size(), 1u);
}

}  // namespace
}  // namespace windlass::api
