// The fields of batch/v1 Job (api.md 1.1, 1.2): numbers, types, and what JSON keeps of them.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "api/job/job_constants.h"
#include "api/job/job_testing.h"
#include "api/kind.h"

namespace windlass::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using testing::Job;

// `json` is a field's value; it must come back from the JSON form as it went in.
void expect_round_trip(std::string_view where, std::string_view name, std::string_view json) {
  const std::string field = "\"" + std::string(name) + "\":" + std::string(json);
  const std::string text = "{\"" + std::string(where) + "\":{" + field + "}}";
  Job job;
  const Result<DecodedJson> decoded = decode_json(text, job);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_TRUE(decoded->problems.empty()) << text;
  EXPECT_NE(to_json(job).find(field), std::string::npos) << to_json(job);

  Job again;
  ASSERT_TRUE(decode_protobuf(encode_protobuf(job), again).has_value());
  EXPECT_EQ(to_json(again), to_json(job));
}

void expect_absent(std::string_view name) {
  const std::string text = to_json(Job());
  EXPECT_EQ(text.find("\"" + std::string(name) + "\""), std::string::npos) << text;
}

void expect_field(const Descriptor* message, std::string_view name, int number) {
  const FieldDescriptor* field = message->FindFieldByCamelcaseName(std::string(name));
  ASSERT_NE(field, nullptr) << name;
  EXPECT_EQ(field->number(), number) << name;
}

// A field that is a pointer in Go: its zero value is kept, and differs from its absence.
void expect_spec_pointer(std::string_view name, std::string_view zero, std::string_view value) {
  expect_absent(name);
  expect_round_trip("spec", name, zero);
  expect_round_trip("spec", name, value);
}

TEST(JobSchema, J1_Parallelism) {
  expect_spec_pointer("parallelism", "0", "7");
}
TEST(JobSchema, J2_Completions) {
  expect_spec_pointer("completions", "0", "7");
}
TEST(JobSchema, J3_ActiveDeadlineSecondsIs64Bits) {
  expect_spec_pointer("activeDeadlineSeconds", "0", "9007199254740993");
}
TEST(JobSchema, J4_PodFailurePolicy) {
  expect_absent("podFailurePolicy");
  expect_round_trip("spec", "podFailurePolicy", R"({"rules":[{"action":"Ignore"}]})");
}
TEST(JobSchema, J5_SuccessPolicy) {
  expect_absent("successPolicy");
  expect_round_trip("spec", "successPolicy", R"({"rules":[{"succeededIndexes":""}]})");
}
TEST(JobSchema, J6_BackoffLimit) {
  expect_spec_pointer("backoffLimit", "0", "6");
}
TEST(JobSchema, J7_BackoffLimitPerIndex) {
  expect_spec_pointer("backoffLimitPerIndex", "0", "1");
}
TEST(JobSchema, J8_MaxFailedIndexes) {
  expect_spec_pointer("maxFailedIndexes", "0", "5");
}
TEST(JobSchema, J9_Selector) {
  expect_absent("selector");
  expect_round_trip("spec", "selector", R"({"matchLabels":{"a":"b"}})");
}
TEST(JobSchema, J10_ManualSelector) {
  expect_spec_pointer("manualSelector", "false", "true");
}
TEST(JobSchema, J11_TemplateIsAlwaysThere) {
  EXPECT_NE(to_json(Job()).find("\"template\":{"), std::string::npos) << to_json(Job());
}
TEST(JobSchema, J12_TtlSecondsAfterFinished) {
  expect_spec_pointer("ttlSecondsAfterFinished", "0", "60");
}
TEST(JobSchema, J13_CompletionMode) {
  expect_spec_pointer("completionMode", "\"\"", "\"Indexed\"");
}
TEST(JobSchema, J14_Suspend) {
  expect_spec_pointer("suspend", "false", "true");
}
TEST(JobSchema, J15_PodReplacementPolicy) {
  expect_spec_pointer("podReplacementPolicy", "\"\"", "\"Failed\"");
}
TEST(JobSchema, J16_ManagedBy) {
  expect_spec_pointer("managedBy", "\"\"", "\"acme.io/x\"");
}

