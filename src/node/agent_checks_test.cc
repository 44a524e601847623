// Probes, hooks and the stopping of containers, through a whole agent in virtual time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "node/testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using api::core::v1::ContainerStatus;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SimulatedNode;

constexpr uint16_t kPort = 8080;

class AgentChecksTest : public ::testing::Test {
 protected:
  AgentChecksTest() : node(api) {
    node.agent->start();
    run_for(milliseconds(1));
    node.containers.set_exec(
        [this](const env::ContainerExec& exec) -> Result<env::ContainerExecResult> {
          execs.push_back(exec);
          return exec_result;
        });
  }

  void run_for(Duration duration) { api.world.run_for(duration); }

  // A pod `p` of one container that ends only by a signal, TERM_DELAY seconds after SIGTERM and
  // with this code.
  void add_pod(const std::string& policy, const std::string& checks, const std::string& more = "",
               int term_delay = 0, int code = 143) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: p, finalizers: [example.com/hold]}}, spec: {{nodeName: node-1, "
        "restartPolicy: {}, {} containers: [{{name: c, image: i, "
        "ports: [{{name: web, containerPort: {}}}], command: [run, '-1', '0', '{}', '{}'], "
        "{}}}]}}}}",
        policy, more, kPort, term_delay, code, checks));
    run_for(milliseconds(1));
  }

  ContainerStatus container(int i = 0) { return api.pod("p")->status().container_statuses(i); }
  std::string phase() { return api.pod("p")->status().phase(); }
  std::string condition(const std::string& type) {
    for (const auto& each : api.pod("p")->status().conditions()) {
      if (each.type() == type) {
        return each.status() + (each.reason().empty() ? "" : " " + each.reason());
      }
    }
    return "absent";
  }
  // Numbers of the signals so far.
  std::vector<int> signals() {
    std::vector<int> numbers;
    for (const auto& signal : node.containers.signals()) {
      numbers.push_back(signal.number);
    }
    return numbers;
  }
  std::vector<std::string> events() {
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<api::core::v1::Event>(object);
      lines.push_back(event->type() + " " + event->reason() + " " + event->message());
    }
    return lines;
  }

  SimulatedApi api;
  SimulatedNode node;
  std::vector<env::ContainerExec> execs;
  env::ContainerExecResult exec_result;
};

TEST_F(AgentChecksTest, AReadinessProbeDecidesWhetherThePodIsReady) {
  exec_result = {1, false, "not yet\n"};
  add_pod("Never",
          "readinessProbe: {exec: {command: [check, $(A)]}, periodSeconds: 5}, "
          "env: [{name: A, value: b}], workingDir: /w");
  EXPECT_EQ(phase(), "Running");
  EXPECT_TRUE(container().started());
  EXPECT_FALSE(container().ready());
  EXPECT_EQ(condition("Ready"), "False ContainersNotReady");
  EXPECT_EQ(condition("ContainersReady"), "False ContainersNotReady");
  ASSERT_EQ(execs.size(), 1u);
  EXPECT_THAT(execs[0].command, ElementsAre("check", "b"));
  EXPECT_THAT(execs[0].environment, Contains("A=b"));
  EXPECT_EQ(execs[0].working_directory, "/w");
  EXPECT_EQ(execs[0].timeout, seconds(1));
  EXPECT_THAT(events(), Contains("Warning Unhealthy Readiness probe failed: not yet\n"));
  exec_result = {};
  run_for(seconds(5));
  EXPECT_TRUE(container().ready());
  EXPECT_EQ(condition("Ready"), "True");
  exec_result = {1, false, ""};
  run_for(seconds(10));
  EXPECT_EQ(condition("Ready"), "True");  // two failures; it takes three
  run_for(seconds(5));
  EXPECT_EQ(condition("Ready"), "False ContainersNotReady");
  EXPECT_EQ(phase(), "Running");
  EXPECT_THAT(signals(), IsEmpty());
}

