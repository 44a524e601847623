// Objects that ask for more than there is: the pod has the trouble, not the node.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "node/agent_testing.h"
#include "schema/core/v1/config_map.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Pod;
using testing::AgentTest;
using ::testing::HasSubstr;

std::string doubling_variables() {
  std::string list = "{name: V0, value: 0123456789abcdef}";
  for (int i = 1; i <= 40; ++i) {
    list += fmt::format(", {{name: V{0}, value: $(V{1})$(V{1})}}", i, i - 1);
  }
  return "env: [" + list + "],";
}

TEST_F(AgentTest, K10_AnEnvironmentThatNoKernelTakesIsAStartErrorOfThePod) {
  add_pod("run, '5', '0'", "", doubling_variables());
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(container().state().terminated().reason(), "StartError");
  EXPECT_EQ(container().state().terminated().exit_code(), 128);
  EXPECT_THAT(container().state().terminated().message(),
              HasSubstr("exec: argument list too long: env V13"));
  EXPECT_TRUE(node.spawned.empty());
  // The next agent finds it ended, and others run.
  node.make_agent(api);
  node.agent->start();
  api.create_pod(
      "{metadata: {name: q}, spec: {nodeName: node-1, restartPolicy: Never, containers: [{name: "
      "c, image: i, command: [run, '5', '0']}]}}");
  run_for(seconds(10));
  EXPECT_EQ(api.pod("q")->status().phase(), "Succeeded");
}

TEST_F(AgentTest, K17_AStartThatTheKernelWouldRefuseIsTriedAgainWithBackOff) {
  add_pod_spec("restartPolicy: OnFailure, containers: [{name: c, image: i, " +
               doubling_variables() + " command: [run, '5', '0']}]");
  run_for(minutes(2));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(container().state().waiting().reason(), "CrashLoopBackOff");
  EXPECT_EQ(container().last_state().terminated().reason(), "StartError");
  EXPECT_GE(container().restart_count(), 3);
  EXPECT_LE(container().restart_count(), 5);
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  EXPECT_FALSE(pod());
}

TEST_F(AgentTest, AGraceOfAllSecondsThereAreIsForEver) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  add_pod("run, '-1', '0', '1000', '7'",
          fmt::format("terminationGracePeriodSeconds: {0}, activeDeadlineSeconds: {1},", most,
                      std::numeric_limits<int32_t>::max()));
  EXPECT_EQ(phase(), "Running");
  ASSERT_TRUE(api.remove_pod("p", 1'000'000'000).answer);
  run_for(seconds(500));
  EXPECT_EQ(phase(), "Running");
  run_for(seconds(501));
  EXPECT_EQ(container().state().terminated().exit_code(), 7);
}

TEST_F(AgentTest, CountsAndTimesThatAClientWroteIntoAStatusStayInRange) {
  add_pod_spec(
      "restartPolicy: OnFailure, containers: [{name: c, image: i, command: [flaky, '5', '1']}]");
  node.agent.reset();
  api.change<Pod>(api::kinds::pod(), "default", "p", "status", [](Pod& changed) {
    auto& status = *changed.mutable_status()->mutable_container_statuses(0);
    status.set_restart_count(std::numeric_limits<int32_t>::max());
    status.mutable_state()->clear_running();
    auto& ended = *status.mutable_state()->mutable_terminated();
    ended.set_exit_code(1);
    ended.mutable_started_at()->set_seconds(-62'000'000'000);
    ended.mutable_finished_at()->set_seconds(253'000'000'000);
    changed.mutable_status()->mutable_start_time()->set_seconds(-62'000'000'000);
  });
  node.make_agent(api);
  node.agent->start();
  run_for(minutes(1));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_GT(container().restart_count(), 0);
}

// 80 files of 1 MB from one object of that size.
TEST_F(AgentTest, VolumesOfOneObjectHaveAnEnd) {
  std::string items;
  for (int i = 0; i < 80; ++i) {
    items += fmt::format("{{key: k, path: f{}}}, ", i);
  }
  api.create<api::core::v1::ConfigMap>(
      api::kinds::config_map(),
      "{metadata: {name: big}, data: {k: " + std::string(1'000'000, 'x') + "}}");
  add_pod_spec("restartPolicy: Never, volumes: [{name: v, configMap: {name: big, items: [" + items +
               "]}}], containers: [{name: c, image: i, command: [run, '5', '0'], volumeMounts: "
               "[{name: v, mountPath: /v}]}]");
  run_for(seconds(30));
  EXPECT_EQ(phase(), "Pending");
  EXPECT_TRUE(node.spawned.empty());
}

}  // namespace
}  // namespace windlass::node
