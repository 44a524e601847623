// How an agent starts the containers of a pod, and what it keeps of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/agent_testing.h"

namespace windlass::node {
namespace {

using api::core::v1::ContainerStatus;
using apiserver::testing::Pod;
using testing::AgentTest;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::SimulatedNode;

TEST_F(AgentTest, N1_AStartThatReachesNoSupervisorIsTriedAgainAndIsNoFailure) {
  node.containers.set_reachable(false);
  add_pod("run, '5', '0'");
  EXPECT_EQ(phase(), "Pending");
  EXPECT_EQ(container().state().waiting().reason(), "CreateContainerError");
  EXPECT_THAT(container().state().waiting().message(), HasSubstr("cannot be reached"));
  run_for(seconds(25));
  EXPECT_EQ(phase(), "Pending");
  node.containers.set_reachable(true);
  run_for(seconds(5));
  EXPECT_EQ(phase(), "Running");
  run_for(seconds(5));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(container().restart_count(), 0);
  EXPECT_EQ(node.spawned.size(), 1u);
}

TEST_F(AgentTest, N1_ARestartThatReachesNoSupervisorKeepsTheEndBeforeIt) {
  add_pod_spec(
      "restartPolicy: OnFailure, containers: [{name: c, image: i, command: [flaky, '5', '1']}]");
  node.containers.set_reachable(false);
  run_for(seconds(6));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(container().state().waiting().reason(), "CreateContainerError");
  EXPECT_EQ(container().last_state().terminated().exit_code(), 1);
  node.containers.set_reachable(true);
  run_for(seconds(20));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(container().restart_count(), 1);
}

TEST_F(AgentTest, AStartThatReachesNoSupervisorDoesNotKeepAPodFromBeingDeleted) {
  node.containers.set_reachable(false);
  add_pod_spec("restartPolicy: Never, containers: [{name: c, image: i, command: [run, '5', '0']}]");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  EXPECT_FALSE(pod());
}

// A kubelet's container waits with the reason that its runtime gives, and is tried again.
TEST_F(AgentTest, K18_WhatCannotBeCreatedWaitsWithItsReason) {
  node.containers.refuse(
      env::not_created("l leads out of the volume", "CreateContainerConfigError"));
  add_pod("run, '5', '0'");
  EXPECT_EQ(phase(), "Pending");
  EXPECT_EQ(container().state().waiting().reason(), "CreateContainerConfigError");
  EXPECT_EQ(container().state().waiting().message(), "l leads out of the volume");
  node.containers.refuse(env::not_created("clone container: no space"));
  run_for(seconds(11));
  EXPECT_EQ(container().state().waiting().reason(), "CreateContainerError");
  node.containers.refuse(std::nullopt);
  run_for(seconds(16));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(container().restart_count(), 0);
}

TEST_F(AgentTest, K10_ACommandThatCannotBeStarted) {
  add_pod("missing");
  EXPECT_EQ(phase(), "Failed");
  const auto terminated = container().state().terminated();
  EXPECT_EQ(terminated.exit_code(), 128);
  EXPECT_EQ(terminated.reason(), "StartError");
  EXPECT_THAT(terminated.message(), HasSubstr("executable file not found"));
  EXPECT_TRUE(terminated.has_started_at());
  EXPECT_EQ(terminated.started_at().seconds(), 0);
}

TEST_F(AgentTest, GivesTheProcessItsEnvironmentDirectoryAndLog) {
  add_pod("run, '1', '0'", "hostname: host-7,",
          "env: [{name: INDEX, valueFrom: {fieldRef: {fieldPath: metadata.name}}}],");
  ASSERT_EQ(node.spawned.size(), 1u);
  const env::ContainerRequest& request = node.spawned[0];
  EXPECT_THAT(request.environment, Contains("INDEX=p"));
  EXPECT_THAT(request.environment, Contains("HOSTNAME=host-7"));
  EXPECT_THAT(request.environment, Contains(::testing::StartsWith("PATH=")));
  const std::string uid = pod()->metadata().uid();
  EXPECT_EQ(request.working_directory, "/data/pods/" + uid);
  EXPECT_EQ(request.log_path, "/data/logs/default_p_" + uid + "/c/0.log");
  ASSERT_EQ(node.observer.started.size(), 1u);
  EXPECT_EQ(node.observer.started[0].path, request.log_path);
  EXPECT_EQ(node.observer.started[0].container, "c");
  run_for(seconds(2));
  ASSERT_EQ(node.observer.ended.size(), 1u);
  EXPECT_EQ(node.observer.ended[0].second, 0);
}

TEST_F(AgentTest, OwnWorkingDirectoryWins) {
  add_pod("run, '1', '0'", "", "workingDir: /srv,");
  EXPECT_EQ(node.spawned.at(0).working_directory, "/srv");
}

// Where a container works that names no directory and has a volume there.
class AgentWorkTest : public AgentTest,
                      public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(AgentWorkTest, AVolumeThatCoversThePodsDirectoryLeavesTmp) {
  const auto& [path, expected] = GetParam();
  add_pod("run, '1', '0'", "volumes: [{name: v, emptyDir: {}}],",
          fmt::format("volumeMounts: [{{name: v, mountPath: {}}}],", path));
  ASSERT_EQ(node.spawned.size(), 1u);
  EXPECT_THAT(node.spawned[0].working_directory, ::testing::StartsWith(expected));
  const bool own = node.spawned[0].working_directory != "/tmp";
  EXPECT_EQ(node.spawned[0].isolation.mounts.size(), own ? 2u : 1u);
}

INSTANTIATE_TEST_SUITE_P(Paths, AgentWorkTest,
                         ::testing::Values(std::pair("/data", "/tmp"),
                                           std::pair("/data/pods/", "/tmp"), std::pair("/", "/tmp"),
                                           std::pair("/data/podsaside", "/data/pods/")));

TEST_F(AgentTest, K18_WhatCannotBeConfiguredSaysSo) {
  add_pod("run, '1', '0'", "",
          "env: [{name: A, valueFrom: {configMapKeyRef: {name: cm, key: k}}}],");
  EXPECT_TRUE(node.spawned.empty());
  EXPECT_EQ(phase(), "Pending");
  EXPECT_EQ(container().state().waiting().reason(), "CreateContainerConfigError");
  EXPECT_EQ(container().state().waiting().message(), "configmap \"cm\" not found");
  EXPECT_EQ(condition("PodReadyToStartContainers"), "True");
  EXPECT_EQ(condition("Ready"), "False ContainersNotReady");
}

TEST_F(AgentTest, S88_OnFailureRestartsWithBackOff) {
  add_pod_spec(
      "restartPolicy: OnFailure, containers: [{name: c, image: i, command: [run, '1', '1']}]");
  run_for(milliseconds(1500));  // ended once, started again at once
  EXPECT_EQ(container().restart_count(), 1);
  EXPECT_TRUE(container().state().has_running());
  EXPECT_EQ(container().last_state().terminated().exit_code(), 1);
  run_for(seconds(1));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(container().state().waiting().reason(), "CrashLoopBackOff");
  EXPECT_EQ(
      container().state().waiting().message(),
      "back-off 10s restarting failed container=c pod=p_default(" + pod()->metadata().uid() + ")");
  EXPECT_EQ(condition("Ready"), "False ContainersNotReady");
  run_for(seconds(10));
  EXPECT_EQ(container().restart_count(), 2);
  run_for(seconds(2));
  EXPECT_THAT(container().state().waiting().message(), HasSubstr("back-off 20s"));
  EXPECT_EQ(node.spawned.back().log_path.substr(node.spawned.back().log_path.size() - 5), "2.log");
}

TEST_F(AgentTest, E47_OnFailureEndsWithTheFirstSuccess) {
  add_pod_spec(
      "restartPolicy: OnFailure, containers: [{name: c, image: i, command: [flaky, '1', '1']}]");
  run_for(seconds(3));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_EQ(container().restart_count(), 1);
}

TEST_F(AgentTest, K13_InitContainersRunBeforeTheOthers) {
  add_pod_spec(
      "restartPolicy: Never, initContainers: [{name: i1, image: i, command: [run, '1', '0']}, "
      "{name: i2, image: i, command: [run, '2', '0']}], "
      "containers: [{name: c, image: i, command: [run, '1', '0']}]");
  EXPECT_EQ(node.spawned.size(), 1u);
  EXPECT_EQ(phase(), "Pending");
  EXPECT_EQ(condition("Initialized"), "False ContainersNotInitialized");
  run_for(seconds(1));
  EXPECT_EQ(node.spawned.size(), 2u);
  EXPECT_EQ(container().state().waiting().reason(), "PodInitializing");
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(condition("Initialized"), "True");
  run_for(seconds(1));
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(AgentTest, S89_AFailedInitContainerFailsThePodUnderNever) {
  add_pod_spec(
      "restartPolicy: Never, initContainers: [{name: i1, image: i, command: [run, '1', '4']}], "
      "containers: [{name: c, image: i, command: [run, '1', '0']}]");
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(node.spawned.size(), 1u);
  EXPECT_EQ(container().state().waiting().reason(), "PodInitializing");
  EXPECT_EQ(condition("Ready"), "False PodFailed");
}

// Upstream: "should report termination message from log output if
// TerminationMessagePolicy FallbackToLogsOnError is set", and only then and on failure.
TEST_F(AgentTest, TheEndOfTheLogIsTheMessageOfAContainerThatFails) {
  const auto message = [this](const std::string& code, const std::string& policy) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: p{0}-{1}}}, spec: {{nodeName: node-1, restartPolicy: Never, "
        "containers: [{{name: c, image: i, terminationMessagePolicy: {2}, command: [run, '1', "
        "'{0}']}}]}}}}",
        code, policy == "File" ? "f" : "l", policy));
    run_for(milliseconds(1));
    node.files.put(node.spawned.back().log_path,
                   "2024-01-01T00:00:00Z stdout F hello\n"
                   "2024-01-01T00:00:00Z stderr P DONE\n");
    run_for(seconds(2));
    return api.pod("p" + code + (policy == "File" ? "-f" : "-l"))
        ->status()
        .container_statuses(0)
        .state()
        .terminated()
        .message();
  };
  EXPECT_EQ(message("1", "FallbackToLogsOnError"), "hello\nDONE");
  EXPECT_EQ(message("0", "FallbackToLogsOnError"), "");
  EXPECT_EQ(message("1", "File"), "");
}

