// Preemption through the API, from the attempt to the binding (disruption.md 1.4, 1.5, table 12).
#include "scheduler/eviction.h"

#include <gtest/gtest.h>

#include "scheduler/scheduler_testing.h"

namespace windlass::scheduler {
namespace {

using testing::Pod;
using testing::SchedulerTest;

constexpr const char* kHigh = "priority: 10,";

class PreemptionScenarioTest : public SchedulerTest {
 protected:
  // A node of one cpu, full with a pod of priority 0.
  void fill_node(const std::string& meta = "") {
    add_node("n1", "1");
    add_running("victim", "n1", "1", "", meta);
  }
  size_t index_of(const std::string& prefix) {
    for (size_t i = 0; i < calls.calls.size(); ++i) {
      if (calls.calls[i].starts_with(prefix)) {
        return i;
      }
    }
    return calls.calls.size();
  }
  std::string uid(const std::string& pod) { return api.pod(pod)->metadata().uid(); }
  // What a kubelet does when the grace period is over.
  void let_go(const std::string& pod) {
    finish(pod, "Failed");
    EXPECT_TRUE(api.remove_pod(pod, 0).answer);
  }

  // Two full nodes; room is being made on n1, and could be made on n2.
  void nominate_to_the_first() {
    add_node("n1", "1");
    add_node("n2", "1");
    add_running("first", "n1", "1", "priority: 1,", "", 2000);
    add_running("second", "n2", "1", "priority: 2,");
    start();
    add_pod("urgent", "1", kHigh);
    settle();
    ASSERT_EQ(nominated("urgent"), "n1");
  }
  void expect_it_turns_to_the_second() {
    api.world.run_for(seconds(2));
    EXPECT_EQ(nominated("urgent"), "n2");
    EXPECT_TRUE(is_deleting("second"));
  }
};

TEST_F(PreemptionScenarioTest, Scenario11_P15_P18_P21_TheWholeStory) {
  fill_node();
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_EQ(target("victim").status(), "True");
  EXPECT_EQ(target("victim").reason(), "PreemptionByScheduler");
  EXPECT_EQ(target("victim").message(),
            "default-scheduler: preempting to accommodate a higher priority pod");
  EXPECT_TRUE(is_deleting("victim"));
  EXPECT_EQ(api.pod("victim")->metadata().deletion_grace_period_seconds(), 30);
  EXPECT_LT(index_of("update pods/status default/victim"), index_of("delete pods default/victim"));
  EXPECT_EQ(api.pod("victim")->status().phase(), "Running");  // P-22
  EXPECT_EQ(events("victim"), std::set<std::string>{"Normal Preempted: Preempted by pod " +
                                                    uid("urgent") + " on node n1"});
  EXPECT_EQ(actions("victim"),
            std::set<std::string>{"Preempted Preempting default-scheduler default-scheduler"});
  EXPECT_EQ(target("victim").observed_generation(), 1);
  EXPECT_EQ(nominated("urgent"), "n1");
  EXPECT_EQ(scheduled("urgent").reason(), "Unschedulable");
  EXPECT_EQ(scheduled("urgent").message(),
            "0/1 nodes are available: 1 Insufficient cpu.");  // S-19
  EXPECT_EQ(node_of("urgent"), "");
  let_go("victim");
  settle();
  EXPECT_EQ(node_of("urgent"), "n1");
  EXPECT_EQ(nominated("urgent"), "");
  // P-23
  EXPECT_GE(scheduler->metrics().preemption_attempts, 1u);
  EXPECT_EQ(scheduler->metrics().preemption_victims, 1u);
}

TEST_F(PreemptionScenarioTest, Scenario12_P2_NeverPreempts) {
  fill_node();
  start();
  add_pod("urgent", "1", "priority: 10, preemptionPolicy: Never,");
  settle();
  EXPECT_FALSE(is_deleting("victim"));
  EXPECT_EQ(scheduled("urgent").message(),
            "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to "
            "preemptionPolicy=Never.");
}

TEST_F(PreemptionScenarioTest, Scenario13_P6_EqualPriorities) {
  fill_node();
  start();
  add_pod("equal", "1");
  settle();
  EXPECT_FALSE(is_deleting("victim"));
  EXPECT_EQ(scheduled("equal").message(),
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
            "No preemption victims found for incoming pod.");
}

TEST_F(PreemptionScenarioTest, Scenario14And15_P8_P10_TheLessImportantGoes) {
  add_node("n1", "2");
  add_running("older", "n1", "1", "priority: 1,", "", 1000);
  add_running("newer", "n1", "1", "priority: 1,", "", 2000);
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_FALSE(is_deleting("older"));
  EXPECT_TRUE(is_deleting("newer"));
}

TEST_F(PreemptionScenarioTest, Scenario16And17_P10_Budgets) {
  add_node("n1", "2");
  add_running("guarded", "n1", "1", "priority: 1,", "labels: {app: x}");
  add_running("open", "n1", "1", "priority: 2,");
  add_budget("x", 0);
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_FALSE(is_deleting("guarded"));
  EXPECT_TRUE(is_deleting("open"));
  let_go("open");
  settle();
  ASSERT_EQ(node_of("urgent"), "n1");
  add_pod("second", "1", kHigh);
  settle();
  EXPECT_TRUE(is_deleting("guarded"));  // nothing else would help
}

TEST_F(PreemptionScenarioTest, Scenario18_P12_1_TheNodeWithoutViolation) {
  add_node("n1", "1");
  add_node("n2", "1");
  add_running("guarded", "n1", "1", "priority: 1,", "labels: {app: x}");
  add_running("open", "n2", "1", "priority: 5,");
  add_budget("x", 0);
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_EQ(nominated("urgent"), "n2");
}

TEST_F(PreemptionScenarioTest, Scenario23_P16_ARefusedMarkIsNeitherADeleteNorALoop) {
  fill_node();
  start();
  size_t refused = 0;
  calls.refuse = [&](const std::string& line) -> std::optional<Status> {
    if (!line.starts_with("update pods/status default/victim")) {
      return std::nullopt;
    }
    ++refused;
    return forbidden({"", "pods", "victim"}, "not now");
  };
  add_pod("urgent", "1", kHigh);
  api.world.run_for(seconds(30));
  EXPECT_FALSE(is_deleting("victim"));
  EXPECT_EQ(target("victim").type(), "");
  EXPECT_EQ(preempted_events("victim"), 0u);
  EXPECT_GE(refused, 4u);
  EXPECT_LE(refused, 6u);  // after 0, 1, 3, 7, 15 and 25 seconds
  EXPECT_EQ(nominated("urgent"), "n1");
  calls.refuse = nullptr;
  api.world.run_for(seconds(11));
  EXPECT_TRUE(is_deleting("victim"));
  EXPECT_EQ(target("victim").status(), "True");
}

TEST_F(PreemptionScenarioTest, P17_ARefusedDeleteKeepsTheMarkAndBacksOff) {
  fill_node();
  start();
  calls.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("delete pods") ? std::optional(internal_error("no")) : std::nullopt;
  };
  add_pod("urgent", "1", kHigh);
  api.world.run_for(seconds(30));
  EXPECT_EQ(target("victim").status(), "True");
  EXPECT_EQ(preempted_events("victim"), 0u);
  EXPECT_LE(calls.count("delete pods"), 6u);
  EXPECT_EQ(calls.count("update pods/status default/victim"), 1u);  // C-4: written once
  calls.refuse = nullptr;
  api.world.run_for(seconds(11));
  EXPECT_TRUE(is_deleting("victim"));
}

TEST_F(PreemptionScenarioTest, D14_C7_AMarkThatWasClearedBeforeTheDeleteIsMadeAgain) {
  fill_node();
  start();
  calls.before = [this](const std::string& line) {
    if (line.starts_with("delete pods") && calls.count("delete pods") == 1) {
      change_status("victim", [](Pod& pod) {
        for (auto& each : *pod.mutable_status()->mutable_conditions()) {
          each.set_status("False");
        }
      });
    }
  };
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_TRUE(is_deleting("victim"));
  EXPECT_EQ(target("victim").status(), "True");
  EXPECT_EQ(preempted_events("victim"), 1u);
}

TEST_F(PreemptionScenarioTest, D14_AVictimThatChangesAllTheTimeIsNoLoop) {
  fill_node();
  start();
  int changes = 0;
  calls.before = [&](const std::string& line) {
    if (line.starts_with("delete pods")) {
      change_status("victim", [&](Pod& pod) {
        pod.mutable_status()->set_message(std::to_string(++changes));
      });
    }
  };
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_EQ(calls.count("delete pods"), 5u);
  EXPECT_FALSE(is_deleting("victim"));
  calls.before = nullptr;
  api.world.run_for(seconds(2));
  EXPECT_TRUE(is_deleting("victim"));
}

TEST_F(PreemptionScenarioTest, P16_AVictimThatWasMadeAnewIsAnotherPod) {
  fill_node();
  start();
  calls.before = [this](const std::string& line) {
    if (line.starts_with("delete pods") && calls.count("delete pods") == 1) {
      EXPECT_TRUE(api.remove_pod("victim", 0).answer);
      add_pod("victim", "1", "nodeSelector: {no: where},");
    }
  };
  add_pod("urgent", "1", kHigh);
  api.world.run_for(seconds(2));
  EXPECT_FALSE(is_deleting("victim"));
  EXPECT_EQ(target("victim").type(), "");
  EXPECT_EQ(node_of("urgent"), "n1");
}

TEST_F(PreemptionScenarioTest, Scenario24_P16_AVictimThatIsGoneAlready) {
  fill_node();
  start();
  bool removed = false;
  calls.before = [&](const std::string& line) {
    if (line == "get pods default/victim" && !removed) {
      removed = true;
      EXPECT_TRUE(api.remove_pod("victim", 0).answer);
    }
  };
  add_pod("urgent", "1", kHigh);
  api.world.run_for(seconds(2));
  EXPECT_TRUE(removed);
  EXPECT_EQ(calls.count("delete pods default/victim"), 0u);
  EXPECT_EQ(preempted_events("victim"), 0u);
  EXPECT_EQ(node_of("urgent"), "n1");
}

TEST_F(PreemptionScenarioTest, Scenario24_P16_AlsoWhenNoFurtherEventComes) {
  fill_node();
  start();
  calls.refuse = [](const std::string& line) -> std::optional<Status> {
    return line == "get pods default/victim" ? std::optional(not_found({"", "pods", "victim"}))
                                             : std::nullopt;
  };
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_EQ(calls.count("get pods default/victim"), 1u);
  api.world.run_for(milliseconds(1100));
  EXPECT_EQ(calls.count("get pods default/victim"), 2u);
}

TEST_F(PreemptionScenarioTest, Scenario26_B1_TheMarkIsMadeFromTheVictimsOwnStatus) {
  add_node("n1", "1");
  api.create_pod(
      "{metadata: {name: victim}, spec: {nodeName: n1, containers: [{name: other, image: i, "
      "resources: {requests: {cpu: '1', memory: 1Mi}, limits: {cpu: '1', memory: 1Mi}}}]}}");
  change_status("victim", [](Pod& pod) {
    pod.mutable_status()->set_phase("Running");
    pod.mutable_status()->set_host_ip("10.0.0.1");
  });
  start();
  add_pod("urgent", "0", kHigh);
  add_pod("urgent-2", "1", kHigh);
  settle();
  EXPECT_TRUE(is_deleting("victim"));
  EXPECT_EQ(api.pod("victim")->status().qos_class(), "Guaranteed");
  EXPECT_EQ(api.pod("victim")->status().host_ip(), "10.0.0.1");
}

TEST_F(PreemptionScenarioTest, Scenario27_P13_AVictimThatIsLeavingAlready) {
  fill_node();
  EXPECT_TRUE(api.remove_pod("victim", 30).answer);
  start();
  calls.calls.clear();
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_EQ(nominated("urgent"), "n1");
  EXPECT_EQ(calls.count("update pods/status default/victim"), 0u);
  EXPECT_EQ(calls.count("delete pods"), 0u);
  EXPECT_TRUE(events("victim").empty());
  let_go("victim");
  settle();
  EXPECT_EQ(node_of("urgent"), "n1");
}

// A pod that waits for one that a user deletes is tried again with every change, and not in
// between.
TEST_F(PreemptionScenarioTest, Scenario27_P13_WhoWaitsIsTriedOncePerChange) {
  fill_node();
  EXPECT_TRUE(api.remove_pod("victim", 30).answer);
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  const auto tried = [this] { return scheduler->metrics().preemption_attempts; };
  const auto before = tried();
  for (int change = 1; change <= 3; ++change) {
    change_node("n1", [&](auto& node) {
      (*node.mutable_metadata()->mutable_labels())["a"] = std::to_string(change);
    });
    api.world.run_for(seconds(20));
    EXPECT_EQ(tried(), before + static_cast<uint64_t>(change));
  }
  EXPECT_EQ(nominated("urgent"), "n1");
}

// The node holds a leaving pod of one cpu and another of one cpu; the preemptor needs one.
TEST_F(PreemptionScenarioTest, Scenario28And29_P3_OnlyVictimsOfPreemptionAreWaitedFor) {
  add_node("n1", "2");
  add_running("first", "n1", "1", "priority: 1,", "", 2000);
  add_running("second", "n1", "1", "priority: 2,");
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  ASSERT_TRUE(is_deleting("first"));
  // Something changes, the pod is tried again: it waits for its victim.
  change_node("n1", [](auto& node) { (*node.mutable_metadata()->mutable_labels())["a"] = "b"; });
  api.world.run_for(seconds(2));
  EXPECT_FALSE(is_deleting("second"));
  EXPECT_EQ(scheduled("urgent").message(),
            "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to a "
            "terminating pod on the nominated node.");
  EXPECT_EQ(nominated("urgent"), "n1");
}

TEST_F(PreemptionScenarioTest, Scenario28_P3_APodThatAUserDeletesIsNotWaitedFor) {
  add_node("n1", "2");
  add_running("kept", "n1", "1", "priority: 2,");
  add_running("leaving", "n1", "1", "priority: 1,");
  EXPECT_TRUE(api.remove_pod("leaving", 30).answer);
  add_pod("urgent", "2", kHigh);
  change_status("urgent", [](Pod& pod) { pod.mutable_status()->set_nominated_node_name("n1"); });
  start();
  EXPECT_TRUE(is_deleting("kept"));
}

TEST_F(PreemptionScenarioTest, Scenario121_F1_WithTheGateOffItIsWaitedFor) {
  add_node("n1", "2");
  add_running("kept", "n1", "1", "priority: 2,");
  add_running("leaving", "n1", "1", "priority: 1,");
  EXPECT_TRUE(api.remove_pod("leaving", 30).answer);
  add_pod("urgent", "2", kHigh);
  change_status("urgent", [](Pod& pod) { pod.mutable_status()->set_nominated_node_name("n1"); });
  start({.disruption_conditions = false});
  EXPECT_FALSE(is_deleting("kept"));
}

TEST_F(PreemptionScenarioTest, P3_UnlessTheNominatedNodeCannotTakeItAnyMore) {
  nominate_to_the_first();
  change_node("n1", [](auto& node) { node.mutable_spec()->set_unschedulable(true); });
  expect_it_turns_to_the_second();
}

TEST_F(PreemptionScenarioTest, P3_S5_UnlessTheNominatedNodeIsGone) {
  nominate_to_the_first();
  EXPECT_TRUE(api.remove(api::kinds::node(), "", "n1").answer);
  expect_it_turns_to_the_second();
}

TEST_F(PreemptionScenarioTest, P3_S5_UnlessTheNominatedNodeFallsSilent) {
  nominate_to_the_first();
  api.change<testing::Node>(api::kinds::node(), "", "n1", "status", [](testing::Node& node) {
    node.mutable_status()->mutable_conditions(0)->set_status("Unknown");
  });
  expect_it_turns_to_the_second();
}

TEST_F(PreemptionScenarioTest, Scenario30_P19_LowerNominationsAreTakenBack) {
  add_node("n1", "2");
  add_running("v1", "n1", "1", "priority: 1,");
  add_running("v2", "n1", "1", "priority: 2,");
  start();
  add_pod("five", "1", "priority: 5,");
  settle();
  ASSERT_EQ(nominated("five"), "n1");
  add_pod("ten", "2", kHigh);
  settle();
  EXPECT_EQ(nominated("ten"), "n1");
  EXPECT_EQ(nominated("five"), "");
  EXPECT_TRUE(is_deleting("v2"));
}

TEST_F(PreemptionScenarioTest, Scenario30_P19_NotWhenEveryVictimIsLeavingAlready) {
  add_node("n1", "1");
  add_running("v1", "n1", "1", "priority: 1,");
  start();
  add_pod("five", "1", "priority: 5,");
  settle();
  add_pod("ten", "1", kHigh);
  settle();
  EXPECT_EQ(nominated("ten"), "n1");
  EXPECT_EQ(nominated("five"), "n1");
}

TEST_F(PreemptionScenarioTest, Scenario31_P18_TheVictimDoesNotLearnWhoCame) {
  fill_node();
  start();
  add_pod("very-secret-name", "1", kHigh);
  settle();
  ASSERT_TRUE(is_deleting("victim"));
  for (const std::string& text : events("victim")) {
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    EXPECT_EQ(text.find("default"), std::string::npos) << text;
  }
  EXPECT_EQ(target("victim").message().find("secret"), std::string::npos);
}

TEST_F(PreemptionScenarioTest, Scenario32_S2_AVictimThatHasFailedFreesItsNode) {
  fill_node("finalizers: [example.com/f]");
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  finish("victim", "Failed");
  settle();
  EXPECT_EQ(node_of("urgent"), "n1");
  EXPECT_TRUE(api.pod("victim"));
}

TEST_F(PreemptionScenarioTest, Scenario120_F1_WithTheGateOffThereIsNoMark) {
  fill_node();
  start({.disruption_conditions = false});
  add_pod("urgent", "1", kHigh);
  settle();
  EXPECT_TRUE(is_deleting("victim"));
  EXPECT_EQ(target("victim").type(), "");
  EXPECT_EQ(preempted_events("victim"), 1u);
}

TEST_F(PreemptionScenarioTest, P4_ANominationThatHelpsNoMoreIsCleared) {
  fill_node();
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  ASSERT_EQ(nominated("urgent"), "n1");
  change_node("n1", [](auto& node) { node.mutable_spec()->set_unschedulable(true); });
  let_go("victim");
  api.world.run_for(minutes(6));
  EXPECT_EQ(nominated("urgent"), "");
}

TEST_F(PreemptionScenarioTest, P20_B26_TheLastVictimIsSparedWhenAnEarlierOneFails) {
  add_node("n1", "2");
  add_running("v1", "n1", "1", "priority: 1,");
  add_running("v2", "n1", "1", "priority: 2,");
  start();
  calls.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update pods/status default/v2") ? std::optional(internal_error("no"))
                                                             : std::nullopt;
  };
  add_pod("urgent", "2", kHigh);
  api.world.run_for(seconds(20));
  EXPECT_FALSE(is_deleting("v2"));
  EXPECT_FALSE(is_deleting("v1"));
  EXPECT_EQ(target("v1").type(), "");
}

