#include "evidence/attempt_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json.h"
#include "api/pod/pod_testing.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::evidence {
namespace {

using api::core::v1::Pod;
using api::ledger::v1::Attempt;
using controllers::job::AttemptEnd;
using controllers::job::AttemptVerdict;
using ::testing::HasSubstr;

AttemptEnd end_with(const std::string& pod_yaml, std::optional<AttemptVerdict> verdict = {}) {
  const auto pod = std::make_shared<Pod>(api::testing::from_yaml<Pod>(pod_yaml));
  return {pod, pod->metadata().uid(), "train", "job-uid", 0, std::move(verdict)};
}

std::string json_of(const Attempt& attempt) {
  std::string out;
  api::encode_json(attempt, {}, api::JsonStyle{}, out);
  return out;
}

constexpr const char* kFailedPod =
    "{metadata: {name: train-3-abcde, namespace: ml, uid: pod-uid,"
    " creationTimestamp: '2026-01-01T10:00:00Z',"
    " annotations: {batch.kubernetes.io/job-completion-index: '3',"
    "               batch.kubernetes.io/job-index-failure-count: '2',"
    "               batch.kubernetes.io/job-index-ignored-failure-count: '1'}},"
    " spec: {nodeName: n1, initContainers: [{name: setup, image: i0}],"
    "   containers: [{name: main, image: i1, resources: {requests: {cpu: 500m},"
    "                                                    limits: {memory: 1Gi}}}]},"
    " status: {phase: Failed, conditions: ["
    "   {type: PodScheduled, status: 'True', lastTransitionTime: '2026-01-01T10:00:01Z'}],"
    "  initContainerStatuses: [{name: setup, state: {terminated: {exitCode: 0, reason: Completed,"
    "    startedAt: '2026-01-01T10:00:02Z', finishedAt: '2026-01-01T10:00:03Z'}}}],"
    "  containerStatuses: [{name: main, restartCount: 4, state: {terminated: {exitCode: 137,"
    "    reason: OOMKilled, message: no memory,"
    "    startedAt: '2026-01-01T10:00:04Z', finishedAt: '2026-01-01T10:00:09Z'}}}]}}";

TEST(AttemptBuilder, TellsTheWholePod) {
  AttemptEvidence evidence;
  evidence.log = LogTail{"last line\n", false, ""};
  evidence.log_bytes = 100;
  evidence.number = 4;
  const auto attempt = build_attempt(
      end_with(kFailedPod,
               AttemptVerdict{engine::Counted::failed, 1, "memory", "FailIndex", "main"}),
      evidence, [](const std::string& pod, const std::string& container) {
        return pod == "pod-uid" && container == "main" ? std::optional(ContainerUsage{1000, 2000})
                                                       : std::nullopt;
      });
  EXPECT_EQ(json_of(*attempt),
            json_of(api::testing::from_yaml<Attempt>(
                "{metadata: {namespace: ml, name: pod-uid}, job: {name: train, uid: job-uid},"
                " index: 3, number: 4, podName: train-3-abcde, nodeName: n1, phase: Failed,"
                " createdAt: '2026-01-01T10:00:00Z', scheduledAt: '2026-01-01T10:00:01Z',"
                " startedAt: '2026-01-01T10:00:02Z', endedAt: '2026-01-01T10:00:09Z',"
                " containers: [{name: setup, image: i0, init: true, exitCode: 0, reason: Completed,"
                "   startedAt: '2026-01-01T10:00:02Z', finishedAt: '2026-01-01T10:00:03Z'},"
                "  {name: main, image: i1, exitCode: 137, signal: 9, reason: OOMKilled,"
                "   oomKilled: true, restarts: 4, message: no memory,"
                "   startedAt: '2026-01-01T10:00:04Z', finishedAt: '2026-01-01T10:00:09Z',"
                "   requests: {cpu: 500m}, limits: {memory: 1Gi},"
                "   peakMemoryBytes: 1000, cpuMicroseconds: 2000}],"
                " verdict: {counted: Failed, rule: 1, ruleName: memory, action: FailIndex},"
                " decidingContainer: main, log: {tail: \"last line\\n\"}}")));
}

TEST(AttemptBuilder, OfAPodWithoutAnEndNothingIsMadeUp) {
  const auto attempt = build_attempt(
      end_with("{metadata: {name: p, namespace: ml, uid: u}, spec: {containers: [{name: c}]},"
               " status: {phase: Pending, containerStatuses: [{name: c,"
               "   state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}}"),
      {});
  EXPECT_EQ(attempt->phase(), "Unknown");
  EXPECT_FALSE(attempt->has_ended_at());
  EXPECT_FALSE(attempt->has_started_at());
  EXPECT_FALSE(attempt->has_index());
  EXPECT_FALSE(attempt->has_verdict());
  EXPECT_FALSE(attempt->containers(0).has_exit_code());
  EXPECT_EQ(attempt->containers(0).reason(), "ImagePullBackOff");
  EXPECT_EQ(attempt->containers(0).message(), "no such image");
}

TEST(AttemptBuilder, TellsWhoSetTheDisruption) {
  const auto attempt = build_attempt(
      end_with("{metadata: {name: p, namespace: ml, uid: u, managedFields: ["
               "  {manager: kubelet, operation: Update, subresource: status, fieldsType: FieldsV1,"
               "   fieldsV1: {'f:status': {'f:phase': {}}}},"
               "  {manager: descheduler, operation: Update, subresource: status,"
               "   fieldsType: FieldsV1, fieldsV1: {'f:status': {'f:conditions':"
               "     {'k:{\"type\":\"DisruptionTarget\"}': {'f:reason': {}}}}}}]},"
               " status: {phase: Failed, conditions: [{type: DisruptionTarget, status: 'True',"
               "   reason: EvictionByEvictionAPI, message: moved,"
               "   lastTransitionTime: '2026-01-01T10:00:01Z'}]}}"),
      {});
  EXPECT_EQ(attempt->disruption().reason(), "EvictionByEvictionAPI");
  EXPECT_EQ(attempt->disruption().message(), "moved");
  EXPECT_EQ(attempt->disruption().set_by(), "descheduler");
  EXPECT_TRUE(attempt->disruption().has_at());
}

TEST(AttemptBuilder, TakesTheValuesOfSecretsOutOfAllText) {
  AttemptEvidence evidence;
  evidence.redactor = Redactor({"hunter2"});
  evidence.log = LogTail{"ter2\nlogin with hunter2\n", true, ""};
  evidence.log_bytes = 100;
  const auto attempt = build_attempt(
      end_with("{metadata: {name: p, namespace: ml, uid: u}, spec: {containers: [{name: c}]},"
               " status: {phase: Failed, message: bad hunter2, containerStatuses: [{name: c,"
               "   state: {terminated: {exitCode: 1, message: hunter2 refused}}}]}}",
               AttemptVerdict{engine::Counted::failed, -1, "", "", "c"}),
      evidence);
  EXPECT_EQ(attempt->message(), "bad [redacted]");
  EXPECT_EQ(attempt->containers(0).message(), "[redacted] refused");
  EXPECT_EQ(attempt->log().tail(), "[redacted]\nlogin with [redacted]\n");
  EXPECT_TRUE(attempt->log().truncated());
}

TEST(AttemptBuilder, LeavesTextOutWhoseSecretsAreNotKnown) {
  AttemptEvidence evidence;
  evidence.withheld = "left out: why";
  evidence.log = LogTail{"secret", false, ""};
  evidence.log_bytes = 100;
  const auto attempt = build_attempt(
      end_with("{metadata: {name: p, namespace: ml, uid: u}, spec: {containers: [{name: c}]},"
               " status: {phase: Failed, containerStatuses: [{name: c,"
               "   state: {terminated: {exitCode: 1, message: secret}}}]}}"),
      evidence);
  EXPECT_EQ(json_of(*attempt).find("secret"), std::string::npos);
  EXPECT_EQ(attempt->log().error(), "left out: why");
  EXPECT_EQ(attempt->containers(0).message(), "left out: why");
}

TEST(AttemptBuilder, KeepsTheEndOfALogAsText) {
  AttemptEvidence evidence;
  evidence.log_bytes = 6;
  evidence.log = LogTail{std::string("0123\xc3\xa4"
                                     "a\xff\0b\n",
                                     11),
                         false, ""};
  const auto attempt =
      build_attempt(end_with("{metadata: {uid: u}, status: {phase: Failed}}"), evidence);
  EXPECT_EQ(attempt->log().tail(), "a??b\n");  // without the half of a character
  EXPECT_TRUE(attempt->log().truncated());
}

// safety.md F9
TEST(AttemptBuilder, F9_AHostilePodGivesARecordOfBoundedSize) {
  auto pod = std::make_shared<Pod>();
  pod->mutable_metadata()->set_uid("u");
  pod->mutable_status()->set_phase("Failed");
  pod->mutable_status()->set_message(std::string(1'000'000, 'm'));
  pod->mutable_status()->set_reason(std::string(1'000'000, 'r'));
  for (int i = 0; i < 5'000; ++i) {
    auto& spec = *pod->mutable_spec()->add_containers();
    spec.set_name("c" + std::to_string(i));
    spec.set_image(std::string(10'000, 'i'));
    for (int resource = 0; resource < 100; ++resource) {
      (*spec.mutable_resources()->mutable_requests())["example.com/r" + std::to_string(resource)];
    }
    auto& status = *pod->mutable_status()->add_container_statuses();
    status.set_name(spec.name());
    status.mutable_state()->mutable_terminated()->set_exit_code(1);
    status.mutable_state()->mutable_terminated()->set_message(std::string(100'000, 't'));
  }
  AttemptEvidence evidence;
  evidence.log_bytes = 16 * 1024;
  evidence.log = LogTail{std::string(5'000'000, 'l'), false, ""};
  AttemptVerdict verdict{engine::Counted::failed, 0, std::string(100'000, 'n'), "FailJob", "c4999"};
  const auto attempt =
      build_attempt({pod, "u", std::string(100'000, 'j'), "j", 0, verdict}, evidence);
  EXPECT_EQ(attempt->containers_size(), static_cast<int>(kMaxContainers));
  EXPECT_EQ(attempt->containers(kMaxContainers - 1).name(), "c4999");
  EXPECT_EQ(attempt->log().tail().size(), 16u * 1024);
  EXPECT_LE(attempt->ByteSizeLong(), 256u * 1024);
}

}  // namespace
}  // namespace windlass::evidence
