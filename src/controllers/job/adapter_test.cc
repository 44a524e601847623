#include "controllers/job/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json.h"
#include "api/pod/pod_testing.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::job {
namespace {

using api::batch::v1::Job;
using api::core::v1::Pod;
using api::testing::from_yaml;
using ::testing::ElementsAre;

Job job_with_policy(const std::string& policy) {
  Job job = from_yaml<Job>(R"(
spec:
  podFailurePolicy:
    rules:
    - {action: Ignore, name: Spot, onPodConditions: [{type: DisruptionTarget}]}
    - {action: Count, onExitCodes: {operator: In, values: [3]}}
)");
  (*job.mutable_metadata()->mutable_annotations())["windlass.dev/policy"] = policy;
  return job;
}

// job-controller.md 13.1.
TEST(ReadJob, R13_1_LimitsOfRules) {
  const engine::JobView view = read_job(job_with_policy(
      "rules: {Spot: {budget: 5, backoff: {base: 1s, cap: 4s}}, 1: {budget: 2, window: 1h}}"));
  EXPECT_FALSE(view.policy_error);
  const auto& rules = *view.spec.failure_policy;
  EXPECT_EQ(
      rules[0].limits,
      (engine::RuleLimits{5, {}, false, engine::RuleLimits::Backoff{seconds(1), seconds(4)}}));
  EXPECT_EQ(rules[1].limits, (engine::RuleLimits{2, hours(1), false, {}}));
}

// 13.1, 13.6: nothing, or all of it.
TEST(ReadJob, R13_6_PoliciesThatLimitNothing) {
  const engine::JobView empty = read_job(job_with_policy("{}"));
  EXPECT_FALSE(empty.policy_error);
  EXPECT_FALSE((*empty.spec.failure_policy)[0].limits);
  const engine::JobView wrong = read_job(job_with_policy("rules: {Spot: {budget: 1}, 7: {}}"));
  EXPECT_TRUE(wrong.policy_error);
  EXPECT_FALSE((*wrong.spec.failure_policy)[0].limits);
}

TEST(ReadJob, WholeSpec) {
  const engine::JobView view = read_job(from_yaml<Job>(R"(
metadata:
  {name: j, namespace: ns, uid: u, resourceVersion: "17", generation: 3,
   annotations: {windlass.dev/job-record: r, windlass.dev/completed-indexes: "0,1"}}
spec:
  parallelism: 2
  completions: 5
  completionMode: Indexed
  backoffLimit: 9
  backoffLimitPerIndex: 1
  maxFailedIndexes: 4
  activeDeadlineSeconds: 60
  suspend: true
  podReplacementPolicy: Failed
  managedBy: example.com/x
  podFailurePolicy:
    rules:
    - {action: FailJob, name: fatal, onExitCodes: {containerName: c, operator: In, values: [1, 2]}}
    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}, {type: X, status: "False"}]}
    - {action: Whatever, onExitCodes: {operator: Near, values: [3]}}
  successPolicy: {rules: [{succeededIndexes: 0-2, succeededCount: 2}, {succeededCount: 3}]}
  template: {spec: {restartPolicy: OnFailure, containers: []}}
)"));
  EXPECT_EQ(view.uid, "u");
  EXPECT_EQ(view.namespace_name, "ns");
  EXPECT_EQ(view.completed_at_start, "0,1");
  EXPECT_EQ(view.name, "j");
  EXPECT_EQ(view.rv, 17u);
  EXPECT_EQ(view.generation, 3);
  EXPECT_FALSE(view.deleting);
  EXPECT_EQ(view.record, "r");
  const engine::JobSpec& spec = view.spec;
  EXPECT_EQ(spec.parallelism, 2);
  EXPECT_EQ(spec.completions, 5);
  EXPECT_EQ(spec.mode, engine::CompletionMode::indexed);
  EXPECT_EQ(spec.backoff_limit, 9);
  EXPECT_EQ(spec.backoff_limit_per_index, 1);
  EXPECT_EQ(spec.max_failed_indexes, 4);
  EXPECT_EQ(spec.active_deadline_seconds, 60);
  EXPECT_TRUE(spec.suspend);
  EXPECT_TRUE(spec.replace_only_failed);
  EXPECT_TRUE(spec.restart_on_failure);
  EXPECT_EQ(spec.managed_by, "example.com/x");
  ASSERT_EQ(spec.failure_policy->size(), 3u);
  const auto& rules = *spec.failure_policy;
  EXPECT_EQ(rules[0].action, engine::Action::fail_job);
  EXPECT_EQ(rules[0].name, "fatal");
  EXPECT_EQ(rules[0].on_exit_codes->container_name, "c");
  EXPECT_EQ(rules[0].on_exit_codes->op, engine::Operator::in);
  EXPECT_THAT(rules[0].on_exit_codes->values, ElementsAre(1, 2));
  EXPECT_EQ(rules[1].action, engine::Action::ignore);
  EXPECT_EQ(rules[1].on_pod_conditions[0].status, engine::ConditionStatus::is_true);
  EXPECT_EQ(rules[1].on_pod_conditions[1].status, engine::ConditionStatus::is_false);
  EXPECT_EQ(rules[2].action, engine::Action::unknown);
  EXPECT_EQ(rules[2].on_exit_codes->op, engine::Operator::unknown);
  ASSERT_EQ(spec.success_policy->size(), 2u);
  EXPECT_EQ((*spec.success_policy)[0].succeeded_indexes, "0-2");
  EXPECT_FALSE((*spec.success_policy)[1].succeeded_indexes);
}