TEST_F(PreemptionScenarioTest, S9_DeletingAPodWithANominationWakesThoseBelow) {
  add_node("n1", "1");
  add_running("victim", "n1", "1", "priority: 1,");
  start();
  add_pod("ten", "1", kHigh);
  add_pod("five", "1", "priority: 5,");
  settle();
  ASSERT_EQ(nominated("ten"), "n1");
  ASSERT_EQ(nominated("five"), "");
  EXPECT_TRUE(api.remove_pod("ten", 0).answer);
  settle();
  EXPECT_EQ(nominated("five"), "n1");
}

TEST_F(PreemptionScenarioTest, S9_S7_AlsoWhenAFinalizerHoldsThePod) {
  add_node("n1", "1");
  add_running("victim", "n1", "1", "priority: 1,");
  start();
  add_pod("ten", "1", kHigh, "finalizers: [example.com/f]");
  add_pod("five", "1", "priority: 5,");
  settle();
  ASSERT_EQ(nominated("ten"), "n1");
  ASSERT_EQ(nominated("five"), "");
  EXPECT_TRUE(api.remove_pod("ten", 0).answer);
  // It is looked at again, and no other pod is.
  api.change<Pod>(api::kinds::pod(), "default", "ten", "",
                  [](Pod& pod) { (*pod.mutable_metadata()->mutable_labels())["a"] = "b"; });
  settle();
  EXPECT_EQ(nominated("five"), "n1");
}