TEST(JobSchema, J17_SchedulingIsUnknown) {
  Job job;
  const Result<DecodedJson> decoded = decode_json(R"({"spec":{"scheduling":{"a":1}}})", job);
  ASSERT_TRUE(decoded.has_value());
  ASSERT_EQ(decoded->problems.size(), 1U);
  EXPECT_EQ(decoded->problems[0].text(), "unknown field \"spec.scheduling\"");
  EXPECT_EQ(to_json(job), to_json(Job()));
}

TEST(JobSchema, J18_FieldNumbersAreKubernetes) {
  struct Field {
    std::string_view name;
    int number;
  };
  const Field spec[] = {
      {"parallelism", 1},
      {"completions", 2},
      {"activeDeadlineSeconds", 3},
      {"selector", 4},
      {"manualSelector", 5},
      {"template", 6},
      {"backoffLimit", 7},
      {"ttlSecondsAfterFinished", 8},
      {"completionMode", 9},
      {"suspend", 10},
      {"podFailurePolicy", 11},
      {"backoffLimitPerIndex", 12},
      {"maxFailedIndexes", 13},
      {"podReplacementPolicy", 14},
      {"managedBy", 15},
      {"successPolicy", 16},
  };
  for (const Field& field : spec) {
    expect_field(batch::v1::JobSpec::descriptor(), field.name, field.number);
  }
  EXPECT_EQ(batch::v1::JobSpec::descriptor()->FindFieldByNumber(17), nullptr);
  const Field status[] = {
      {"conditions", 1},
      {"startTime", 2},
      {"completionTime", 3},
      {"active", 4},
      {"succeeded", 5},
      {"failed", 6},
      {"completedIndexes", 7},
      {"uncountedTerminatedPods", 8},
      {"ready", 9},
      {"failedIndexes", 10},
      {"terminating", 11},
  };
  for (const Field& field : status) {
    expect_field(batch::v1::JobStatus::descriptor(), field.name, field.number);
  }
  expect_field(Job::descriptor(), "metadata", 1);
  expect_field(Job::descriptor(), "spec", 2);
  expect_field(Job::descriptor(), "status", 3);
}

TEST(JobSchema, J19_FailurePolicyRules) {
  const Descriptor* policy_rule = batch::v1::PodFailurePolicyRule::descriptor();
  expect_field(policy_rule, "action", 1);
  expect_field(policy_rule, "onExitCodes", 2);
  expect_field(policy_rule, "onPodConditions", 3);
  // A number that Kubernetes will not give to another field.
  expect_field(policy_rule, "name", 1001);
  const Descriptor* codes = batch::v1::PodFailurePolicyOnExitCodesRequirement::descriptor();
  expect_field(codes, "containerName", 1);
  expect_field(codes, "operator", 2);
  expect_field(codes, "values", 3);
  const Descriptor* pattern = batch::v1::PodFailurePolicyOnPodConditionsPattern::descriptor();
  expect_field(pattern, "type", 1);
  expect_field(pattern, "status", 2);
  Job job;
  testing::add_exit_code_rule(job, "FailJob").set_name("");
  EXPECT_NE(to_json(job).find("\"name\":\"\""), std::string::npos) << to_json(job);
  job.mutable_spec()->mutable_pod_failure_policy()->mutable_rules(0)->clear_name();
  EXPECT_EQ(to_json(job).find("\"name\""), std::string::npos) << to_json(job);
}

TEST(JobSchema, J20_SuccessPolicyRules) {
  expect_field(batch::v1::SuccessPolicyRule::descriptor(), "succeededIndexes", 1);
  expect_field(batch::v1::SuccessPolicyRule::descriptor(), "succeededCount", 2);
  expect_round_trip("spec", "successPolicy", R"({"rules":[{"succeededCount":0}]})");
}