TEST(ReadJob, AbsentFieldsAreAbsent) {
  const engine::JobView view = read_job(from_yaml<Job>("{metadata: {name: j}}"));
  EXPECT_FALSE(view.spec.completions);
  EXPECT_EQ(view.spec.mode, engine::CompletionMode::non_indexed);
  EXPECT_FALSE(view.spec.failure_policy);
  EXPECT_FALSE(view.spec.success_policy);
  EXPECT_FALSE(view.status.ready);
  EXPECT_FALSE(view.status.failed_indexes);
  EXPECT_FALSE(view.status.uncounted);
  EXPECT_EQ(view.rv, 0u);
  EXPECT_EQ(read_job(from_yaml<Job>("{spec: {completionMode: Other, template: {}}}")).spec.mode,
            engine::CompletionMode::unknown);
}

TEST(WithStatus, RoundTripsThroughTheMessage) {
  const Job job = from_yaml<Job>(R"(
metadata: {name: j, resourceVersion: "5", labels: {a: b}, annotations: {c: d}}
spec: {template: {}}
status: {active: 7, conditions: [{type: Suspended, status: "True"}]}
)");
  engine::StatusWrite write;
  write.base_rv = 5;
  write.record = "remember";
  engine::JobStatus& status = write.status;
  const Time t = time_from_unix(1704067200);
  status.conditions = {{"FailureTarget", engine::ConditionStatus::is_true, t, t, "R", "M"}};
  status.start_time = t;
  status.completion_time = t + seconds(1);
  status.succeeded = 1;
  status.failed = 2;
  status.ready = 0;
  status.terminating = 0;
  status.completed_indexes = "0-2";
  status.failed_indexes = "";
  status.uncounted = engine::UncountedPods{{"s"}, {"f1", "f2"}};
  const auto changed = with_status(job, write);
  EXPECT_EQ(read_job(*changed).status, status);
  EXPECT_EQ(read_job(*changed).record, "remember");
  Job again = static_cast<const Job&>(*changed);
  again.mutable_metadata()->set_uid("another");
  EXPECT_EQ(read_job(again).record, "") << "10.1: a Job that is made from it starts anew";
  EXPECT_EQ(static_cast<const Job&>(*changed).metadata().labels().at("a"), "b");
  EXPECT_EQ(static_cast<const Job&>(*changed).metadata().annotations().at("c"), "d");
  EXPECT_EQ(static_cast<const Job&>(*changed).metadata().resource_version(), "5");
  EXPECT_FALSE(static_cast<const Job&>(*changed).status().has_active());
}

TEST(WithStatus, AConditionOfAnotherClientGoesBackAsItCame) {
  const Job job = from_yaml<Job>(
      "{metadata: {name: j}, status: {conditions: [{type: example.com/a, status: Maybe}, {type: "
      "example.com/b, status: ''}, {type: example.com/c, status: Unknown}]}}");
  engine::StatusWrite write;
  write.status = read_job(job).status;
  const auto changed = with_status(job, write);
  const auto& conditions = static_cast<const Job&>(*changed).status().conditions();
  ASSERT_EQ(conditions.size(), 3);
  EXPECT_EQ(conditions[0].status(), "Maybe");
  EXPECT_EQ(conditions[1].status(), "");
  EXPECT_EQ(conditions[2].status(), "Unknown");
}

