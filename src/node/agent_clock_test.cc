// A node whose wall clock is set back or forward by a day: no delay of a pod depends on it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/testing.h"
#include "schema/core/v1/config_map.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using testing::SimulatedNode;

class AgentClockTest : public ::testing::TestWithParam<int> {
 protected:
  AgentClockTest() : node(api) { start(); }

  void start() {
    node.agent->start();
    api.world.run_for(milliseconds(1));
  }
  void add_pod(const std::string& spec) {
    api.create_pod("{metadata: {name: p}, spec: {nodeName: node-1, " + spec + "}}");
    api.world.run_for(milliseconds(1));
  }
  void jump() { api.world.clock().shift_wall(hours(24) * GetParam()); }
  std::shared_ptr<const Pod> pod() { return api.pod("p"); }
  auto container() { return pod()->status().container_statuses(0); }
  bool ready() { return container().ready(); }

  SimulatedApi api;
  SimulatedNode node;
};

INSTANTIATE_TEST_SUITE_P(ADay, AgentClockTest, ::testing::Values(-1, 1),
                         [](const auto& day) { return day.param < 0 ? "Back" : "Forward"; });

TEST_P(AgentClockTest, K17_TheBackOffOfARestartPasses) {
  add_pod("restartPolicy: OnFailure, containers: [{name: c, image: i, command: [run, '1', '1']}]");
  api.world.run_for(milliseconds(2500));
  EXPECT_EQ(container().state().waiting().reason(), "CrashLoopBackOff");
  jump();
  api.world.run_for(milliseconds(9000));
  EXPECT_EQ(node.spawned.size(), 2u) << "not earlier";
  api.world.run_for(seconds(1));
  EXPECT_EQ(node.spawned.size(), 3u) << "not later";
}

TEST_P(AgentClockTest, K17_AJumpIsNotTenMinutesOfRunning) {
  add_pod("restartPolicy: OnFailure, containers: [{name: c, image: i, command: [run, '5', '1']}]");
  api.world.run_for(seconds(7));  // in its second run
  jump();
  api.world.run_for(seconds(4));
  EXPECT_EQ(container().state().waiting().reason(), "CrashLoopBackOff");
}

TEST_P(AgentClockTest, K17_ACommandThatIsNotThereWaitsLongerAndLonger) {
  add_pod("restartPolicy: OnFailure, containers: [{name: c, image: i, command: [missing]}]");
  api.world.run_for(seconds(1));
  jump();
  api.world.run_for(seconds(60));  // at 0, 0, 10, 30
  EXPECT_EQ(node.spawned.size(), 4u);
}

TEST_P(AgentClockTest, K43_TheActiveDeadlinePasses) {
  add_pod(
      "restartPolicy: Never, activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 1, "
      "containers: [{name: c, image: i, command: [run, '-1', '0']}]");
  api.world.run_for(seconds(30));
  jump();
  api.world.run_for(seconds(29));
  EXPECT_EQ(pod()->status().phase(), "Running");
  api.world.run_for(seconds(2));
  EXPECT_EQ(pod()->status().reason(), "DeadlineExceeded");
}

TEST_P(AgentClockTest, K43_ANewDeadlineCountsFromThePodsStart) {
  add_pod(
      "restartPolicy: Never, terminationGracePeriodSeconds: 1, "
      "containers: [{name: c, image: i, command: [run, '-1', '0']}]");
  api.world.run_for(seconds(30));
  jump();
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& changed) { changed.mutable_spec()->set_active_deadline_seconds(60); });
  api.world.run_for(seconds(29));
  EXPECT_EQ(pod()->status().phase(), "Running");
  api.world.run_for(seconds(2));
  EXPECT_EQ(pod()->status().reason(), "DeadlineExceeded");
}

// The next agent has only the wall clock's time: a deadline may come early, never late.
TEST_P(AgentClockTest, K43_ADeadlineThatANewAgentFindsIsNeverLonger) {
  add_pod(
      "restartPolicy: Never, activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 1, "
      "containers: [{name: c, image: i, command: [run, '-1', '0']}]");
  jump();
  node.make_agent(api);
  start();
  api.world.run_for(seconds(61));
  EXPECT_EQ(pod()->status().reason(), "DeadlineExceeded");
}

TEST_P(AgentClockTest, ProbesAreAskedInTime) {
  add_pod(
      "restartPolicy: Never, containers: [{name: c, image: i, command: [run, '-1', '0'], "
      "readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 20, periodSeconds: 10}}]");
  node.network.statuses[80] = 200;
  api.world.run_for(seconds(10));
  jump();
  api.world.run_for(seconds(9));
  EXPECT_FALSE(ready());
  api.world.run_for(seconds(2));
  EXPECT_TRUE(ready());
}

TEST_P(AgentClockTest, ProbesOfANewAgentWaitNoLongerThanTheirDelay) {
  add_pod(
      "restartPolicy: Never, containers: [{name: c, image: i, command: [run, '-1', '0'], "
      "readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 20, periodSeconds: 10}}]");
  node.network.statuses[80] = 200;
  jump();
  node.make_agent(api);
  start();
  api.world.run_for(seconds(31));
  EXPECT_TRUE(ready());
}

TEST_P(AgentClockTest, K31_TheGracePeriodPasses) {
  add_pod(
      "restartPolicy: Never, terminationGracePeriodSeconds: 30, "
      "containers: [{name: c, image: i, command: [run, '-1', '0', '600', '0']}]");
  ASSERT_TRUE(api.remove_pod("p").answer);
  api.world.run_for(seconds(10));
  jump();
  api.world.run_for(seconds(19));
  EXPECT_EQ(node.containers.running(), 1u);
  api.world.run_for(seconds(2));
  EXPECT_EQ(node.containers.running(), 0u);
}

TEST_P(AgentClockTest, K18_AnObjectThatComesIsFoundInTime) {
  add_pod(
      "restartPolicy: Never, containers: [{name: c, image: i, command: [run, '-1', '0'], "
      "env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: a}}}]}]");
  EXPECT_EQ(container().state().waiting().reason(), "CreateContainerConfigError");
  jump();
  api.create<api::core::v1::ConfigMap>(
      api::kinds::config_map(), "{metadata: {name: settings, namespace: default}, data: {a: '1'}}");
  api.world.run_for(seconds(11));
  EXPECT_EQ(pod()->status().phase(), "Running");
}

}  // namespace
}  // namespace windlass::node