TEST_F(AgentChecksTest, WhatAProbePrintedIsCutAndMadeReadable) {
  exec_result = {1, false, "\xff" + std::string(10'000, 'x')};
  add_pod("Never", "readinessProbe: {exec: {command: [x]}}");
  EXPECT_THAT(events(),
              Contains("Warning Unhealthy Readiness probe failed: ?" + std::string(899, 'x')));
}

TEST_F(AgentChecksTest, AGrpcProbeAsksTheHealthService) {
  node.network.healths[5000] = {env::GrpcHealth::How::answered, 0, "", 2};
  add_pod("Never", "readinessProbe: {grpc: {port: 5000, service: db}, periodSeconds: 5}");
  EXPECT_FALSE(container().ready());
  EXPECT_THAT(node.network.asked_health,
              ElementsAre(env::GrpcCheck{api.pod("p")->status().pod_ip(), 5000, "db"}));
  EXPECT_THAT(events(), Contains("Warning Unhealthy Readiness probe failed: service unhealthy "
                                 "(responded with \"NOT_SERVING\")"));
  node.network.healths[5000].serving = env::GrpcHealth::kServing;
  run_for(seconds(5));
  EXPECT_TRUE(container().ready());
}

TEST_F(AgentChecksTest, AFailedLivenessProbeRestartsTheContainer) {
  node.network.statuses[kPort] = 200;
  add_pod("OnFailure", "livenessProbe: {httpGet: {path: /live, port: web}, periodSeconds: 1}");
  run_for(seconds(3));
  EXPECT_EQ(container().restart_count(), 0);
  ASSERT_FALSE(node.network.asked.empty());
  EXPECT_EQ(node.network.asked[0], (env::HttpCheck{false, "127.0.0.1", kPort, "/live", {}}));
  node.network.statuses[kPort] = 500;
  run_for(seconds(3));
  EXPECT_EQ(container().restart_count(), 1);
  EXPECT_EQ(container().last_state().terminated().exit_code(), 143);
  EXPECT_TRUE(container().state().has_running());
  EXPECT_THAT(
      events(),
      Contains("Warning Unhealthy Liveness probe failed: HTTP probe failed with statuscode: 500"));
  EXPECT_THAT(events(),
              Contains("Normal Killing Container c failed liveness probe, will be restarted"));
}

TEST_F(AgentChecksTest, UnderNeverAFailedLivenessProbeFailsThePod) {
  node.network.statuses[kPort] = -1;
  add_pod("Never", "livenessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}");
  run_for(seconds(3));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(container().state().terminated().exit_code(), 143);
  EXPECT_THAT(events(), Contains("Warning Unhealthy Liveness probe failed: dial tcp "
                                 "127.0.0.1:8080: connection refused"));
  EXPECT_THAT(events(), Contains("Normal Killing Container c failed liveness probe"));
}

TEST_F(AgentChecksTest, WhatWasKilledByAProbeIsRestartedUnderOnFailureWhateverItsCode) {
  exec_result = {1, false, ""};
  add_pod("OnFailure",
          "livenessProbe: {exec: {command: [x]}, periodSeconds: 1, failureThreshold: 1}", "", 0, 0);
  run_for(milliseconds(500));
  EXPECT_EQ(container().restart_count(), 1);
  EXPECT_EQ(container().last_state().terminated().exit_code(), 0);
}

TEST_F(AgentChecksTest, TheProbesOwnGraceReplacesThePods) {
  exec_result = {1, false, ""};
  add_pod("Never",
          "livenessProbe: {exec: {command: [x]}, failureThreshold: 1, "
          "terminationGracePeriodSeconds: 4}",
          "", 3600);
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
  run_for(milliseconds(3900));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
  run_for(milliseconds(200));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM, SIGKILL));
  EXPECT_EQ(phase(), "Failed");
}