TEST(ReadPod, WhatTheEngineLooksAt) {
  const engine::PodView view = read_pod(from_yaml<Pod>(R"(
metadata:
  name: p
  uid: u
  resourceVersion: "9"
  creationTimestamp: "2024-01-01T00:00:00Z"
  deletionTimestamp: "2024-01-01T00:00:30Z"
  deletionGracePeriodSeconds: 30
  finalizers: [other, batch.kubernetes.io/job-tracking]
  annotations:
    batch.kubernetes.io/job-completion-index: "3"
    batch.kubernetes.io/job-index-failure-count: "1"
    windlass.dev/dropped: "true"
spec:
  nodeName: n1
  containers: []
  initContainers: [{name: s, restartPolicy: Always}, {name: i}]
status:
  phase: Failed
  conditions: [{type: DisruptionTarget, status: "True", lastTransitionTime: "2024-01-01T00:00:10Z"}]
  initContainerStatuses: [{name: s, restartCount: 4}, {name: i}]
  containerStatuses:
  - {name: c, state: {terminated: {exitCode: 42, finishedAt: "2024-01-01T00:00:20Z"}}}
)"),
                                        engine::kTrackingFinalizer);
  EXPECT_EQ(view.uid, "u");
  EXPECT_EQ(view.rv, 9u);
  EXPECT_EQ(view.phase, engine::Phase::failed);
  EXPECT_EQ(view.created, time_from_unix(1704067200));
  EXPECT_EQ(view.deletion_time, time_from_unix(1704067230));
  EXPECT_EQ(view.deletion_grace_seconds, 30);
  EXPECT_TRUE(view.has_finalizer);
  EXPECT_TRUE(view.has_node);
  EXPECT_TRUE(view.dropped);
  EXPECT_EQ(view.completion_index, "3");
  EXPECT_EQ(view.failure_count, "1");
  EXPECT_FALSE(view.ignored_failure_count);
  ASSERT_EQ(view.conditions.size(), 1u);
  EXPECT_EQ(view.conditions[0].last_transition, time_from_unix(1704067210));
  ASSERT_EQ(view.containers.size(), 3u);
  EXPECT_EQ(view.containers[0].name, "c");
  EXPECT_EQ(view.containers[0].exit_code, 42);
  EXPECT_EQ(view.containers[0].finished_at, time_from_unix(1704067220));
  EXPECT_TRUE(view.containers[1].sidecar);
  EXPECT_EQ(view.containers[1].restarts, 4);
  EXPECT_TRUE(view.containers[2].init);
  EXPECT_FALSE(view.containers[2].sidecar);
}

// Another cluster's pods are read through the outline: nothing of what is looked at may be missing.
TEST(ReadPod, TheOutlineHasAllOfIt) {
  const Pod whole = from_yaml<Pod>(R"(
metadata:
  name: p
  generateName: p-
  namespace: ns
  uid: u
  resourceVersion: "9"
  creationTimestamp: "2024-01-01T00:00:00Z"
  deletionTimestamp: "2024-01-01T00:00:30Z"
  deletionGracePeriodSeconds: 30
  finalizers: [batch.kubernetes.io/job-tracking]
  labels: {a: b}
  annotations:
    batch.kubernetes.io/job-completion-index: "3"
    batch.kubernetes.io/job-index-failure-count: "1"
    batch.kubernetes.io/job-index-ignored-failure-count: "2"
    windlass.dev/dropped: "true"
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: ju, controller: true}]
  managedFields: [{manager: m}]
spec:
  nodeName: n1
  containers: [{name: c, image: i}]
  initContainers: [{name: s, image: i, restartPolicy: Always}, {name: i}]
