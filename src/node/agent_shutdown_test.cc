// Graceful node shutdown (disruption.md 7.6, rows ), through a whole agent in virtual
// time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "node/container/known_runs.h"
#include "node/node_object.h"
#include "node/testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Node;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::SimulatedNode;

constexpr const char* kShutdownText = "Pod was terminated in response to imminent node shutdown.";

class AgentShutdownTest : public ::testing::Test {
 protected:
  AgentShutdownTest()
      : node(api, "node-1", [](AgentConfig& config) {
          config.shutdown = shutdown_groups(seconds(15), seconds(5));
        }) {
    node.agent->start();
    run_for(seconds(1));
  }

  void run_for(Duration duration) { api.world.run_for(duration); }

  // Ends only by a signal: TERM_DELAY seconds after SIGTERM with 0, or at once by SIGKILL.
  void add_pod(const std::string& name, int64_t priority = 0, int term_delay = 3600) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{nodeName: node-1, restartPolicy: Never, priority: {}, "
        "containers: [{{name: c, image: i, command: [run, '-1', '1', '{}', '0']}}]}}}}",
        name, priority, term_delay));
    run_for(milliseconds(1));
  }
  void order(bool shutdown = true) {
    api.change<Node>(api::kinds::node(), "", "node-1", "", [shutdown](Node& changed) {
      auto& annotations = *changed.mutable_metadata()->mutable_annotations();
      if (shutdown) {
        annotations[kShutdownAnnotation] = "now";
      } else {
        annotations.erase(kShutdownAnnotation);
      }
    });
    run_for(milliseconds(10));
  }

  std::string phase(const std::string& name) { return api.pod(name)->status().phase(); }
  std::string node_ready() {
    const auto object = api.find<Node>(api::kinds::node(), "", "node-1");
    for (const auto& condition : object->status().conditions()) {
      if (condition.type() == "Ready") {
        return condition.status() + " " + condition.reason() + ": " + condition.message();
      }
    }
    return "absent";
  }
  // `True TerminationByKubelet: ...`
  std::string disruption(const std::string& name) {
    for (const auto& condition : api.pod(name)->status().conditions()) {
      if (condition.type() == "DisruptionTarget") {
        return condition.status() + " " + condition.reason() + ": " + condition.message();
      }
    }
    return "absent";
  }
  std::vector<std::string> node_events() {
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<api::core::v1::Event>(object);
      if (event->involved_object().kind() == "Node") {
        lines.push_back(event->type() + " " + event->reason() + " " + event->message());
      }
    }
    return lines;
  }

  SimulatedApi api;
  SimulatedNode node;
};

TEST_F(AgentShutdownTest, S111_K73_CriticalPodsEndAfterTheOthers) {
  add_pod("normal");
  add_pod("critical", kCriticalPriority);
  order();
  ASSERT_EQ(node.containers.signals().size(), 1u);
  EXPECT_EQ(node.containers.signals()[0].number, SIGTERM);
  run_for(milliseconds(9900));
  EXPECT_EQ(node.containers.signals().size(), 1u);
  EXPECT_EQ(phase("normal"), "Running");
  run_for(milliseconds(200));
  EXPECT_EQ(phase("normal"), "Failed");
  EXPECT_EQ(phase("critical"), "Running");
  run_for(milliseconds(4800));
  EXPECT_EQ(phase("critical"), "Running");
  run_for(milliseconds(200));
  EXPECT_EQ(phase("critical"), "Failed");
}

TEST_F(AgentShutdownTest, K73_AGroupThatIsOverEarlyIsNotWaitedFor) {
  add_pod("quick", 0, 1);
  add_pod("critical", kCriticalPriority);
  order();
  run_for(milliseconds(1100));
  EXPECT_EQ(phase("quick"), "Succeeded");
  run_for(seconds(5));
  EXPECT_EQ(phase("critical"), "Failed");
}

TEST_F(AgentShutdownTest, K73_EmptyGroupsCostNoTime) {
  add_pod("critical", kCriticalPriority);
  order();
  run_for(milliseconds(5100));
  EXPECT_EQ(phase("critical"), "Failed");
}