// Upstream: "should verify that a failing subpath expansion can be modified during the lifecycle".
TEST_F(AgentTest, ASubPathThatLeadsOutOfItsVolumeWaitsUntilItsAnnotationChanges) {
  api.create_pod(
      "{metadata: {name: p, annotations: {where: /tmp}}, spec: {nodeName: node-1, restartPolicy: "
      "Never, volumes: [{name: v, emptyDir: {}}], containers: [{name: c, image: i, command: [run, "
      "'9', '0'], env: [{name: A, valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['where']"
      "\"}}}], volumeMounts: [{name: v, mountPath: /v, subPathExpr: $(A)}]}]}}");
  run_for(seconds(30));
  EXPECT_EQ(phase(), "Pending");
  EXPECT_EQ(container().state().waiting().reason(), "CreateContainerConfigError");
  EXPECT_THAT(container().state().waiting().message(), HasSubstr("must not be an absolute path"));
  EXPECT_TRUE(node.spawned.empty());
  api.change<Pod>(api::kinds::pod(), "default", "p", "", [](Pod& changed) {
    (*changed.mutable_metadata()->mutable_annotations())["where"] = "below";
  });
  run_for(milliseconds(10));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(node.spawned.size(), 1u);
}

TEST_F(AgentTest, K12_ALostContainerIsRestartedWhereThePolicyAllows) {
  add_pod_spec(
      "restartPolicy: OnFailure, containers: [{name: c, image: i, command: [run, '-1', '0']}]");
  node.agent.reset();
  SimulatedNode again(api);
  again.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(again.spawned.size(), 1u);
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(container().restart_count(), 1);
  EXPECT_EQ(container().last_state().terminated().reason(), "ContainerStatusUnknown");
}