TEST_F(AgentChecksTest, TheOthersWaitForTheStartupProbe) {
  exec_result = {1, false, ""};
  node.network.statuses[kPort] = 503;
  add_pod("Always",
          "startupProbe: {exec: {command: [x]}, periodSeconds: 1, failureThreshold: 5}, "
          "livenessProbe: {httpGet: {port: 8080}, periodSeconds: 1, failureThreshold: 1}");
  EXPECT_FALSE(container().started());
  EXPECT_EQ(condition("Ready"), "False ContainersNotReady");
  run_for(seconds(2));
  EXPECT_THAT(node.network.asked, IsEmpty());
  exec_result = {};
  node.network.statuses[kPort] = 200;
  run_for(seconds(1));
  EXPECT_TRUE(container().started());
  EXPECT_TRUE(container().ready());
  EXPECT_THAT(node.network.asked, Not(IsEmpty()));
}

TEST_F(AgentChecksTest, AStartupProbeThatNeverPassesKills) {
  exec_result = {1, false, ""};
  add_pod("Never", "startupProbe: {exec: {command: [x]}, periodSeconds: 1, failureThreshold: 2}");
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_THAT(events(), Contains("Normal Killing Container c failed startup probe"));
}

TEST_F(AgentChecksTest, ACommandThatCannotBeRunCountsForNothing) {
  node.containers.set_exec([](const env::ContainerExec&) -> Result<env::ContainerExecResult> {
    return fail(plain_error("no such file"));
  });
  add_pod("Never", "livenessProbe: {exec: {command: [x]}, periodSeconds: 1, failureThreshold: 1}");
  run_for(seconds(5));
  EXPECT_THAT(signals(), IsEmpty());
  EXPECT_THAT(events(), Contains("Warning Unhealthy Liveness probe errored: no such file"));
}

TEST_F(AgentChecksTest, K13_ASidecarHoldsTheOthersUpUntilItHasStarted) {
  exec_result = {1, false, ""};
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, initContainers: "
      "[{name: s, image: i, restartPolicy: Always, command: [run, '-1', '0'], startupProbe: "
      "{exec: {command: [x]}, periodSeconds: 1}}], "
      "containers: [{name: c, image: i, command: [run, '1', '0']}]}}");
  run_for(milliseconds(500));
  EXPECT_EQ(node.spawned.size(), 1u);
  EXPECT_EQ(condition("Initialized"), "False ContainersNotInitialized");
  EXPECT_EQ(phase(), "Pending");
  exec_result = {};
  run_for(seconds(1));
  EXPECT_EQ(node.spawned.size(), 2u);
  EXPECT_EQ(condition("Initialized"), "True");
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(AgentChecksTest, ANewAgentGoesOnFromWhatTheOldOneFound) {
  add_pod("Never", "readinessProbe: {exec: {command: [x]}, periodSeconds: 1}");
  run_for(seconds(1));
  ASSERT_EQ(condition("Ready"), "True");
  exec_result = {1, false, ""};
  node.make_agent(api);
  node.agent->start();
  run_for(milliseconds(1500));
  EXPECT_EQ(condition("Ready"), "True");  // two failures
  run_for(seconds(1));
  EXPECT_EQ(condition("Ready"), "False ContainersNotReady");
}

TEST_F(AgentChecksTest, K32_APodThatEndsIsNotProbed) {
  add_pod("Never", "livenessProbe: {exec: {command: [x]}, periodSeconds: 1, failureThreshold: 1}",
          "", 3600);
  ASSERT_TRUE(api.remove_pod("p", 10).answer);
  run_for(milliseconds(1));
  execs.clear();
  run_for(seconds(5));
  EXPECT_THAT(execs, IsEmpty());
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
}

TEST_F(AgentChecksTest, S96_ThePreStopHookComesBeforeTheSignalAndCountsAsGrace) {
  add_pod("Never", "lifecycle: {preStop: {sleep: {seconds: 2}}}", "", 3600);
  ASSERT_TRUE(api.remove_pod("p", 5).answer);
  run_for(milliseconds(1900));
  EXPECT_THAT(signals(), IsEmpty());
  run_for(milliseconds(200));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
  run_for(milliseconds(2800));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
  run_for(milliseconds(200));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM, SIGKILL));
  EXPECT_EQ(phase(), "Failed");
}