TEST_F(AgentShutdownTest, R8_K74_AKilledPodSaysWhy) {
  add_pod("p");
  order();
  run_for(seconds(11));
  const Pod pod = *api.pod("p");
  EXPECT_EQ(pod.status().phase(), "Failed");
  EXPECT_EQ(pod.status().reason(), "Terminated");
  EXPECT_EQ(pod.status().message(), kShutdownText);
  EXPECT_EQ(disruption("p"), std::string("True TerminationByKubelet: ") + kShutdownText);
  EXPECT_EQ(pod.status().container_statuses(0).state().terminated().exit_code(), 137);
  EXPECT_EQ(pod.status().container_statuses(0).state().terminated().reason(), "Error");
  EXPECT_FALSE(pod.metadata().has_deletion_timestamp());
}

TEST_F(AgentShutdownTest, R9_S112_ExitZeroIsSucceededAndMarkedAllTheSame) {
  add_pod("p", 0, 2);
  order();
  run_for(seconds(3));
  const Pod pod = *api.pod("p");
  EXPECT_EQ(pod.status().phase(), "Succeeded");
  EXPECT_EQ(pod.status().reason(), "");
  EXPECT_EQ(pod.status().message(), "");
  EXPECT_EQ(disruption("p"), std::string("True TerminationByKubelet: ") + kShutdownText);
}

TEST_F(AgentShutdownTest, S120_WithoutTheGateTheSameWithoutTheCondition) {
  node.config.disruption_conditions = false;
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  add_pod("killed");
  add_pod("quick", 0, 2);
  order();
  run_for(seconds(11));
  EXPECT_EQ(phase("killed"), "Failed");
  EXPECT_EQ(api.pod("killed")->status().reason(), "Terminated");
  EXPECT_EQ(disruption("killed"), "absent");
  EXPECT_EQ(phase("quick"), "Succeeded");
  EXPECT_EQ(disruption("quick"), "absent");
}

TEST_F(AgentShutdownTest, S113_K72_TheNodeIsNotReadyAndTakesNoPods) {
  order();
  EXPECT_EQ(node_ready(), "False KubeletNotReady: node is shutting down");
  EXPECT_THAT(node_events(),
              ElementsAre("Normal Shutdown Shutdown manager detected shutdown event"));
  add_pod("late");
  const Pod pod = *api.pod("late");
  EXPECT_EQ(pod.status().phase(), "Failed");
  EXPECT_EQ(pod.status().reason(), "NodeShutdown");
  EXPECT_EQ(pod.status().message(),
            "Pod was rejected: Pod was rejected as the node is shutting down.");
  EXPECT_TRUE(pod.status().has_start_time());
  EXPECT_EQ(pod.status().host_ip(), "");
  EXPECT_THAT(pod.status().container_statuses(), IsEmpty());
  EXPECT_EQ(disruption("late"), "absent");
  EXPECT_THAT(node.spawned, IsEmpty());
}

TEST_F(AgentShutdownTest, K8_ARejectedPodThatIsDeletedGoes) {
  order();
  add_pod("late");
  ASSERT_TRUE(api.remove_pod("late").answer);
  run_for(seconds(1));
  EXPECT_EQ(api.pod("late"), nullptr);
}

// What a kubelet writes then (K-8): others may wait for the ends of its containers.
TEST_F(AgentShutdownTest, K8_ARejectedPodThatAFinalizerHoldsIsFilledIn) {
  order();
  api.create_pod(
      "{metadata: {name: late, finalizers: [example.com/hold]}, spec: {nodeName: node-1, "
      "containers: [{name: c, image: i}]}}");
  run_for(milliseconds(10));
  EXPECT_THAT(api.pod("late")->status().container_statuses(), IsEmpty());
  ASSERT_TRUE(api.remove_pod("late").answer);
  run_for(seconds(1));
  const Pod pod = *api.pod("late");
  EXPECT_EQ(pod.status().phase(), "Failed");
  EXPECT_EQ(pod.status().reason(), "NodeShutdown");
  EXPECT_EQ(pod.status().message(),
            "Pod was rejected: Pod was rejected as the node is shutting down.");
  ASSERT_EQ(pod.status().container_statuses_size(), 1);
  const auto& ended = pod.status().container_statuses(0).state().terminated();
  EXPECT_EQ(ended.exit_code(), 137);
  EXPECT_EQ(ended.reason(), "ContainerStatusUnknown");
  EXPECT_FALSE(pod.status().host_ip().empty());
  EXPECT_TRUE(pod.status().pod_ip().empty());
  std::vector<std::string> conditions;
  for (const auto& condition : pod.status().conditions()) {
    conditions.push_back(condition.type() + " " + condition.status() + " " + condition.reason());
  }
  EXPECT_THAT(conditions, ElementsAre("PodReadyToStartContainers False ", "Initialized True ",
                                      "Ready False PodFailed", "ContainersReady False PodFailed",
                                      "PodScheduled True "));
  EXPECT_EQ(disruption("late"), "absent");
}

