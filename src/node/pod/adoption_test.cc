// An agent that dies and one that takes over, with a supervisor that outlives both.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "node/testing.h"

namespace windlass::node {
namespace {

using apiserver::testing::Node;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using testing::SimulatedNode;

class AdoptionTest : public ::testing::Test {
 protected:
  AdoptionTest() : node(api) {
    node.agent->start();
    api.world.run_for(milliseconds(1));
  }

  void add_pod(const std::string& policy, const std::string& command) {
    api.create_pod(
        fmt::format("{{metadata: {{name: p}}, spec: {{nodeName: node-1, restartPolicy: {}, "
                    "containers: [{{name: c, image: i, command: [{}]}}]}}}}",
                    policy, command));
    api.world.run_for(milliseconds(1));
  }
  void start_new_agent() {
    node.make_agent(api);
    node.agent->start();
    api.world.run_for(milliseconds(1));
  }
  std::shared_ptr<const Pod> pod() { return api.pod("p"); }
  std::string phase() { return pod()->status().phase(); }
  auto terminated() { return pod()->status().container_statuses(0).state().terminated(); }

  SimulatedApi api;
  SimulatedNode node;
};

TEST_F(AdoptionTest, N1_ARunningContainerGoesOnAndItsEndIsReported) {
  add_pod("Never", "run, '60', '7'");
  start_new_agent();
  EXPECT_EQ(phase(), "Running");
  api.world.run_for(minutes(2));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(terminated().exit_code(), 7);
  EXPECT_EQ(node.spawned.size(), 1u);
}

TEST_F(AdoptionTest, N1_AnEndWithoutAnAgentIsReportedByTheNext) {
  add_pod("Never", "run, '5', '42'");
  node.agent.reset();
  api.world.run_for(minutes(1));
  EXPECT_EQ(phase(), "Running");
  start_new_agent();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(terminated().exit_code(), 42);
  EXPECT_EQ(terminated().finished_at().seconds() - terminated().started_at().seconds(), 5);
  EXPECT_EQ(node.spawned.size(), 1u);
  api.world.run_for(seconds(1));
  EXPECT_EQ(node.containers.known(), 0u) << "forgotten once it is written down";
}

TEST_F(AdoptionTest, N1_AStartWhoseStatusWasNeverWrittenIsNotRepeated) {
  node.on_spawn = [this](const env::ContainerRequest&, virtual_world::VirtualProcess&) {
    api.world.executor().post([this] { node.agent.reset(); });  // before it hears of the start
  };
  add_pod("Never", "run, '5', '0'");
  EXPECT_EQ(node.agent, nullptr);
  EXPECT_EQ(phase(), "Pending");
  node.on_spawn = nullptr;
  start_new_agent();
  api.world.run_for(minutes(1));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(node.spawned.size(), 1u);
}

TEST_F(AdoptionTest, N3_ASupervisorThatDiesTakesTheExitCodeWithIt) {
  add_pod("Never", "run, '60', '0'");
  node.containers.lose_running();
  api.world.run_for(seconds(1));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(terminated().exit_code(), 137);
  EXPECT_EQ(terminated().reason(), "ContainerStatusUnknown");
  EXPECT_EQ(node.spawned.size(), 1u);
}

// K-30, of a pod that another client has ended meanwhile.
TEST_F(AdoptionTest, APodThatIsOverForOthersStillHasItsGrace) {
  add_pod("Never", "run, '-1', '1', '5', '3'");
  node.agent.reset();
  api.change<Pod>(api::kinds::pod(), "default", "p", "status",
                  [](Pod& pod) { pod.mutable_status()->set_phase("Failed"); });
  start_new_agent();
  ASSERT_EQ(node.containers.signals().size(), 1u);
  EXPECT_EQ(node.containers.signals()[0].number, SIGTERM);
  EXPECT_EQ(node.containers.running(), 1u);
  api.world.run_for(seconds(6));
  EXPECT_EQ(node.containers.running(), 0u);
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(terminated().exit_code(), 3);
  api.world.run_for(seconds(1));
  EXPECT_EQ(node.containers.known(), 0u);
}

TEST_F(AdoptionTest, RestartsGoOnWithTheirCount) {
  add_pod("OnFailure", "run, '60', '1'");
  api.world.run_for(seconds(61));  // the first restart is immediate
  EXPECT_EQ(pod()->status().container_statuses(0).restart_count(), 1);
  start_new_agent();
  api.world.run_for(seconds(61));
  EXPECT_EQ(pod()->status().container_statuses(0).restart_count(), 2);
  EXPECT_EQ(node.spawned.size(), 3u);
  EXPECT_EQ(node.spawned.back().id, pod()->metadata().uid() + "/c/2");
  EXPECT_LE(node.containers.known(), 2u) << "earlier attempts are forgotten";
}

TEST_F(AdoptionTest, WhatIsLeftOfPodsThatAreGoneIsKilledAndRemoved) {
  add_pod("Never", "run, '-1', '0'");
  const std::string uid = pod()->metadata().uid();
  node.files.put("/data/logs/default_p_" + uid + "/c/0.log", "text");
  node.files.put("/data/pods/" + uid + "/file", "text");
  node.agent.reset();
  ASSERT_TRUE(api.remove_pod("p", 0).answer);
  api.world.run_for(seconds(1));
  EXPECT_EQ(node.containers.running(), 1u);
  start_new_agent();
  api.world.run_for(seconds(1));
  EXPECT_EQ(node.containers.running(), 0u);
  EXPECT_EQ(node.containers.known(), 0u);
  EXPECT_FALSE(node.files.type("/data/logs/default_p_" + uid).has_value());
  EXPECT_FALSE(node.files.type("/data/pods/" + uid).has_value());
}

TEST_F(AdoptionTest, TheNodeSaysWhatItsContainersDoNotGet) {
  node.containers.set_support({.mounts = false, .missing = {"no namespaces: why", "no limits"}});
  start_new_agent();
  const auto object = api.find<Node>(api::kinds::node(), "", "node-1");
  EXPECT_EQ(object->metadata().annotations().at("windlass.dev/missing-isolation"),
            "no namespaces: why; no limits");
  add_pod("Never", "run, '1', '0'");
  EXPECT_TRUE(node.spawned.back().isolation.mounts.empty());
}

}  // namespace
}  // namespace windlass::node