TEST_F(PreemptionScenarioTest, P23_EveryAttemptIsCountedWithItsVictims) {
  add_node("n1", "2");
  add_running("v1", "n1", "1", "priority: 1,");
  add_running("v2", "n1", "1", "priority: 2,");
  std::vector<size_t> attempts;
  start({.on_preemption = [&attempts](size_t victims) { attempts.push_back(victims); }});
  add_pod("low", "1");
  settle();
  add_pod("urgent", "2", kHigh);
  settle();
  EXPECT_EQ(attempts, (std::vector<size_t>{0, 2}));
}

TEST_F(PreemptionScenarioTest, B18_WhileVictimsLeaveNoOthersArePreempted) {
  add_node("n1", "1");
  add_node("n2", "1");
  add_running("v1", "n1", "1", "priority: 1,", "", 2000);
  add_running("v2", "n2", "1", "priority: 1,", "", 1000);
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  api.world.run_for(minutes(12));
  EXPECT_TRUE(is_deleting("v1"));
  EXPECT_FALSE(is_deleting("v2"));
}

TEST_F(PreemptionScenarioTest, ARestartedSchedulerKnowsTheNomination) {
  fill_node();
  start();
  add_pod("urgent", "1", kHigh);
  settle();
  scheduler.reset();
  const size_t writes = calls.count("update pods/status");
  start();
  EXPECT_EQ(calls.count("delete pods"), 1u);
  EXPECT_LE(calls.count("update pods/status"), writes + 1);  // its text says what it waits for
  let_go("victim");
  settle();
  EXPECT_EQ(node_of("urgent"), "n1");
}

}  // namespace
}  // namespace windlass::scheduler
