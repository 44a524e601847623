#include "node/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "node/agent_testing.h"

namespace windlass::node {
namespace {

using api::core::v1::ContainerStatus;
using apiserver::testing::Node;
using apiserver::testing::Pod;
using testing::AgentTest;
using testing::SimulatedNode;

TEST_F(AgentTest, E79_RegistersItsNode) {
  const auto object = api.find<Node>(api::kinds::node(), "", "node-1");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->metadata().labels().at("kubernetes.io/hostname"), "node-1");
  EXPECT_EQ(object->status().conditions(3).status(), "True");
}

TEST_F(AgentTest, RefreshesANodeThatIsAlreadyThere) {
  api.change<Node>(api::kinds::node(), "", "node-1", "status", [](Node& changed) {
    changed.mutable_status()->mutable_conditions(3)->set_status("Unknown");
  });
  SimulatedNode again(api);
  bool registered = false;
  again.agent->start([&registered] { registered = true; });
  run_for(milliseconds(1));
  EXPECT_TRUE(registered);
  EXPECT_EQ(api.find<Node>(api::kinds::node(), "", "node-1")->status().conditions(3).status(),
            "True");
}

TEST_F(AgentTest, ADeletedNodeIsNotKeptAlive) {
  const api::Kind& lease = api::kinds::lease();
  const auto exists = [&] {
    return api.server.get({&lease, "kube-node-lease", "node-1"}).has_value();
  };
  run_for(seconds(5));
  ASSERT_TRUE(exists());
  ASSERT_TRUE(api.remove(api::kinds::node(), "", "node-1").answer);
  run_for(seconds(10));
  ASSERT_TRUE(api.remove(lease, "kube-node-lease", "node-1").answer);  // as the collector does
  run_for(minutes(2));
  EXPECT_FALSE(exists());
  EXPECT_FALSE(api.find<Node>(api::kinds::node(), "", "node-1"));
}

TEST_F(AgentTest, S87_ExitZeroIsSucceeded) {
  add_pod("run, '5', '0'");
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(condition("Ready"), "True");
  EXPECT_TRUE(container().ready());
  EXPECT_TRUE(pod()->status().has_start_time());
  EXPECT_EQ(pod()->status().host_ip(), "127.0.0.1");
  run_for(seconds(5));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(condition("Ready"), "False PodCompleted");
  EXPECT_EQ(container().state().terminated().reason(), "Completed");
  EXPECT_EQ(container().state().terminated().finished_at().seconds() -
                container().state().terminated().started_at().seconds(),
            5);
}

TEST_F(AgentTest, S87_ExitThreeIsFailed) {
  add_pod("run, '1', '3'");
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(condition("Ready"), "False PodFailed");
  EXPECT_EQ(container().state().terminated().exit_code(), 3);
  EXPECT_EQ(container().state().terminated().reason(), "Error");
  EXPECT_EQ(pod()->status().reason(), "");
  EXPECT_EQ(node.agent->running_pods(), 0u);
}

TEST_F(AgentTest, S90_SidecarsEndWithTheLastContainerAndNeverCount) {
  add_pod_spec(
      "restartPolicy: Never, initContainers: [{name: s, image: i, restartPolicy: Always, "
      "command: [run, '-1', '0', '1', '1']}], "
      "containers: [{name: c, image: i, command: [run, '3', '0']}]");
  EXPECT_EQ(phase(), "Running");
  run_for(seconds(3));
  EXPECT_EQ(phase(), "Running");  // the sidecar has got its SIGTERM and is still there
  EXPECT_EQ(container().state().terminated().reason(), "Completed");
  run_for(seconds(1));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(pod()->status().init_container_statuses(0).state().terminated().exit_code(), 1);
}

TEST_F(AgentTest, S94_ADeletedPodIsTermedThenKilledAndSaysSoBeforeItGoes) {
  add_pod("run, '-1', '0', '3600', '0'");
  ASSERT_TRUE(api.remove_pod("p", 3).answer);
  run_for(milliseconds(2900));
  ASSERT_EQ(node.containers.signals().size(), 1u);
  EXPECT_EQ(node.containers.signals()[0].number, SIGTERM);
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(condition("Ready"), "True");
  run_for(milliseconds(200));
  EXPECT_EQ(node.containers.signals().back().number, SIGKILL);
  ASSERT_TRUE(pod());  // the finalizer holds it
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(container().state().terminated().exit_code(), 137);
  EXPECT_EQ(container().state().terminated().reason(), "Error");
  EXPECT_EQ(pod()->metadata().deletion_grace_period_seconds(), 0);
}

TEST_F(AgentTest, S95_ExitZeroOnSigtermIsSucceeded) {
  add_pod("run, '-1', '1', '1', '0'");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(condition("Ready"), "False PodCompleted");
}

TEST_F(AgentTest, E76_WithoutFinalizersTheObjectGoesAfterItsLastStatus) {
  std::vector<std::string> trail;
  const auto watch =
      api.client.watch({&api::kinds::pod(), "", "", ""}, std::to_string(api.store.revision()),
                       {[&trail](const client::WatchEvent& event) {
                          const auto& seen = static_cast<const Pod&>(*event.object);
                          const bool gone = event.type == client::EventType::deleted;
                          trail.push_back((gone ? "deleted " : "") + seen.status().phase());
                        },
                        [](const Status&) {}});
  add_pod_spec(
      "restartPolicy: Never, containers: [{name: c, image: i, command: [run, '-1', '0']}]");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  EXPECT_FALSE(pod());
  ASSERT_GE(trail.size(), 2u);
  EXPECT_EQ(trail.back(), "deleted Failed");
  EXPECT_EQ(trail[trail.size() - 2], "Failed");
}

TEST_F(AgentTest, K30_AShorterGraceTakesEffect) {
  add_pod("run, '-1', '0', '3600', '0'");
  ASSERT_TRUE(api.remove_pod("p", 600).answer);
  run_for(seconds(1));
  ASSERT_TRUE(api.remove_pod("p", 4).answer);
  run_for(seconds(5));
  EXPECT_EQ(phase(), "Failed");
}

TEST_F(AgentTest, K44_AForceDeletedPodIsKilledAfterTheLeastGrace) {
  add_pod_spec(
      "restartPolicy: Never, containers: [{name: c, image: i, command: [run, '-1', '0', '3600', "
      "'0']}]");
  ASSERT_TRUE(api.remove_pod("p", 0).answer);
  run_for(milliseconds(1900));
  EXPECT_FALSE(pod());
  EXPECT_EQ(node.containers.running(), 1u);
  run_for(milliseconds(200));
  EXPECT_EQ(node.containers.running(), 0u);
  EXPECT_EQ(node.agent->running_pods(), 0u);
}

TEST_F(AgentTest, R15_APodDeletedWhilePendingIsFailedWithoutHavingRun) {
  add_pod("run, '1', '0'", "", "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}],");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(pod()->status().reason(), "Deleted");
  EXPECT_EQ(pod()->status().message(), "Deleted while pending");
  EXPECT_EQ(container().state().terminated().exit_code(), 137);
  EXPECT_EQ(container().state().terminated().reason(), "ContainerStatusUnknown");
  EXPECT_EQ(condition("Ready"), "False ContainersNotReady");
  EXPECT_TRUE(node.spawned.empty());
}

// Upstream: "Pod Generation" (KEP-5067).
TEST_F(AgentTest, TheGenerationOfANewSpecIsReported) {
  add_pod("run, '-1', '0'");
  EXPECT_EQ(pod()->status().observed_generation(), 1);
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& changed) { changed.mutable_spec()->set_active_deadline_seconds(5000); });
  run_for(milliseconds(10));
  ASSERT_EQ(pod()->metadata().generation(), 2);
  EXPECT_EQ(pod()->status().observed_generation(), 2);
  for (const auto& each : pod()->status().conditions()) {
    EXPECT_EQ(each.observed_generation(), 2) << each.type();
  }
  const std::string version = pod()->metadata().resource_version();
  run_for(minutes(1));
  EXPECT_EQ(pod()->metadata().resource_version(), version);
}

