#include "scheduler/scheduler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"

namespace windlass::scheduler {
namespace {

using apiserver::testing::Node;
using apiserver::testing::Pod;
using apiserver::testing::SimApi;

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() : scheduler(api.client_env(), {}) {}

  void start() {
    scheduler.start();
    settle();
  }
  void settle() { api.world.run_for(milliseconds(1)); }

  void add_node(const std::string& name, const std::string& cpu = "2",
                const std::string& ready = "True") {
    api.create_node(fmt::format(
        "{{metadata: {{name: {}}}, status: {{allocatable: {{cpu: '{}', memory: 1Gi, pods: '10'}}, "
        "conditions: [{{type: Ready, status: '{}'}}]}}}}",
        name, cpu, ready));
  }
  void add_pod(const std::string& name, const std::string& cpu = "1",
               const std::string& more = "") {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{{} containers: [{{name: c, image: i, resources: "
        "{{requests: {{cpu: '{}'}}}}}}]}}}}",
        name, more, cpu));
  }
  std::string node_of(const std::string& pod) { return api.pod(pod)->spec().node_name(); }
  api::core::v1::PodCondition scheduled(const std::string& pod) {
    for (const auto& condition : api.pod(pod)->status().conditions()) {
      if (condition.type() == "PodScheduled") {
        return condition;
      }
    }
    return {};
  }
  void finish(const std::string& pod) {
    api.change<Pod>(api::kinds::pod(), "default", pod, "status",
                    [](Pod& changed) { changed.mutable_status()->set_phase("Succeeded"); });
  }

  SimApi api;
  Scheduler scheduler;
};

TEST_F(SchedulerTest, S17_BindsAPodThatFits) {
  add_node("n1");
  add_pod("p");
  start();
  EXPECT_EQ(node_of("p"), "n1");
  EXPECT_EQ(scheduled("p").status(), "True");
  EXPECT_EQ(scheduler.waiting(), 0u);
}

TEST_F(SchedulerTest, BindsPodsThatComeLater) {
  add_node("n1");
  start();
  add_pod("p");
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, FillsNodesInTheOrderOfTheirNames) {
  add_node("n2");
  add_node("n1");
  start();
  for (const char* name : {"a", "b", "c"}) {
    add_pod(name);
    settle();
  }
  EXPECT_EQ(node_of("a"), "n1");
  EXPECT_EQ(node_of("b"), "n1");
  EXPECT_EQ(node_of("c"), "n2");
}

TEST_F(SchedulerTest, S18_APodThatFitsNowhereSaysWhyAndStaysPending) {
  add_node("n1");
  add_node("n2", "8");
  api.change<Node>(api::kinds::node(), "", "n2", "",
                   [](Node& node) { node.mutable_spec()->set_unschedulable(true); });
  add_pod("big", "3");
  start();
  EXPECT_EQ(node_of("big"), "");
  EXPECT_EQ(api.pod("big")->status().phase(), "Pending");
  EXPECT_EQ(scheduled("big").status(), "False");
  EXPECT_EQ(scheduled("big").reason(), "Unschedulable");
  EXPECT_EQ(scheduled("big").message(),
            "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.");
  EXPECT_EQ(scheduler.waiting(), 1u);
}

TEST_F(SchedulerTest, S19_WithoutNodes) {
  add_pod("p");
  start();
  EXPECT_EQ(scheduled("p").message(), "no nodes available to schedule pods");
}

TEST_F(SchedulerTest, NodesThatAreNotReadyGetNoPods) {
  add_node("n1", "2", "False");
  add_pod("p");
  start();
  EXPECT_EQ(scheduled("p").message(),
            "0/1 nodes are available: 1 node(s) had untolerated taint(s).");
}

TEST_F(SchedulerTest, S5_ANewNodeWakesWaitingPods) {
  add_pod("p");
  start();
  EXPECT_EQ(node_of("p"), "");
  add_node("n1");
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S5_AnUncordonedNodeWakesWaitingPods) {
  add_node("n1");
  const auto cordon = [this](bool on) {
    api.change<Node>(api::kinds::node(), "", "n1", "", [on](Node& node) {
      on ? node.mutable_spec()->set_unschedulable(true)
         : node.mutable_spec()->clear_unschedulable();
    });
  };
  cordon(true);
  add_pod("p");
  start();
  EXPECT_EQ(node_of("p"), "");
  cordon(false);
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S2_S5_APodThatEndsMakesRoomWhileItsObjectIsStillThere) {
  add_node("n1", "1");
  add_pod("first");
  start();
  add_pod("second");
  settle();
  EXPECT_EQ(node_of("second"), "");
  finish("first");
  settle();
  EXPECT_EQ(node_of("second"), "n1");
}

TEST_F(SchedulerTest, S5_APodThatIsDeletedMakesRoom) {
  add_node("n1", "1");
  add_pod("first");
  start();
  add_pod("second");
  settle();
  EXPECT_TRUE(api.remove_pod("first", 0).answer);
  settle();
  EXPECT_EQ(node_of("second"), "n1");
}

TEST_F(SchedulerTest, S10_TerminatingPodsStillTakeRoom) {
  add_node("n1", "1");
  add_pod("first");
  start();
  add_pod("second");
  EXPECT_TRUE(api.remove_pod("first", 30).answer);
  settle();
  EXPECT_EQ(node_of("second"), "");
}

TEST_F(SchedulerTest, S1_HigherPriorityFirstThenFirstCome) {
  add_pod("early", "1");
  add_pod("late", "1");
  add_pod("urgent", "1", "priority: 10,");
  start();
  add_node("n1", "2");
  settle();
  EXPECT_EQ(node_of("urgent"), "n1");
  EXPECT_EQ(node_of("early"), "n1");
  EXPECT_EQ(node_of("late"), "");
}

TEST_F(SchedulerTest, LeavesAlonePodsOfOthers) {
  add_node("n1");
  add_pod("foreign", "1", "schedulerName: other,");
  add_pod("gated", "1", "schedulingGates: [{name: example.com/g}],");
  start();
  EXPECT_EQ(node_of("foreign"), "");
  EXPECT_EQ(node_of("gated"), "");
  EXPECT_EQ(scheduled("foreign").type(), "");
  EXPECT_EQ(scheduler.waiting(), 0u);
}

TEST_F(SchedulerTest, DoesNotOvercommitWhileBindingsAreUnderWay) {
  add_node("n1", "2");
  for (int i = 0; i < 6; ++i) {
    add_pod(fmt::format("p{}", i));
  }
  start();
  int bound = 0;
  for (const auto& pod : api.pods()) {
    bound += pod->spec().node_name().empty() ? 0 : 1;
  }
  EXPECT_EQ(bound, 2);
  EXPECT_EQ(scheduler.waiting(), 4u);
}

TEST_F(SchedulerTest, C4_TheSameReasonIsWrittenOnce) {
  add_node("n1", "1");
  add_pod("big", "3");
  start();
  const std::string version = api.pod("big")->metadata().resource_version();
  add_pod("small", "1");
  settle();
  finish("small");
  settle();
  EXPECT_EQ(api.pod("big")->metadata().resource_version(), version);
}

}  // namespace
}  // namespace windlass::scheduler