TEST(JobSchema, J21_EnumValues) {
  EXPECT_EQ(kNonIndexed, "NonIndexed");
  EXPECT_EQ(kIndexed, "Indexed");
  EXPECT_EQ(kActionFailJob, "FailJob");
  EXPECT_EQ(kActionFailIndex, "FailIndex");
  EXPECT_EQ(kActionIgnore, "Ignore");
  EXPECT_EQ(kActionCount, "Count");
  EXPECT_EQ(kOperatorIn, "In");
  EXPECT_EQ(kOperatorNotIn, "NotIn");
  EXPECT_EQ(kConditionTrue, "True");
  EXPECT_EQ(kConditionFalse, "False");
  EXPECT_EQ(kConditionUnknown, "Unknown");
  EXPECT_EQ(kReplaceTerminatingOrFailed, "TerminatingOrFailed");
  EXPECT_EQ(kReplaceFailed, "Failed");
}

// Refused when written; once stored, they survive reading, defaulting and status writes.
TEST(JobSchema, J22_UnknownEnumValues) {
  Job job = testing::minimal_job();
  testing::add_exit_code_rule(job, "Explode", "Around");
  EXPECT_EQ(testing::create_errors(job).size(), 2U);

  const Job stored = testing::created(job);
  EXPECT_EQ(stored.spec().pod_failure_policy().rules(0).action(), "Explode");
  EXPECT_EQ(stored.spec().pod_failure_policy().rules(0).on_exit_codes().operator_(), "Around");
  Job running = stored;
  running.mutable_status()->set_active(1);
  EXPECT_EQ(testing::status_errors(stored, running), testing::Texts{});
}

TEST(JobSchema, J30_Conditions) {
  expect_round_trip("status", "conditions",
                    R"([{"type":"Failed","status":"True","lastProbeTime":null,)"
                    R"("lastTransitionTime":"2024-01-02T03:04:05Z","reason":"R","message":"M"}])");
  expect_absent("conditions");
}

TEST(JobSchema, J31_TimesAreRfc3339InUtc) {
  expect_round_trip("status", "startTime", "\"2024-01-02T03:04:05Z\"");
  Job job;
  ASSERT_TRUE(decode_json(R"({"status":{"completionTime":"2024-01-02T03:04:05.9+01:00"}})", job));
  EXPECT_NE(to_json(job).find("\"completionTime\":\"2024-01-02T02:04:05Z\""), std::string::npos)
      << to_json(job);
}

TEST(JobSchema, J32_CountersAreOmittedWhenZero) {
  for (const std::string_view name : {"active", "succeeded", "failed"}) {
    expect_round_trip("status", name, "3");
    Job job;
    ASSERT_TRUE(decode_json("{\"status\":{\"" + std::string(name) + "\":0}}", job));
    EXPECT_EQ(to_json(job), to_json(Job()));
  }
}

TEST(JobSchema, J33_TerminatingAndReadyKeepZero) {
  for (const std::string_view name : {"terminating", "ready"}) {
    expect_absent(name);
    expect_round_trip("status", name, "0");
    expect_round_trip("status", name, "3");
  }
}

TEST(JobSchema, J34_EmptyFailedIndexesDifferFromNull) {
  expect_absent("failedIndexes");
  expect_round_trip("status", "failedIndexes", "\"\"");
  expect_round_trip("status", "completedIndexes", "\"0-3,7\"");
  Job job;
  ASSERT_TRUE(decode_json(R"({"status":{"completedIndexes":""}})", job));
  EXPECT_EQ(to_json(job), to_json(Job()));
}

