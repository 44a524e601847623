// Pods that are over before their containers have stopped: they are not ready from that moment on.
#include <gtest/gtest.h>

#include "node/pod/intercepted_testing.h"

namespace windlass::node {
namespace {

using api::core::v1::PodStatus;

class UnreadyEndTest : public testing::InterceptedNodeTest {
 protected:
  // Takes no notice of SIGTERM, and has five seconds.
  void add_stubborn_pod(const std::string& more = "") {
    add_pod("run, '-1', '0', '3600', '0'",
            "restartPolicy: Never, terminationGracePeriodSeconds: 5" + more);
    EXPECT_EQ(condition("Ready"), "True");
  }
  void expect_unready(const std::string& reason) {
    EXPECT_EQ(condition("Ready"), "False " + reason);
    EXPECT_EQ(condition("ContainersReady"), "False " + reason);
    EXPECT_TRUE(state().has_running());
    EXPECT_EQ(node.containers.running(), 1u);
  }
};

TEST_F(UnreadyEndTest, K43_AtItsDeadline) {
  add_stubborn_pod(", activeDeadlineSeconds: 2");
  run_for(seconds(3));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(status().reason(), "");
  expect_unready("PodFailed");
  run_for(seconds(5));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(status().reason(), "DeadlineExceeded");
  EXPECT_EQ(condition("Ready"), "False PodFailed");
  EXPECT_EQ(state().terminated().exit_code(), 137);
  EXPECT_EQ(event("DeadlineExceeded"),
            "Normal Pod was active on the node longer than the specified deadline");
}

TEST_F(UnreadyEndTest, K16_WhenOthersSayThatItHasFailed) {
  add_stubborn_pod();
  change_status([](PodStatus& ended) {
    ended.set_phase("Failed");
    ended.set_reason("Somehow");
  });
  run_for(seconds(1));
  expect_unready("PodFailed");
  run_for(seconds(5));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(status().reason(), "Somehow");
  EXPECT_EQ(condition("Ready"), "False PodFailed");
  EXPECT_EQ(state().terminated().exit_code(), 137);
}

TEST_F(UnreadyEndTest, K16_WhenOthersSayThatItHasSucceeded) {
  add_stubborn_pod();
  change_status([](PodStatus& ended) { ended.set_phase("Succeeded"); });
  run_for(seconds(1));
  expect_unready("PodCompleted");
}

TEST_F(UnreadyEndTest, K16_AlsoWhenItWasStoppingAlready) {
  add_stubborn_pod();
  ASSERT_TRUE(api.remove_pod("p", 5).answer);
  run_for(seconds(1));
  EXPECT_EQ(condition("Ready"), "True") << "K-35: a deleted pod says nothing until it has stopped";
  change_status([](PodStatus& ended) { ended.set_phase("Failed"); });
  run_for(seconds(1));
  expect_unready("PodFailed");
}

TEST_F(UnreadyEndTest, K16_AlsoWhenTheAgentComesBackToIt) {
  add_stubborn_pod();
  node.agent.reset();
  change_status([](PodStatus& ended) { ended.set_phase("Failed"); });
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  expect_unready("PodFailed");
}

}  // namespace
}  // namespace windlass::node