// Upstream: "should support pod readiness gates" (KEP-580).
TEST_F(AgentTest, ReadinessGatesAreFollowed) {
  add_pod("run, '-1', '0'",
          "readinessGates: [{conditionType: example.com/a}, {conditionType: example.com/b}],");
  const auto answer = [this](const std::string& type, const std::string& status) {
    api.change<Pod>(api::kinds::pod(), "default", "p", "status", [&](Pod& changed) {
      for (auto& each : *changed.mutable_status()->mutable_conditions()) {
        if (each.type() == type) {
          each.set_status(status);
          return;
        }
      }
      auto* added = changed.mutable_status()->add_conditions();
      added->set_type(type);
      added->set_status(status);
    });
    run_for(milliseconds(10));
  };
  EXPECT_EQ(condition("Ready"), "False ReadinessGatesNotReady");
  EXPECT_EQ(condition("ContainersReady"), "True");
  answer("example.com/a", "True");
  EXPECT_EQ(condition("Ready"), "False ReadinessGatesNotReady");
  answer("example.com/b", "True");
  EXPECT_EQ(condition("Ready"), "True");
  answer("example.com/a", "False");
  EXPECT_EQ(condition("Ready"), "False ReadinessGatesNotReady");
  EXPECT_EQ(condition("ContainersReady"), "True");
}

TEST_F(AgentTest, S99_ActiveDeadline) {
  add_pod("run, '-1', '0'", "activeDeadlineSeconds: 2,");
  run_for(seconds(3));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(pod()->status().reason(), "DeadlineExceeded");
  EXPECT_EQ(pod()->status().message(),
            "Pod was active on the node longer than the specified deadline");
  EXPECT_EQ(condition("DisruptionTarget"), "absent");
}