TEST(JobSchema, J35_UncountedTerminatedPods) {
  expect_absent("uncountedTerminatedPods");
  expect_round_trip("status", "uncountedTerminatedPods", "{}");
  expect_round_trip("status", "uncountedTerminatedPods", R"({"succeeded":["a"],"failed":["b"]})");
}

TEST(JobSchema, J36_ConditionTypesAndReasons) {
  EXPECT_EQ(kJobSuspended, "Suspended");
  EXPECT_EQ(kJobComplete, "Complete");
  EXPECT_EQ(kJobFailed, "Failed");
  EXPECT_EQ(kJobFailureTarget, "FailureTarget");
  EXPECT_EQ(kJobSuccessCriteriaMet, "SuccessCriteriaMet");
  const std::vector<std::string_view> reasons(kJobReasons.begin(), kJobReasons.end());
  EXPECT_EQ(reasons, (std::vector<std::string_view>{
                         "PodFailurePolicy", "BackoffLimitExceeded", "DeadlineExceeded",
                         "MaxFailedIndexesExceeded", "FailedIndexes", "SuccessPolicy",
                         "CompletionsReached", "JobSuspended", "JobResumed"}));
}

TEST(JobSchema, J37_WellKnownKeys) {
  EXPECT_EQ(kLegacyJobNameLabel, "job-name");
  EXPECT_EQ(kLegacyControllerUidLabel, "controller-uid");
  EXPECT_EQ(kJobNameLabel, "batch.kubernetes.io/job-name");
  EXPECT_EQ(kControllerUidLabel, "batch.kubernetes.io/controller-uid");
  EXPECT_EQ(kCompletionIndexKey, "batch.kubernetes.io/job-completion-index");
  EXPECT_EQ(kIndexFailureCountAnnotation, "batch.kubernetes.io/job-index-failure-count");
  EXPECT_EQ(kIndexIgnoredFailureCountAnnotation,
            "batch.kubernetes.io/job-index-ignored-failure-count");
  EXPECT_EQ(kCronJobTimestampAnnotation, "batch.kubernetes.io/cronjob-scheduled-timestamp");
  EXPECT_EQ(kJobTrackingFinalizer, "batch.kubernetes.io/job-tracking");
  EXPECT_EQ(kBuiltInJobController, "kubernetes.io/job-controller");
}

TEST(JobSchema, J153_DiscoveryNames) {
  const Kind& kind = kinds::job();
  EXPECT_EQ(kind.api_version(), "batch/v1");
  EXPECT_EQ(kind.plural, "jobs");
  EXPECT_EQ(kind.singular, "job");
  EXPECT_TRUE(kind.namespaced);
  EXPECT_TRUE(kind.short_names.empty());
  EXPECT_EQ(kind.categories, std::vector<std::string_view>{"all"});
}

TEST(JobSchema, J154_ProtobufAndJsonKeepTheSameDistinctions) {
  Job absent;
  absent.mutable_status()->set_active(0);
  Job zero;
  zero.mutable_status()->set_ready(0);
  zero.mutable_status()->set_terminating(0);
  zero.mutable_status()->set_failed_indexes("");
  for (const Job& job : {absent, zero}) {
    Job again;
    ASSERT_TRUE(decode_protobuf(encode_protobuf(job), again).has_value());
    EXPECT_EQ(again.status().has_ready(), job.status().has_ready());
    EXPECT_EQ(again.status().has_terminating(), job.status().has_terminating());
    EXPECT_EQ(again.status().has_failed_indexes(), job.status().has_failed_indexes());
    EXPECT_FALSE(again.status().has_active());
    Job from_json;
    ASSERT_TRUE(decode_json(to_json(job), from_json).has_value());
    EXPECT_EQ(from_json.status().has_ready(), job.status().has_ready());
    EXPECT_EQ(from_json.status().has_terminating(), job.status().has_terminating());
    EXPECT_EQ(from_json.status().has_failed_indexes(), job.status().has_failed_indexes());
  }
}

}  // namespace
}  // namespace windlass::api
