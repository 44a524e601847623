#include "engine/policy/backoff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace windlass::engine {
namespace {

const Time kNow = time_from_unix(1'800'000'000);

Time at(int64_t offset) {
  return kNow + seconds(offset);
}

TEST(Backoff, R7_1_M217_Delay) {
  const std::pair<int64_t, int64_t> cases[] = {{-1, 0},  {0, 0},   {1, 10},
                                               {2, 20},  {3, 40},  {6, 320},
                                               {7, 600}, {8, 600}, {1'000'000'000'000, 600}};
  for (const auto& [failures, expected] : cases) {
    EXPECT_EQ(backoff_delay(failures, {}), seconds(expected)) << failures;
  }
}

TEST(Backoff, R7_6_R7_7_M218_Record) {
  BackoffRecord record;
  EXPECT_EQ(record.failures(), 0);
  record.add_failure(at(1));
  record.add_failure(at(2));
  EXPECT_EQ(record.failures(), 2);
  EXPECT_EQ(record.ready_at({}), at(22));
  record.add_success(at(3));
  EXPECT_EQ(record.failures(), 0);
  record.add_failure(at(3));  // at the very time of the success
  EXPECT_EQ(record.failures(), 0);
  record.add_failure(at(4));
  record.add_failure(at(5));
  EXPECT_EQ(record.failures(), 2);
}

RC_GTEST_PROP(Backoff, OrderOfNewsDoesNotMatter, (std::vector<std::pair<int8_t, bool>> news)) {
  const auto fill = [](const auto& list) {
    BackoffRecord record;
    for (const auto& [offset, succeeded] : list) {
      succeeded ? record.add_success(at(offset)) : record.add_failure(at(offset));
    }
    return record;
  };
  const BackoffRecord forward = fill(news);
  std::reverse(news.begin(), news.end());
  // Bounded memory may forget the oldest failures, never the delay.
  RC_ASSERT(fill(news).ready_at({}) == forward.ready_at({}));
}

PodView with_container(std::optional<int64_t> finished, bool init = false, bool sidecar = false) {
  PodView pod;
  pod.created = at(-100);
  pod.containers.push_back({});
  ContainerView& container = pod.containers.back();
  container.init = init;
  container.sidecar = sidecar;
  container.terminated = finished.has_value();
  if (finished) {
    container.finished_at = at(*finished);
  }
  return pod;
}

TEST(FinishTime, R7_3_M219_FirstSourceThatKnows) {
  PodView pod = with_container(5);
  pod.containers.push_back(with_container(8).containers[0]);
  EXPECT_EQ(finish_time(pod), at(8));
  pod.containers.push_back(with_container(20, true).containers[0]);  // plain init: not looked at
  EXPECT_EQ(finish_time(pod), at(8));
  pod.containers.push_back(with_container(12, true, true).containers[0]);
  EXPECT_EQ(finish_time(pod), at(12));

  PodView running = with_container(std::nullopt);
  EXPECT_EQ(finish_time(running), at(-100));
  running.deletion_time = at(30);
  running.deletion_grace_seconds = 30;
  EXPECT_EQ(finish_time(running), at(0));
  running.conditions = {{"Ready", ConditionStatus::is_true, at(1)}};
  EXPECT_EQ(finish_time(running), at(0));
  running.conditions = {{"Ready", ConditionStatus::is_false, at(2)}};
  EXPECT_EQ(finish_time(running), at(2));
}

TEST(FinishTime, R7_3_AMarkedPodEndsWhenItIsMarked) {
  PodView lost = with_container(std::nullopt);
  lost.conditions = {{"Ready", ConditionStatus::is_true, at(-90)},
                     {"DisruptionTarget", ConditionStatus::is_true, at(7)}};
  EXPECT_EQ(finish_time(lost), at(7));
  lost.deletion_time = at(8);
  EXPECT_EQ(finish_time(lost), at(7));
  lost.conditions[0].status = ConditionStatus::is_false;  // it never was ready
  EXPECT_EQ(finish_time(lost), at(7));
  lost.conditions[0].last_transition = at(8);
  EXPECT_EQ(finish_time(lost), at(8));
  lost.conditions[1].status = ConditionStatus::is_false;  // the mark was taken back
  lost.conditions[0].status = ConditionStatus::is_true;
  lost.deletion_time.reset();
  EXPECT_EQ(finish_time(lost), at(-100));
}

TEST(FinishTime, D10_65_SidecarEndIsNotThePodsWhileAContainerRuns) {
  PodView pod = with_container(std::nullopt);
  pod.containers.push_back(with_container(9, true, true).containers[0]);
  EXPECT_EQ(finish_time(pod), at(-100));
}

TEST(FinishTime, HostileGracePeriod) {
  PodView pod;
  pod.deletion_time = at(0);
  pod.deletion_grace_seconds = 9'223'372'036'854'775'807;
  EXPECT_LT(finish_time(pod), at(0));
  pod.deletion_grace_seconds = -5;
  EXPECT_EQ(finish_time(pod), at(0));
}

}  // namespace
}  // namespace windlass::engine