// K-43; upstream: "should be updated to run with activeDeadlineSeconds".
TEST_F(AgentTest, K43_ADeadlineSetOnARunningPodEndsIt) {
  add_pod("run, '-1', '0'");
  run_for(seconds(30));
  const auto set_deadline = [this](int64_t deadline) {
    api.change<Pod>(api::kinds::pod(), "default", "p", "", [deadline](Pod& changed) {
      changed.mutable_spec()->set_active_deadline_seconds(deadline);
    });
  };
  set_deadline(1000);
  run_for(seconds(30));
  EXPECT_EQ(phase(), "Running");
  set_deadline(2);  // long over
  run_for(seconds(1));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(pod()->status().reason(), "DeadlineExceeded");
}

TEST_F(AgentTest, S118_APhaseThatOthersMadeTerminalStaysAndEndsTheContainers) {
  add_pod("run, '-1', '0'");
  api.change<Pod>(api::kinds::pod(), "default", "p", "status",
                  [](Pod& changed) { changed.mutable_status()->set_phase("Failed"); });
  run_for(seconds(1));
  EXPECT_EQ(node.containers.running(), 0u);
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(container().state().terminated().exit_code(), 143);
}

TEST_F(AgentTest, S119_ANewAgentNeverRunsAContainerTwice) {
  add_pod("run, '-1', '0'");
  node.agent.reset();
  SimulatedNode again(api);
  again.agent->start();
  run_for(seconds(1));
  EXPECT_TRUE(again.spawned.empty());
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(container().state().terminated().exit_code(), 137);
  EXPECT_EQ(container().state().terminated().reason(), "ContainerStatusUnknown");
}

TEST_F(AgentTest, K40_AStatusWriteThatMeetsAConflictIsTriedAgain) {
  // Another client labels the pod all the time, between the agent's reads and writes.
  add_pod("run, '1', '0'");
  for (int i = 0; i < 400; ++i) {
    api.world.run_for(milliseconds(5));
    api.change<Pod>(api::kinds::pod(), "default", "p", "", [i](Pod& changed) {
      (*changed.mutable_metadata()->mutable_labels())["n"] = std::to_string(i);
    });
  }
  run_for(seconds(1));
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(AgentTest, StopEndsPodsGracefullyAndTellsWhen) {
  add_pod("run, '-1', '0', '3600', '0'");
  bool stopped = false;
  node.agent->stop(seconds(5), [&stopped] { stopped = true; });
  run_for(seconds(4));
  EXPECT_FALSE(stopped);
  EXPECT_EQ(node.containers.running(), 1u);
  run_for(seconds(2));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(node.containers.running(), 0u);
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(pod()->status().reason(), "Terminated");
  EXPECT_EQ(condition("DisruptionTarget"), "True TerminationByKubelet");
}

TEST_F(AgentTest, N1_ANodeThatWasBelievedDeadSaysAgainThatItIsReady) {
  api.change<apiserver::testing::Node>(api::kinds::node(), "", "node-1", "status", [](auto& seen) {
    for (auto& condition : *seen.mutable_status()->mutable_conditions()) {
      condition.set_status("Unknown");
    }
  });
  run_for(node.agent->config().heartbeats.period + seconds(1));
  const auto now = api.find<apiserver::testing::Node>(api::kinds::node(), "", "node-1");
  for (const auto& condition : now->status().conditions()) {
    EXPECT_EQ(condition.status(), condition.type() == "Ready" ? "True" : "False");
  }
}

TEST_F(AgentTest, F1_WithoutTheGateAPodEndedByTheNodeHasNoMark) {
  SimulatedNode other(api, "node-2",
                      [](AgentConfig& config) { config.disruption_conditions = false; });
  other.agent->start();
  run_for(seconds(1));
  api.create_pod(
      "{metadata: {name: unmarked}, spec: {nodeName: node-2, restartPolicy: Never, containers: "
      "[{name: main, image: x, command: [run, '-1', '0', '3600', '0']}]}}");
  run_for(seconds(1));
  other.agent->stop(seconds(5), [] {});
  run_for(seconds(10));
  const auto ended = api.pod("unmarked");
  EXPECT_EQ(ended->status().phase(), "Failed");
  EXPECT_EQ(ended->status().reason(), "Terminated");
  for (const auto& each : ended->status().conditions()) {
    EXPECT_NE(each.type(), "DisruptionTarget");
  }
}

TEST_F(AgentTest, KillDoesNotWaitForGrace) {
  add_pod("run, '-1', '0', '3600', '0'");
  bool stopped = false;
  node.agent->stop(seconds(30), [&stopped] { stopped = true; });
  run_for(seconds(1));
  node.agent->kill();
  run_for(seconds(1));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(container().state().terminated().exit_code(), 137);
}

TEST_F(AgentTest, StopWithoutPodsIsImmediate) {
  bool stopped = false;
  node.agent->stop(seconds(30), [&stopped] { stopped = true; });
  run_for(milliseconds(1));
  EXPECT_TRUE(stopped);
}

TEST_F(AgentTest, LeavesPodsOfOtherNodesAlone) {
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: other, containers: [{name: c, image: i, command: "
      "[run, '1', '0']}]}}");
  run_for(seconds(2));
  EXPECT_TRUE(node.spawned.empty());
  EXPECT_EQ(phase(), "Pending");
}

}  // namespace
}  // namespace windlass::node