TEST_F(AgentTest, RemovesTheDirectoryAtTheEndAndLogsWithTheObject) {
  add_pod("run, '1', '0'");
  const std::string uid = pod()->metadata().uid();
  const std::string work = "/data/pods/" + uid;
  const std::string logs = "/data/logs/default_p_" + uid;
  EXPECT_FALSE(node.files.type(work)) << "its first container finds it made";
  EXPECT_FALSE(node.files.type(logs)) << "they come with the first line";
  node.files.put(work + "/file", "text");
  node.files.put(logs + "/c/0.log", "text");
  run_for(seconds(2));
  EXPECT_FALSE(node.files.type(work));
  EXPECT_TRUE(node.files.type(logs));
  ASSERT_TRUE(api.remove_pod("p").answer);
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& changed) { changed.mutable_metadata()->clear_finalizers(); });
  run_for(seconds(1));
  EXPECT_FALSE(pod());
  EXPECT_FALSE(node.files.type(logs));
}

// What it writes within its last seconds is not left behind either.
TEST_F(AgentTest, LogsOfAForceDeletedPodGoWhenItHasEnded) {
  add_pod_spec(
      "restartPolicy: Never, containers: [{name: c, image: i, command: [run, '-1', '0', '1', "
      "'0']}]");
  const std::string log = node.spawned.back().log_path;
  ASSERT_TRUE(api.remove_pod("p", 0).answer);
  run_for(milliseconds(10));
  EXPECT_FALSE(pod());
  node.files.put(log, "text");
  run_for(seconds(2));
  EXPECT_FALSE(node.files.type(log));
}

}  // namespace
}  // namespace windlass::node