TEST_F(AgentChecksTest, K33_AHookThatOutlivesTheGraceIsCutOff) {
  add_pod("Never", "lifecycle: {preStop: {sleep: {seconds: 20}}}", "", 3600);
  ASSERT_TRUE(api.remove_pod("p", 3).answer);
  run_for(milliseconds(3100));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
  EXPECT_THAT(events(), Contains("Warning FailedPreStopHook PreStopHook failed"));
  run_for(milliseconds(1800));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
  run_for(milliseconds(200));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM, SIGKILL));
}

TEST_F(AgentChecksTest, K33_WithoutGraceThereIsNoHook) {
  add_pod("Never", "lifecycle: {preStop: {exec: {command: [bye]}}}", "", 3600);
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  ASSERT_TRUE(api.remove_pod("p", 0).answer);
  run_for(milliseconds(1));
  EXPECT_THAT(execs, IsEmpty());
  EXPECT_THAT(signals(), ElementsAre(SIGTERM));
  run_for(seconds(2));
  EXPECT_THAT(signals(), ElementsAre(SIGTERM, SIGKILL));  // K-44
}

TEST_F(AgentChecksTest, K32_AFailedPreStopHookIsToldAndTheSignalFollows) {
  exec_result = {1, false, ""};
  add_pod("Never", "lifecycle: {preStop: {exec: {command: [bye]}}}");
  ASSERT_TRUE(api.remove_pod("p", 30).answer);
  run_for(milliseconds(10));
  ASSERT_EQ(execs.size(), 1u);
  EXPECT_EQ(execs[0].timeout, seconds(30));
  EXPECT_THAT(events(), Contains("Warning FailedPreStopHook PreStopHook failed"));
  EXPECT_EQ(phase(), "Failed");
}

TEST_F(AgentChecksTest, K32_HooksOfSidecarsRunAtOnceTheirSignalsWait) {
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, initContainers: "
      "[{name: s, image: i, restartPolicy: Always, command: [run, '-1', '0'], lifecycle: "
      "{preStop: {exec: {command: [bye]}}}}], "
      "containers: [{name: c, image: i, command: [run, '-1', '0', '5', '0']}]}}");
  run_for(milliseconds(1));
  ASSERT_TRUE(api.remove_pod("p", 30).answer);
  run_for(seconds(1));
  EXPECT_EQ(execs.size(), 1u);
  EXPECT_EQ(signals().size(), 1u);
  run_for(seconds(5));
  EXPECT_EQ(signals().size(), 2u);
  EXPECT_EQ(api.pod("p"), nullptr);
}

TEST_F(AgentChecksTest, AContainerIsStartedWhenItsPostStartHookIsOver) {
  add_pod("Never",
          "lifecycle: {postStart: {sleep: {seconds: 3}}}, "
          "readinessProbe: {exec: {command: [x]}, periodSeconds: 1}");
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Running");
  EXPECT_FALSE(container().started());
  EXPECT_FALSE(container().ready());
  EXPECT_THAT(execs, IsEmpty());
  run_for(seconds(1));
  EXPECT_TRUE(container().started());
  EXPECT_TRUE(container().ready());
}

TEST_F(AgentChecksTest, AFailedPostStartHookKillsTheContainer) {
  exec_result = {2, false, "no"};
  add_pod("Never", "lifecycle: {postStart: {exec: {command: [hello]}}}");
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(container().state().terminated().exit_code(), 143);
  EXPECT_THAT(events(), Contains("Warning FailedPostStartHook PostStartHook failed"));
  EXPECT_THAT(events(), Contains("Normal Killing FailedPostStartHook"));
}

TEST_F(AgentChecksTest, AnHttpHookIsDoneWhateverTheAnswer) {
  node.network.statuses[kPort] = 500;
  add_pod("Never", "lifecycle: {postStart: {httpGet: {port: web}}}");
  EXPECT_TRUE(container().started());
  EXPECT_THAT(signals(), IsEmpty());
}

}  // namespace
}  // namespace windlass::node
