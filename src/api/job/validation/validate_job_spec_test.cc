// spec of a Job on create (api.md J61-J73, J80).
#include "api/job/validation/validate_job_spec.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::create_errors;
using testing::indexed_job;
using testing::Job;
using testing::minimal_job;
using testing::Texts;

TEST(JobSpecValidation, J61_NumbersAreNotNegative) {
  Job job = indexed_job();
  auto& spec = *job.mutable_spec();
  for (const int32_t value : {0, -1}) {
    spec.set_parallelism(value);
    spec.set_completions(value);
    spec.set_active_deadline_seconds(value);
    spec.set_backoff_limit(value);
    spec.set_ttl_seconds_after_finished(value);
    spec.set_backoff_limit_per_index(value);
    spec.set_max_failed_indexes(value);
    Texts expected;
    for (const std::string_view name :
         {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
          "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
      expected.push_back("spec." + std::string(name) +
                         ": Invalid value: -1: must be greater than or equal to 0");
    }
    EXPECT_EQ(create_errors(job), value < 0 ? expected : Texts{});
  }
}

TEST(JobSpecValidation, J62_RestartPolicyMustBeChosen) {
  Job job = minimal_job();
  auto& pod = *job.mutable_spec()->mutable_template_()->mutable_spec();
  const Texts required{
      "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""};
  pod.clear_restart_policy();
  EXPECT_EQ(create_errors(job), required);
  pod.set_restart_policy("Always");
  EXPECT_EQ(create_errors(job), required);
  pod.set_restart_policy("OnFailure");
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(JobSpecValidation, J62_UnknownRestartPolicyIsReportedByPodAndJob) {
  Job job = minimal_job();
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("Sometimes");
  EXPECT_EQ(create_errors(job),
            (Texts{"spec.template.spec.restartPolicy: Unsupported value: \"Sometimes\": supported "
                   "values: \"Always\", \"OnFailure\", \"Never\"",
                   "spec.template.spec.restartPolicy: Unsupported value: \"Sometimes\": supported "
                   "values: \"OnFailure\", \"Never\""}));
}

TEST(JobSpecValidation, J62_FailurePolicyNeedsNever) {
  Job job = minimal_job();
  job.mutable_spec()->mutable_pod_failure_policy();
  EXPECT_EQ(create_errors(job), Texts{});
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("OnFailure");
  EXPECT_EQ(create_errors(job),
            Texts{"spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" "
                  "is supported when podFailurePolicy is specified"});
}

TEST(JobSpecValidation, J63_MaxFailedIndexesNeedsALimitPerIndex) {
  Job job = indexed_job();
  job.mutable_spec()->set_max_failed_indexes(1);
  EXPECT_EQ(create_errors(job),
            Texts{"spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"});
  job.mutable_spec()->set_backoff_limit_per_index(1);
  EXPECT_EQ(create_errors(job), Texts{});
}

Texts managed_by_errors(std::string_view value) {
  Job job = minimal_job();
  job.mutable_spec()->set_managed_by(std::string(value));
  return create_errors(job);
}

TEST(JobSpecValidation, J64_ManagedByIsADomainPrefixedPath) {
  EXPECT_EQ(managed_by_errors("acme.io/foo"), Texts{});
  EXPECT_EQ(managed_by_errors("kubernetes.io/job-controller"), Texts{});
  EXPECT_EQ(managed_by_errors("acme.io/a/b~c%20"), Texts{});
  EXPECT_EQ(managed_by_errors(""), Texts{"spec.managedBy: Required value"});
  for (const std::string_view bad : {"foo", "/foo", "acme.io/"}) {
    EXPECT_EQ(managed_by_errors(bad),
              Texts{"spec.managedBy: Invalid value: \"" + std::string(bad) +
                    "\": must be a domain-prefixed path (such as \"acme.io/foo\")"});
  }
}

TEST(JobSpecValidation, J64_ManagedByPartsAreReportedAlone) {
  const Texts host = managed_by_errors("Acme.io/foo");
  ASSERT_EQ(host.size(), 1U);
  EXPECT_EQ(host[0].substr(0, 60),
            "spec.managedBy: Invalid value: \"Acme.io\": a lowercase RFC 11");
  EXPECT_EQ(managed_by_errors("acme.io/a b"),
            Texts{"spec.managedBy: Invalid value: \"a b\": Invalid path (regex used for validation "
                  "is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"});
}

TEST(JobSpecValidation, J64_ManagedByHasAtMost63Bytes) {
  EXPECT_EQ(managed_by_errors("acme.io/" + std::string(55, 'a')), Texts{});
  EXPECT_EQ(managed_by_errors("acme.io/" + std::string(56, 'a')),
            Texts{"spec.managedBy: Too long: may not be more than 63 bytes"});
}

TEST(JobSpecValidation, J65_CompletionMode) {
  for (const std::string_view mode : {"NonIndexed", "Indexed"}) {
    Job job = minimal_job();
    job.mutable_spec()->set_completion_mode(std::string(mode));
    EXPECT_EQ(create_errors(job), Texts{}) << mode;
  }
  for (const std::string mode : {"Sideways", ""}) {
    Job job = minimal_job();
    job.mutable_spec()->set_completion_mode(mode);
    EXPECT_EQ(create_errors(job), Texts{"spec.completionMode: Unsupported value: \"" + mode +
                                        "\": supported values: \"NonIndexed\", \"Indexed\""});
  }
}

TEST(JobSpecValidation, J66_IndexedNeedsCompletions) {
  Job job = minimal_job();
  job.mutable_spec()->set_completion_mode("Indexed");
  EXPECT_EQ(create_errors(job), Texts{});  // both are defaulted to 1
  job.mutable_spec()->set_parallelism(2);
  EXPECT_EQ(create_errors(job),
            Texts{"spec.completions: Required value: when completion mode is Indexed"});
}

TEST(JobSpecValidation, J67_IndexedParallelism) {
  Job job = indexed_job();
  job.mutable_spec()->set_parallelism(100'000);
  EXPECT_EQ(create_errors(job), Texts{});
  job.mutable_spec()->set_parallelism(100'001);
  EXPECT_EQ(create_errors(job),
            Texts{"spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 "
                  "when completion mode is Indexed"});
  job.mutable_spec()->set_completion_mode("NonIndexed");
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(JobSpecValidation, J68_MaxFailedIndexesWithinCompletions) {
  Job job = indexed_job(10);
  job.mutable_spec()->set_backoff_limit_per_index(1);
  job.mutable_spec()->set_max_failed_indexes(10);
  EXPECT_EQ(create_errors(job), Texts{});
  job.mutable_spec()->set_max_failed_indexes(11);
  EXPECT_EQ(create_errors(job),
            Texts{"spec.maxFailedIndexes: Invalid value: 11: must be less than or equal to "
                  "completions"});
}

TEST(JobSpecValidation, J69_MaxFailedIndexesHasAnUpperBound) {
  Job job = indexed_job(100'000);
  job.mutable_spec()->set_backoff_limit_per_index(1);
  job.mutable_spec()->set_max_failed_indexes(100'000);
  EXPECT_EQ(create_errors(job), Texts{});
  job.mutable_spec()->set_completions(200'000);
  job.mutable_spec()->set_max_failed_indexes(100'001);
  EXPECT_EQ(create_errors(job),
            (Texts{"spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to "
                   "100000",
                   "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to "
                   "10000 when completions are above 100000 and used with backoff limit per "
                   "index"}));
}

TEST(JobSpecValidation, J70_ManyCompletionsWithALimitPerIndex) {
  Job job = indexed_job(100'001);
  EXPECT_EQ(create_errors(job), Texts{});
  job.mutable_spec()->set_backoff_limit_per_index(1);
  EXPECT_EQ(create_errors(job),
            Texts{"spec.maxFailedIndexes: Required value: must be specified when completions is "
                  "above 100000"});
  job.mutable_spec()->set_max_failed_indexes(10'000);
  job.mutable_spec()->set_parallelism(10'000);
  EXPECT_EQ(create_errors(job), Texts{});
  job.mutable_spec()->set_max_failed_indexes(10'001);
  job.mutable_spec()->set_parallelism(10'001);
  const std::string detail =
      ": Invalid value: 10001: must be less than or equal to 10000 when completions are above "
      "100000 and used with backoff limit per index";
  EXPECT_EQ(create_errors(job),
            (Texts{"spec.parallelism" + detail, "spec.maxFailedIndexes" + detail}));
}

TEST(JobSpecValidation, J71_LimitsPerIndexNeedIndexes) {
  Job job = minimal_job();
  job.mutable_spec()->set_backoff_limit_per_index(1);
  job.mutable_spec()->set_max_failed_indexes(2);
  EXPECT_EQ(create_errors(job),
            (Texts{"spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
                   "spec.maxFailedIndexes: Invalid value: 2: requires indexed completion mode"}));
}

TEST(JobSpecValidation, J72_LimitPerIndexWithOnFailureIsAccepted) {
  Job job = indexed_job();
  job.mutable_spec()->set_backoff_limit_per_index(1);
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("OnFailure");
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(JobSpecValidation, J73_SuccessPolicyNeedsIndexes) {
  Job job = minimal_job();
  job.mutable_spec()->mutable_success_policy()->add_rules()->set_succeeded_count(1);
  // Nothing below it is checked.
  job.mutable_spec()->mutable_success_policy()->add_rules();
  EXPECT_EQ(create_errors(job),
            Texts{"spec.successPolicy: Invalid value: {\"rules\":[{\"succeededCount\":1},{}]}: "
                  "requires indexed completion mode"});
  job.mutable_spec()->mutable_success_policy()->mutable_rules()->RemoveLast();
  job.mutable_spec()->set_completion_mode("Indexed");
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(JobSpecValidation, J80_PodReplacementPolicy) {
  for (const std::string_view policy : {"Failed", "TerminatingOrFailed"}) {
    Job job = minimal_job();
    job.mutable_spec()->set_pod_replacement_policy(std::string(policy));
    EXPECT_EQ(create_errors(job), Texts{}) << policy;
  }
  for (const std::string policy : {"Always", ""}) {
    Job job = minimal_job();
    job.mutable_spec()->set_pod_replacement_policy(policy);
    EXPECT_EQ(create_errors(job),
              Texts{"spec.podReplacementPolicy: Unsupported value: \"" + policy +
                    "\": supported values: \"Failed\", \"TerminatingOrFailed\""});
  }
}

TEST(JobSpecValidation, J80_PodReplacementPolicyWithAFailurePolicy) {
  Job job = minimal_job();
  testing::add_exit_code_rule(job, "Ignore");
  job.mutable_spec()->set_pod_replacement_policy("Failed");
  EXPECT_EQ(create_errors(job), Texts{});
  job.mutable_spec()->set_pod_replacement_policy("TerminatingOrFailed");
  EXPECT_EQ(create_errors(job),
            Texts{"spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": "
                  "supported values: \"Failed\""});
}

}  // namespace
}  // namespace windlass::api