status:
  phase: Failed
  message: m
  conditions:
  - {type: A, status: "True", reason: r, message: m, lastTransitionTime: "2024-01-01T00:00:10Z"}
  - {type: B, status: "False"}
  initContainerStatuses:
  - {name: s, restartCount: 4, image: i, state: {running: {startedAt: "2024-01-01T00:00:10Z"}}}
  - {name: i, state: {terminated: {exitCode: 0}}}
  containerStatuses:
  - name: c
    image: i
    imageID: i
    restartCount: 1
    lastState: {terminated: {exitCode: 7}}
    state: {terminated: {exitCode: 42, reason: r, finishedAt: "2024-01-01T00:00:20Z"}}
)");
  const std::string bytes = whole.SerializeAsString();
  const std::string less = api::apply_outline(bytes, pod_outline());
  EXPECT_LT(less.size(), bytes.size());
  Pod outlined;
  ASSERT_TRUE(outlined.ParseFromString(less));
  EXPECT_EQ(read_pod(outlined, engine::kTrackingFinalizer),
            read_pod(whole, engine::kTrackingFinalizer));
  EXPECT_EQ(owner_job_uid(outlined), "ju");
  EXPECT_EQ(owner_job_name(outlined), "j");
  EXPECT_FALSE(has_foreign_owner(outlined));
  EXPECT_EQ(outlined.metadata().namespace_(), "ns");
  EXPECT_EQ(outlined.metadata().labels().at("a"), "b");
}

TEST(ReadPod, H112_R6_8_StatusesOfConditions) {
  const auto status = [](const char* text) {
    Pod pod;
    pod.mutable_status()->add_conditions()->set_status(text);
    return read_pod(pod, engine::kTrackingFinalizer).conditions.front().status;
  };
  EXPECT_EQ(status("True"), engine::ConditionStatus::is_true);
  EXPECT_EQ(status("False"), engine::ConditionStatus::is_false);
  EXPECT_EQ(status("Unknown"), engine::ConditionStatus::unknown);
  EXPECT_EQ(status(""), engine::ConditionStatus::other);
  EXPECT_EQ(status("true"), engine::ConditionStatus::other);
}

TEST(ReadPod, Phases) {
  const auto phase = [](const char* text) {
    Pod pod;
    pod.mutable_status()->set_phase(text);
    return read_pod(pod, engine::kTrackingFinalizer).phase;
  };
  EXPECT_EQ(phase(""), engine::Phase::pending);
  EXPECT_EQ(phase("Running"), engine::Phase::running);
  EXPECT_EQ(phase("Succeeded"), engine::Phase::succeeded);
  EXPECT_EQ(phase("Unknown"), engine::Phase::unknown);
  EXPECT_EQ(phase("Odd"), engine::Phase::unknown);
}

TEST(OwnerJob, OnlyTheControllerCounts) {
  const auto owner = [](const char* reference) {
    return owner_job_uid(
        from_yaml<Pod>(std::string("{metadata: {ownerReferences: [") + reference + "]}}"));
  };
  EXPECT_EQ(owner("{kind: Job, name: j, uid: u, controller: true}"), "u");
  EXPECT_EQ(owner("{kind: Job, name: j, uid: u}"), "");
  EXPECT_EQ(owner("{kind: CronJob, name: j, uid: u, controller: true}"), "");
  EXPECT_EQ(owner(""), "");
}

TEST(OwnerJob, Rule1_37_JobsOfOtherGroupsAreForeign) {
  const auto foreign = [](const char* reference) {
    return has_foreign_owner(
        from_yaml<Pod>(std::string("{metadata: {ownerReferences: [") + reference + "]}}"));
  };
  EXPECT_FALSE(foreign("{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}"));
  EXPECT_FALSE(foreign("{apiVersion: apps/v1, kind: ReplicaSet, name: j, uid: u}"));
  EXPECT_FALSE(foreign(""));
  EXPECT_TRUE(foreign("{apiVersion: batch/v1, kind: CronJob, name: j, uid: u, controller: true}"));
  EXPECT_TRUE(
      foreign("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: "
              "true}"));
}

Job indexed_job() {
  return from_yaml<Job>(R"(
metadata: {name: j, namespace: ns, uid: u}
spec:
  template:
    metadata: {name: ignored, labels: {l: "1"}, annotations: {a: "2"}, finalizers: [f]}
    spec:
      hostname: own
      restartPolicy: Never
      initContainers: [{name: i, image: x}]
      containers:
      - {name: c, image: x, env: [{name: A, value: b}]}
      - {name: d, image: x, env: [{name: JOB_COMPLETION_INDEX, value: mine}]}
)");
}