TEST_F(AgentShutdownTest, K8_ANewAgentFillsItInToo) {
  order();
  api.create_pod(
      "{metadata: {name: late, finalizers: [example.com/hold]}, spec: {nodeName: node-1, "
      "containers: [{name: c, image: i}]}}");
  run_for(milliseconds(10));
  node.agent.reset();
  ASSERT_TRUE(api.remove_pod("late").answer);
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(api.pod("late")->status().reason(), "NodeShutdown");
  EXPECT_EQ(api.pod("late")->status().container_statuses_size(), 1);
}

TEST_F(AgentShutdownTest, S114_K71_ACancelledShutdownLeavesTheRestAlone) {
  add_pod("normal");
  add_pod("critical", kCriticalPriority);
  order();
  order(false);
  EXPECT_EQ(node_ready(), "True KubeletReady: kubelet is posting ready status");
  EXPECT_THAT(node_events(),
              Contains("Normal Shutdown Shutdown manager detected shutdown cancellation"));
  run_for(seconds(60));
  EXPECT_EQ(phase("normal"), "Failed");
  EXPECT_EQ(phase("critical"), "Running");
  add_pod("late");
  EXPECT_EQ(phase("late"), "Running");
}

// The node lifecycle controller marks the pods of a node that fell silent.
TEST_F(AgentShutdownTest, S114_K40_ASteadyPodThatOthersMarkedIsReadyAgain) {
  const auto ready = [this] {
    for (const auto& condition : api.pod("p")->status().conditions()) {
      if (condition.type() == "Ready") {
        return condition.status();
      }
    }
    return std::string("absent");
  };
  add_pod("p");
  ASSERT_EQ(ready(), "True");
  api.change<Pod>(api::kinds::pod(), "default", "p", "status", [](Pod& pod) {
    for (auto& condition : *pod.mutable_status()->mutable_conditions()) {
      if (condition.type() == "Ready") {
        condition.set_status("False");
      }
    }
  });
  run_for(seconds(1));
  EXPECT_EQ(ready(), "False");
  run_for(seconds(10));
  EXPECT_EQ(ready(), "True");
  const std::string version = api.pod("p")->metadata().resource_version();
  run_for(minutes(5));
  EXPECT_EQ(api.pod("p")->metadata().resource_version(), version) << "and that was all";
}

TEST_F(AgentShutdownTest, ANodeStaysDownWhenItsAgentStartsAgain) {
  add_pod("p");
  order();
  node.make_agent(api);
  node.agent->start();
  run_for(milliseconds(10));
  EXPECT_EQ(node_ready(), "False KubeletNotReady: node is shutting down");
  run_for(seconds(11));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(api.pod("p")->status().reason(), "Terminated");
  order(false);
  EXPECT_EQ(node_ready(), "True KubeletReady: kubelet is posting ready status");
}

