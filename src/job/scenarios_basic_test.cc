// job-controller.md 11, sections A (scaling) and B (completion).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/conditions.h"
#include "job/testing.h"

namespace windlass::job::testing {
namespace {

PodView tracked(Phase phase) {
  PodView pod;
  pod.phase = phase;
  pod.has_finalizer = true;
  pod.has_node = phase != Phase::kPending;
  return pod;
}

std::vector<std::string> add(FakeCluster& cluster, int count, Phase phase) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    names.push_back(cluster.add_pod(tracked(phase)));
  }
  return names;
}

TEST(Scaling, A1_JobStart) {
  FakeCluster cluster(defaulted_job(2, 5));
  cluster.run();
  EXPECT_EQ(cluster.writes.creates, 2);
  EXPECT_EQ(cluster.status().active, 2);
  EXPECT_EQ(cluster.status().ready, 0);
  EXPECT_EQ(cluster.status().terminating, 0);
  EXPECT_TRUE(cluster.status().start_time);
  EXPECT_THAT(cluster.broken, ::testing::IsEmpty());
}

TEST(Completion, B21_JobFinish) {
  FakeCluster cluster(defaulted_job(5, 5));
  add(cluster, 5, Phase::kSucceeded);
  cluster.run();
  EXPECT_EQ(cluster.condition_types(), "SuccessCriteriaMet,Complete");
  EXPECT_EQ(cluster.reason(kTypeComplete), "CompletionsReached");
  EXPECT_TRUE(cluster.status().completion_time);
  EXPECT_EQ(cluster.status().succeeded, 5);
  EXPECT_EQ(cluster.writes.releases, 5);
  EXPECT_EQ(cluster.writes.statuses, 2);
  EXPECT_THAT(cluster.broken, ::testing::IsEmpty());
}

}  // namespace
}  // namespace windlass::job::testing
