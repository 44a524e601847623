// What an agent has said of its pods, and the API has not any more.
#include "node/pod/pod_status.h"

#include <gtest/gtest.h>

#include "node/pod/intercepted_testing.h"

namespace windlass::node {
namespace {

using api::core::v1::PodStatus;

constexpr Duration kReconcile = seconds(11);  // every ten, and a moment

class LostStatusTest : public testing::InterceptedNodeTest {};

TEST_F(LostStatusTest, K40_AnEndThatTheApiLostIsSaidAgain) {
  add_pod("run, '1', '3'");
  run_for(seconds(2));
  ASSERT_EQ(phase(), "Failed");
  change_status([](PodStatus& lost) {
    lost.set_phase("Running");
    lost.clear_container_statuses();
    lost.clear_conditions();
  });
  run_for(kReconcile);
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(state().terminated().exit_code(), 3);
  EXPECT_EQ(condition("Ready"), "False PodFailed");
  EXPECT_EQ(node.spawned.size(), 1u);
}

TEST_F(LostStatusTest, C9_AnEndThatWasLostWhileAFinalizerHoldsThePodIsSaidAgain) {
  add_pod("run, '-1', '0', '1', '0'");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(2));
  ASSERT_EQ(phase(), "Succeeded");
  change_status([](PodStatus& lost) { lost.set_phase("Running"); });
  run_for(kReconcile);
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(LostStatusTest, K40_ARejectionThatTheApiLostIsSaidAgain) {
  add_pod("run, '1', '0'", "restartPolicy: OnFailure, overhead: {cpu: 100}");
  ASSERT_EQ(status().reason(), "OutOfcpu");
  const std::string message = status().message();
  change_status([](PodStatus& lost) {
    lost.set_phase("Pending");
    lost.clear_reason();
    lost.clear_message();
  });
  run_for(kReconcile);
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(status().reason(), "OutOfcpu");
  EXPECT_EQ(status().message(), message);
  EXPECT_EQ(status().container_statuses_size(), 0) << "K-2";
  EXPECT_TRUE(node.spawned.empty());
}

TEST_F(LostStatusTest, K40_WhatTheApiLostOfARunningPodIsSaidAgain) {
  add_pod("run, '-1', '0'");
  change_status([](PodStatus& lost) { lost.set_phase("Pending"); });
  run_for(kReconcile);
  EXPECT_EQ(phase(), "Running");
  change_status([](PodStatus& lost) { lost.mutable_container_statuses(0)->set_restart_count(7); });
  run_for(kReconcile);
  EXPECT_EQ(status().container_statuses(0).restart_count(), 0);
  change_status([](PodStatus& lost) {
    auto& state = *lost.mutable_container_statuses(0)->mutable_state();
    state.clear_running();
    state.mutable_waiting()->set_reason("ContainerCreating");
  });
  run_for(kReconcile);
  EXPECT_TRUE(state().has_running());
}

TEST_F(LostStatusTest, K40_TheServerIsNotAskedWhereNothingIsLost) {
  add_pod("run, '-1', '0'",
          "restartPolicy: Never, initContainers: [{name: first, image: i, command: [run, '1', "
          "'0']}, {name: aside, image: i, restartPolicy: Always, command: [run, '-1', '0']}]");
  run_for(seconds(2));
  ASSERT_EQ(phase(), "Running");
  calls.calls.clear();
  run_for(minutes(1));
  EXPECT_EQ(calls.count("get pods"), 0u);
  ASSERT_TRUE(api.remove_pod("p", 1).answer);
  run_for(seconds(5));
  ASSERT_EQ(phase(), "Failed");
  calls.calls.clear();
  run_for(minutes(1));
  EXPECT_EQ(calls.count("get pods"), 0u) << "nor when it is over";
}

// The API refuses to take an end back under restartPolicy Never; insisting would hold up the real
// one.
TEST_F(LostStatusTest, K41_AnEndThatOthersInventedIsLeftUntilTheRealOne) {
  add_pod("run, '60', '4'");
  change_status([](PodStatus& invented) {
    auto& status = *invented.mutable_container_statuses(0);
    status.set_ready(false);
    status.mutable_state()->clear_running();
    status.mutable_state()->mutable_terminated()->set_exit_code(9);
  });
  calls.calls.clear();
  run_for(seconds(50));
  EXPECT_EQ(calls.count("update pods/status"), 0u);
  run_for(seconds(11));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(state().terminated().exit_code(), 4);
}

}  // namespace
}  // namespace windlass::node
