// The checks themselves: each accepts a sound write, and names the invariant that a planted
// violation breaks. Without these, a check that never fires would look like an engine without bugs.
#include "verify/engine/invariants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/status/conditions.h"

namespace windlass::engine::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

JobView indexed_job() {
  JobView job;
  job.uid = "job";
  job.spec.mode = CompletionMode::indexed;
  job.spec.completions = 3;
  job.spec.parallelism = 2;
  return job;
}

PodView pod_of(int64_t index, Phase phase) {
  PodView pod;
  pod.uid = "uid-" + std::to_string(index);
  pod.name = "pod-" + std::to_string(index);
  pod.phase = phase;
  pod.completion_index = std::to_string(index);
  pod.has_finalizer = true;
  return pod;
}

Condition condition(std::string_view type) {
  Condition made;
  made.type = std::string(type);
  made.status = ConditionStatus::is_true;
  return made;
}

TEST(CheckCreate, A1_A3_A5_A6_T6_EachViolationIsNamed) {
  PodPlan plan;
  plan.index = 1;
  const Pods one = {{"pod-0", pod_of(0, Phase::running)}};
  EXPECT_THAT(check_create(indexed_job(), {}, one, plan), IsEmpty());

  JobView narrow = indexed_job();
  narrow.spec.parallelism = 1;
  EXPECT_THAT(check_create(narrow, {}, one, plan), ElementsAre(StartsWith("A1:")));

  JobView done = indexed_job();
  done.status.completed_indexes = std::string("1");
  EXPECT_THAT(check_create(done, {}, one, plan), ElementsAre(StartsWith("A3:")));

  JobView suspended = indexed_job();
  suspended.spec.suspend = true;
  EXPECT_THAT(check_create(suspended, {}, one, plan), ElementsAre(StartsWith("A5:")));

  JobView deleting = indexed_job();
  deleting.deleting = true;
  EXPECT_THAT(check_create(deleting, {}, one, plan), ElementsAre(StartsWith("A6:")));

  JobView decided = indexed_job();
  decided.status.conditions = {condition(kTypeFailureTarget)};
  EXPECT_THAT(check_create(decided, {}, one, plan), ElementsAre(StartsWith("T6:")));
}

TEST(CheckCreate, A2_ASecondPodOfAnIndex) {
  PodPlan plan;
  plan.index = 0;
  EXPECT_THAT(check_create(indexed_job(), {}, {{"pod-0", pod_of(0, Phase::running)}}, plan),
              ElementsAre(StartsWith("A2:")));
}

TEST(CheckRelease, C10_WhatIsNotStoredMayNotBeReleased) {
  JobView job = indexed_job();
  EXPECT_THAT(check_release(job, {}, pod_of(0, Phase::failed)), ElementsAre(StartsWith("C10:")));
  EXPECT_THAT(check_release(job, {}, pod_of(0, Phase::succeeded)), ElementsAre(StartsWith("C10:")));
  job.status.uncounted = UncountedPods{.succeeded = {}, .failed = {"uid-0"}};
  job.status.completed_indexes = std::string("1");
  EXPECT_THAT(check_release(job, {}, pod_of(0, Phase::failed)), IsEmpty());
  EXPECT_THAT(check_release(job, {}, pod_of(1, Phase::succeeded)), IsEmpty());
}

TEST(CheckDecided, P6_AVerdictIsStoredBeforePodsGo) {
  Decision decision;
  auto write = std::make_shared<StatusWrite>();
  write->status.conditions = {condition(kTypeFailureTarget)};
  decision.status = write;
  EXPECT_THAT(check_decided(indexed_job(), decision), IsEmpty());
  decision.creates.emplace_back();
  EXPECT_THAT(check_decided(indexed_job(), decision), ElementsAre(StartsWith("P6:")));
}

TEST(CheckStatus, C3_T3_T4_EachViolationIsNamed) {
  JobView job = indexed_job();
  JobStatus next;
  next.succeeded = 1;
  next.completed_indexes = std::string("0,2");
  EXPECT_THAT(check_status(job, {}, {}, next), ::testing::Contains(StartsWith("C3:")));

  JobStatus ended;
  ended.conditions = {condition(kTypeFailed)};
  const auto broken = check_status(job, {}, {{"pod-0", pod_of(0, Phase::running)}}, ended);
  EXPECT_THAT(broken, ::testing::Contains(StartsWith("T3:")));
  EXPECT_THAT(broken, ::testing::Contains(StartsWith("T4:")));
}

}  // namespace
}  // namespace windlass::engine::testing
