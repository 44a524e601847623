// spec.podFailurePolicy on create (api.md J81-J87).
#include <gtest/gtest.h>

#include "api/job/job_testing.h"
#include "api/job/validation/validate_job_spec.h"

namespace windlass::api {
namespace {

using testing::add_exit_code_rule;
using testing::add_rule;
using testing::create_errors;
using testing::indexed_job;
using testing::Job;
using testing::minimal_job;
using testing::Texts;

constexpr std::string_view kRule0 = "spec.podFailurePolicy.rules[0]";

std::string at_rule0(std::string_view rest) {
  return std::string(kRule0) + std::string(rest);
}

TEST(FailurePolicyValidation, J81_AtMost20Rules) {
  Job job = minimal_job();
  job.mutable_spec()->mutable_pod_failure_policy();
  EXPECT_EQ(create_errors(job), Texts{});  // no rules at all is accepted
  for (int i = 0; i < 20; ++i) {
    add_exit_code_rule(job, "Ignore");
  }
  EXPECT_EQ(create_errors(job), Texts{});
  add_exit_code_rule(job, "Ignore");
  EXPECT_EQ(create_errors(job),
            Texts{"spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"});
}

TEST(FailurePolicyValidation, J82_Actions) {
  for (const std::string_view action : {"Count", "FailJob", "Ignore"}) {
    Job job = minimal_job();
    add_exit_code_rule(job, action);
    EXPECT_EQ(create_errors(job), Texts{}) << action;
  }
  Job missing = minimal_job();
  add_exit_code_rule(missing, "");
  EXPECT_EQ(
      create_errors(missing),
      Texts{at_rule0(".action: Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" "
                     "\"Ignore\"]")});
  Job unknown = minimal_job();
  add_exit_code_rule(unknown, "Retry");
  EXPECT_EQ(create_errors(unknown),
            Texts{at_rule0(".action: Unsupported value: \"Retry\": supported values: \"Count\", "
                           "\"FailIndex\", \"FailJob\", \"Ignore\"")});
}

TEST(FailurePolicyValidation, J82_FailIndexNeedsALimitPerIndex) {
  Job job = indexed_job();
  add_exit_code_rule(job, "FailIndex");
  EXPECT_EQ(create_errors(job), Texts{at_rule0(".action: Invalid value: \"FailIndex\": requires "
                                               "the backoffLimitPerIndex to be set")});
  job.mutable_spec()->set_backoff_limit_per_index(0);
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(FailurePolicyValidation, J83_ExactlyOneRequirement) {
  Job both = minimal_job();
  add_exit_code_rule(both, "Ignore").add_on_pod_conditions()->set_type("DisruptionTarget");
  EXPECT_EQ(create_errors(both), Texts{at_rule0(": Invalid value: specifying both OnExitCodes and "
                                                "OnPodConditions is not supported")});
  Job neither = minimal_job();
  add_rule(neither, "Ignore");
  EXPECT_EQ(create_errors(neither), Texts{at_rule0(": Invalid value: specifying one of OnExitCodes "
                                                   "and OnPodConditions is required")});
}

TEST(FailurePolicyValidation, J84_Operator) {
  Job not_in = minimal_job();
  add_exit_code_rule(not_in, "FailJob", "NotIn");
  EXPECT_EQ(create_errors(not_in), Texts{});
  Job missing = minimal_job();
  add_exit_code_rule(missing, "FailJob", "");
  EXPECT_EQ(
      create_errors(missing),
      Texts{at_rule0(".onExitCodes.operator: Required value: valid values: [\"In\" \"NotIn\"]")});
  Job unknown = minimal_job();
  add_exit_code_rule(unknown, "FailJob", "Between");
  EXPECT_EQ(create_errors(unknown),
            Texts{at_rule0(".onExitCodes.operator: Unsupported value: \"Between\": supported "
                           "values: \"In\", \"NotIn\"")});
}

TEST(FailurePolicyValidation, J85_ContainerNameIsInTheTemplate) {
  Job job = minimal_job();
  auto& codes = *add_exit_code_rule(job, "FailJob").mutable_on_exit_codes();
  auto& setup = *job.mutable_spec()->mutable_template_()->mutable_spec()->add_init_containers();
  setup.set_name("setup");
  setup.set_image("busybox:1.36");
  for (const std::string_view good : {"main", "setup"}) {
    codes.set_container_name(std::string(good));
    EXPECT_EQ(create_errors(job), Texts{}) << good;
  }
  for (const std::string bad : {"other", ""}) {
    codes.set_container_name(bad);
    EXPECT_EQ(create_errors(job),
              Texts{at_rule0(".onExitCodes.containerName: Invalid value: \"" + bad +
                             "\": must be one of the container or initContainer names in the pod "
                             "template")});
  }
}

Texts values_errors(const std::vector<int32_t>& values, std::string_view op = "In") {
  Job job = minimal_job();
  add_exit_code_rule(job, "FailJob", op, values);
  return create_errors(job);
}

TEST(FailurePolicyValidation, J86_HowManyValues) {
  EXPECT_EQ(
      values_errors({}),
      Texts{at_rule0(".onExitCodes.values: Invalid value: []: at least one value is required")});
  std::vector<int32_t> values;
  for (int32_t i = 1; i <= 255; ++i) {
    values.push_back(i);
  }
  EXPECT_EQ(values_errors(values), Texts{});
  values.push_back(256);
  EXPECT_EQ(values_errors(values),
            Texts{at_rule0(".onExitCodes.values: Too many: 256: must have at most 255 items")});
}

TEST(FailurePolicyValidation, J86_ZeroIsNoFailure) {
  EXPECT_EQ(values_errors({0, 1}),
            Texts{at_rule0(
                ".onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator")});
  EXPECT_EQ(values_errors({0, 1}, "NotIn"), Texts{});
  EXPECT_EQ(values_errors({-1, 1}), Texts{});  // negative values are not rejected
}

TEST(FailurePolicyValidation, J86_ValuesAreUniqueAndOrdered) {
  EXPECT_EQ(values_errors({1, 2, 2}),
            Texts{at_rule0(".onExitCodes.values[2]: Duplicate value: 2")});
  EXPECT_EQ(values_errors({3, 2, 1}),
            Texts{at_rule0(".onExitCodes.values: Invalid value: [3,2,1]: must be ordered")});
  EXPECT_EQ(values_errors({2, 1, 2}),
            (Texts{at_rule0(".onExitCodes.values[2]: Duplicate value: 2"),
                   at_rule0(".onExitCodes.values: Invalid value: [2,1,2]: must be ordered")}));
}

Job with_pattern(std::string_view condition, std::string_view status) {
  Job job = minimal_job();
  auto& pattern = *add_rule(job, "Ignore").add_on_pod_conditions();
  pattern.set_type(std::string(condition));
  pattern.set_status(std::string(status));
  return job;
}

TEST(FailurePolicyValidation, J87_AtMost20Patterns) {
  Job job = minimal_job();
  auto& first = add_rule(job, "Ignore");
  for (int i = 0; i < 21; ++i) {
    first.add_on_pod_conditions()->set_type("DisruptionTarget");
  }
  EXPECT_EQ(create_errors(job),
            Texts{at_rule0(".onPodConditions: Too many: 21: must have at most 20 items")});
  first.mutable_on_pod_conditions()->RemoveLast();
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(FailurePolicyValidation, J87_ConditionTypesAreQualifiedNames) {
  EXPECT_EQ(create_errors(with_pattern("DisruptionTarget", "True")), Texts{});
  EXPECT_EQ(create_errors(with_pattern("acme.io/Broken", "True")), Texts{});
  const std::string pattern_text =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  EXPECT_EQ(create_errors(with_pattern("", "True")),
            (Texts{at_rule0(".onPodConditions[0].type: Invalid value: \"\": name part must be "
                            "non-empty"),
                   at_rule0(".onPodConditions[0].type: Invalid value: \"\": " + pattern_text)}));
  EXPECT_EQ(create_errors(with_pattern("a b", "True")),
            Texts{at_rule0(".onPodConditions[0].type: Invalid value: \"a b\": " + pattern_text)});
}

TEST(FailurePolicyValidation, J87_PatternStatus) {
  for (const std::string_view status : {"True", "False", "Unknown"}) {
    EXPECT_EQ(create_errors(with_pattern("DisruptionTarget", status)), Texts{}) << status;
  }
  EXPECT_EQ(create_errors(with_pattern("DisruptionTarget", "Maybe")),
            Texts{at_rule0(".onPodConditions[0].status: Unsupported value: \"Maybe\": supported "
                           "values: \"False\", \"True\", \"Unknown\"")});
  // Defaults would fill it (J48), so it takes a Job without them.
  FieldErrors errors;
  const Job job = with_pattern("DisruptionTarget", "");
  validate_pod_failure_policy(errors, FieldPath("spec").child("podFailurePolicy"), job.spec());
  EXPECT_EQ(testing::texts(errors),
            Texts{at_rule0(".onPodConditions[0].status: Required value: valid values: [\"False\" "
                           "\"True\" \"Unknown\"]")});
}

}  // namespace
}  // namespace windlass::api