TEST_F(AgentShutdownTest, AMachineThatGoesDownIsToldWhenAllIsOver) {
  add_pod("p");
  bool done = false;
  node.agent->shut_down([&done] { done = true; });
  run_for(seconds(9));
  EXPECT_FALSE(done);
  EXPECT_EQ(node_ready(), "False KubeletNotReady: node is shutting down");
  run_for(seconds(2));
  EXPECT_TRUE(done);
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(AgentShutdownTest, K71_AMachineThatStaysUpAfterAllLeavesTheRestAlone) {
  add_pod("normal");
  add_pod("critical", kCriticalPriority);
  bool done = false;
  node.agent->shut_down([&done] { done = true; });
  run_for(seconds(1));
  node.agent->stay_up();
  run_for(seconds(60));
  EXPECT_FALSE(done);
  EXPECT_EQ(node_ready(), "True KubeletReady: kubelet is posting ready status");
  EXPECT_EQ(phase("normal"), "Failed");
  EXPECT_EQ(phase("critical"), "Running");
  node.agent->shut_down([&done] { done = true; });
  run_for(seconds(16));
  EXPECT_TRUE(done);
  EXPECT_EQ(phase("critical"), "Failed");
}

TEST_F(AgentShutdownTest, AnOrderHoldsWhateverTheMachineDoes) {
  order();
  node.agent->shut_down([] {});
  run_for(seconds(1));
  node.agent->stay_up();
  run_for(seconds(1));
  EXPECT_EQ(node_ready(), "False KubeletNotReady: node is shutting down");
  node.agent->shut_down([] {});
  order(false);
  EXPECT_EQ(node_ready(), "False KubeletNotReady: node is shutting down");
  node.agent->stay_up();
  run_for(seconds(1));
  EXPECT_EQ(node_ready(), "True KubeletReady: kubelet is posting ready status");
}

TEST_F(AgentShutdownTest, WithoutGroupsEveryPodHasItsOwnGrace) {
  node.config.shutdown = {};
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  add_pod("p");
  add_pod("critical", kCriticalPriority);
  order();
  EXPECT_EQ(node.containers.signals().size(), 2u);
  run_for(milliseconds(29900));
  EXPECT_EQ(phase("p"), "Running");
  run_for(milliseconds(200));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(phase("critical"), "Failed");
}

// An agent was killed, or the server did not answer, before it could say how its pods ended.
TEST_F(AgentShutdownTest, K74_TheNextAgentSaysWhyPodsEnded) {
  add_pod("term", 0, 1);
  add_pod("kill");
  node.agent->shut_down([] {});
  run_for(milliseconds(1));
  node.agent.reset();
  run_for(seconds(5));
  node.containers.signal(run_id(api.pod("kill")->metadata().uid(), "c", 0), SIGKILL);
  run_for(seconds(1));
  EXPECT_EQ(phase("kill"), "Running");
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(phase("kill"), "Failed");
  EXPECT_EQ(api.pod("kill")->status().reason(), "Terminated");
  EXPECT_EQ(api.pod("kill")->status().message(), kShutdownText);
  EXPECT_EQ(disruption("kill"), std::string("True TerminationByKubelet: ") + kShutdownText);
  EXPECT_EQ(phase("term"), "Succeeded");
  // And that was all of it.
  add_pod("next");
  node.containers.signal(run_id(api.pod("next")->metadata().uid(), "c", 0), SIGKILL);
  run_for(seconds(1));
  EXPECT_EQ(phase("next"), "Failed");
  EXPECT_EQ(disruption("next"), "absent");
  EXPECT_FALSE(node.files.type(node.config.data_dir + "/shutdown").has_value());
}

TEST_F(AgentShutdownTest, K74_WhatEndedBeforeTheShutdownEndedByItself) {
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, "
      "containers: [{name: c, image: i, command: [run, '10', '42']}]}}");
  run_for(seconds(1));
  node.agent.reset();
  run_for(minutes(1));  // it ends without an agent
  node.files.put(node.config.data_dir + "/shutdown", format_rfc3339_nano(api.world.clock().now()));
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(disruption("p"), "absent");
}

// It does what it was told and ends when that is over: no caller is told twice to wait.
TEST_F(AgentShutdownTest, K74_WhatWasToldToEndEndsUnderTheNextAgent) {
  add_pod("p", 0, 5);
  node.agent->shut_down([] {});
  run_for(milliseconds(1));
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(phase("p"), "Running");
  add_pod("stubborn");  // one that came afterwards
  run_for(seconds(60));
  EXPECT_EQ(disruption("p"), std::string("True TerminationByKubelet: ") + kShutdownText);
  EXPECT_EQ(phase("p"), "Succeeded") << "it ended with 0 (K-74)";
  EXPECT_EQ(phase("stubborn"), "Running");
}

TEST_F(AgentShutdownTest, K74_AShutdownThatIsOverLeavesNoTrace) {
  const std::string mark = node.config.data_dir + "/shutdown";
  add_pod("p", 0, 1);
  bool done = false;
  node.agent->shut_down([&done] { done = true; });
  EXPECT_TRUE(node.files.type(mark).has_value());
  run_for(minutes(1));
  EXPECT_TRUE(done);
  EXPECT_FALSE(node.files.type(mark).has_value());
  node.agent->shut_down([] {});
  node.agent->stay_up();
  EXPECT_FALSE(node.files.type(mark).has_value());
}

}  // namespace
}  // namespace windlass::node