TEST(MakePod, Section4_Indexed) {
  engine::PodPlan plan = engine::plan_indexed_pod("j", 7);
  engine::annotate_failures(plan, {2, 1});
  const auto message = make_pod(indexed_job(), plan, engine::kTrackingFinalizer);
  const Pod& pod = static_cast<const Pod&>(*message);
  EXPECT_EQ(pod.metadata().namespace_(), "ns");
  EXPECT_EQ(pod.metadata().name(), "");
  EXPECT_EQ(pod.metadata().generate_name(), "j-7-");
  EXPECT_EQ(pod.metadata().labels().at("l"), "1");
  EXPECT_EQ(pod.metadata().labels().at("batch.kubernetes.io/job-completion-index"), "7");
  const auto& annotations = pod.metadata().annotations();
  EXPECT_EQ(annotations.at("a"), "2");
  EXPECT_EQ(annotations.at("batch.kubernetes.io/job-completion-index"), "7");
  EXPECT_EQ(annotations.at("batch.kubernetes.io/job-index-failure-count"), "2");
  EXPECT_EQ(annotations.at("batch.kubernetes.io/job-index-ignored-failure-count"), "1");
  EXPECT_THAT(pod.metadata().finalizers(), ElementsAre("f", "batch.kubernetes.io/job-tracking"));
  EXPECT_EQ(pod.spec().hostname(), "j-7");
  EXPECT_EQ(api::to_json(pod.metadata().owner_references(0)),
            R"({"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u","controller":true,)"
            R"("blockOwnerDeletion":true})");
  const std::string variable =
      R"({"name":"JOB_COMPLETION_INDEX","valueFrom":{"fieldRef":{"fieldPath":)"
      R"("metadata.labels['batch.kubernetes.io/job-completion-index']"}}})";
  EXPECT_EQ(api::to_json(pod.spec().init_containers(0).env(0)), variable);
  ASSERT_EQ(pod.spec().containers(0).env_size(), 2);
  EXPECT_EQ(api::to_json(pod.spec().containers(0).env(1)), variable);
}

TEST(MakePod, F74_AnIndexVariableOfTheUsersIsNotOverwritten) {
  const auto message =
      make_pod(indexed_job(), engine::plan_indexed_pod("j", 7), engine::kTrackingFinalizer);
  const auto& containers = static_cast<const Pod&>(*message).spec().containers();
  ASSERT_EQ(containers[1].env_size(), 1);
  EXPECT_EQ(containers[1].env(0).name(), "JOB_COMPLETION_INDEX");
  EXPECT_EQ(containers[1].env(0).value(), "mine");
  EXPECT_EQ(containers[0].env_size(), 2) << "the other container has none of its own";
}

TEST(MakePod, Section4_12_NonIndexedPodsGetNoneOfThat) {
  const auto message = make_pod(indexed_job(), engine::plan_pod("j"), engine::kTrackingFinalizer);
  const Pod& pod = static_cast<const Pod&>(*message);
  EXPECT_EQ(pod.metadata().generate_name(), "j-");
  EXPECT_EQ(pod.spec().hostname(), "own");
  EXPECT_EQ(pod.metadata().annotations().size(), 1u);
  EXPECT_EQ(pod.spec().init_containers(0).env_size(), 0);
}

TEST(MakePod, Section4_7_TheFinalizerIsNotDoubled) {
  Job job = indexed_job();
  job.mutable_spec()->mutable_template_()->mutable_metadata()->add_finalizers(
      std::string(engine::kTrackingFinalizer));
  const auto pod = make_pod(job, engine::plan_pod("j"), engine::kTrackingFinalizer);
  EXPECT_THAT(api::metadata_of(*pod).finalizers(),
              ElementsAre("f", "batch.kubernetes.io/job-tracking"));
}

TEST(TrackingFinalizer, OnlyOursIsRemoved) {
  Pod pod = from_yaml<Pod>("{metadata: {finalizers: [a, batch.kubernetes.io/job-tracking, b]}}");
  EXPECT_TRUE(remove_tracking_finalizer(pod, engine::kTrackingFinalizer));
  EXPECT_THAT(pod.metadata().finalizers(), ElementsAre("a", "b"));
  EXPECT_FALSE(remove_tracking_finalizer(pod, engine::kTrackingFinalizer));
}

}  // namespace
}  // namespace windlass::controllers::job
