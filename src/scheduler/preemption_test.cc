#include "scheduler/preemption.h"

#include <gtest/gtest.h>

#include <set>

#include "scheduler/cluster/model_testing.h"
#include "scheduler/placer.h"
#include "virtual_world/world.h"

namespace windlass::scheduler {
namespace {

using testing::cpu_shape;
using testing::make_node;
using testing::make_pod;
using testing::on_node;
using testing::spec_pod;

using Names = std::vector<std::string>;

PodPtr started(const PodPtr& pod, int seconds_after_epoch) {
  auto changed = std::make_shared<PodInfo>(*pod);
  changed->started = time_from_unix(seconds_after_epoch);
  return changed;
}

class PreemptionTest : public ::testing::Test {
 protected:
  // A pod of 1000m on a node.
  void add(const std::string& node, const std::string& uid, int32_t priority, int start = 100,
           Labels labels = {}) {
    cluster.set_pod(
        on_node(started(make_pod(uid, cpu_shape(1000, priority), std::move(labels)), start), node));
  }
  PreemptionPlan plan(const PodPtr& pod) {
    Attempt attempt = placer.attempt(*pod);
    const Placement placement = placer.place(attempt);
    EXPECT_EQ(placement.node, "");
    return plan_preemption(attempt, placement.fits, {budgets, random, time_from_unix(1000)});
  }
  PreemptionPlan plan(int64_t milli_cpu = 1000, int32_t priority = 10) {
    return plan(make_pod("preemptor", cpu_shape(milli_cpu, priority)));
  }
  Names victims(const PreemptionPlan& made) {
    Names names;
    if (made.victims) {
      names.push_back(made.victims->node);
      for (const PodPtr& pod : made.victims->pods) {
        names.push_back(pod->name);
      }
    }
    return names;
  }
  void protect(const std::string& label, int32_t allowed) {
    budgets.push_back({"default", label, *api::LabelSelector::parse("app=" + label), allowed, {}});
  }

  virtual_world::SeededRandom random{1};
  Cluster cluster;
  Nominations nominations;
  Placer placer{cluster, nominations, random};
  std::vector<DisruptionBudget> budgets;
};

TEST_F(PreemptionTest, P4_WithoutCandidatesItSaysSoForEveryNode) {
  cluster.set_node(make_node("a", 1000));
  cluster.set_node(make_node("b", 1000));
  add("a", "u", 0);
  const PreemptionPlan made = plan(1001);
  EXPECT_FALSE(made.victims);
  EXPECT_EQ(made.text,
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_F(PreemptionTest, P6_EqualAndHigherPrioritiesAreSafe) {
  cluster.set_node(make_node("a", 1000));
  cluster.set_node(make_node("b", 500));
  add("a", "u", 10);
  const PreemptionPlan made = plan();
  EXPECT_FALSE(made.victims);
  EXPECT_EQ(made.text,
            "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
            "1 Preemption is not helpful for scheduling.");
}

TEST_F(PreemptionTest, P7_ANodeWhereEvenThatIsNotEnoughKeepsItsReason) {
  cluster.set_node(make_node("a", 2000));
  add("a", "low", 0);
  add("a", "high", 20);
  const PreemptionPlan made = plan(1500);
  EXPECT_FALSE(made.victims);
  EXPECT_EQ(made.text, "preemption: 0/1 nodes are available: 1 Insufficient cpu.");
}

TEST_F(PreemptionTest, P8_P10_TheLessImportantGo) {
  cluster.set_node(make_node("a", 2000));
  add("a", "five", 5);
  add("a", "one", 1);
  EXPECT_EQ(victims(plan()), (Names{"a", "one"}));
}

TEST_F(PreemptionTest, P8_OfEqualsTheNewerGoes) {
  cluster.set_node(make_node("a", 2000));
  add("a", "newer", 1, 200);
  add("a", "older", 1, 100);
  EXPECT_EQ(victims(plan()), (Names{"a", "newer"}));
}

TEST_F(PreemptionTest, P8_APodThatHasNotStartedStartsNow) {
  const PodPtr fresh = make_pod("a", cpu_shape(1));
  const PodPtr old = started(make_pod("b", cpu_shape(1)), 10);
  EXPECT_TRUE(is_more_important(*old, *fresh, time_from_unix(11)));
  EXPECT_FALSE(is_more_important(*old, *fresh, time_from_unix(9)));
}

TEST_F(PreemptionTest, P9_WhatViolatesABudget) {
  const PodPtr covered = make_pod("p", cpu_shape(1), {{"app", "x"}});
  const auto violating = [](const PodPtr& pod, DisruptionBudget budget) {
    return split_by_budgets(std::vector<PodPtr>{pod},
                            std::vector<DisruptionBudget>{std::move(budget)})
               .violating.size() == 1;
  };
  const DisruptionBudget budget{"default", "b", *api::LabelSelector::parse("app=x"), 0, {}};
  EXPECT_TRUE(violating(covered, budget));
  EXPECT_FALSE(violating(make_pod("q", cpu_shape(1)), budget));
  DisruptionBudget other_namespace = budget;
  other_namespace.ns = "other";
  EXPECT_FALSE(violating(covered, other_namespace));
  DisruptionBudget everything = budget;
  everything.selector = api::LabelSelector();
  EXPECT_FALSE(violating(covered, everything));
  DisruptionBudget disrupted = budget;
  disrupted.disrupted = {"p"};
  EXPECT_FALSE(violating(covered, disrupted));
  DisruptionBudget roomy = budget;
  roomy.allowed = 1;
  EXPECT_FALSE(violating(covered, roomy));
}

TEST_F(PreemptionTest, P10_ProtectedPodsAreSparedFirst) {
  cluster.set_node(make_node("a", 2000));
  add("a", "guarded", 1, 100, {{"app", "x"}});
  add("a", "open", 2);
  protect("x", 0);
  EXPECT_EQ(victims(plan()), (Names{"a", "open"}));
}

TEST_F(PreemptionTest, P10a_TheMoreImportantOneUsesTheBudgetUp) {
  cluster.set_node(make_node("a", 2000));
  add("a", "one", 1, 100, {{"app", "x"}});
  add("a", "two", 2, 100, {{"app", "x"}});
  protect("x", 1);
  EXPECT_EQ(victims(plan()), (Names{"a", "two"}));
}

TEST_F(PreemptionTest, P10_BudgetsAreViolatedWhenNothingElseWorks) {
  cluster.set_node(make_node("a", 1000));
  add("a", "guarded", 1, 100, {{"app", "x"}});
  protect("x", 0);
  const PreemptionPlan made = plan();
  EXPECT_EQ(victims(made), (Names{"a", "guarded"}));
  EXPECT_EQ(made.victims->violations, 1u);
}

TEST_F(PreemptionTest, P11_B16_VictimsAreSortedAfterTheReprieve) {
  cluster.set_node(make_node("a", 2000));
  add("a", "guarded", 1, 100, {{"app", "x"}});
  add("a", "open", 2);
  protect("x", 0);
  EXPECT_EQ(victims(plan(2000)), (Names{"a", "open", "guarded"}));
}

TEST_F(PreemptionTest, P12_1_FewestViolations) {
  cluster.set_node(make_node("a", 1000));
  cluster.set_node(make_node("b", 1000));
  add("a", "guarded", 1, 100, {{"app", "x"}});
  add("b", "open", 5);
  protect("x", 0);
  EXPECT_EQ(victims(plan()), (Names{"b", "open"}));
}

TEST_F(PreemptionTest, P12_2_LowestTopPriority) {
  cluster.set_node(make_node("a", 2000));
  cluster.set_node(make_node("b", 2000));
  cluster.set_pod(on_node(make_pod("five", cpu_shape(2000, 5)), "a"));
  add("b", "three-1", 3);
  add("b", "three-2", 3);
  EXPECT_EQ(victims(plan(2000)).front(), "b");
}

TEST_F(PreemptionTest, P12_3_LowestSum) {
  for (const int32_t priority : {3, -5}) {  // negative ones count more the more there are
    Cluster fresh;
    std::swap(cluster, fresh);
    cluster.set_node(make_node("a", 2000));
    cluster.set_node(make_node("b", 2000));
    add("a", "a-1", priority);
    add("a", "a-2", priority);
    cluster.set_pod(on_node(started(make_pod("b-1", cpu_shape(2000, priority)), 100), "b"));
    EXPECT_EQ(victims(plan(2000)), (Names{"b", "b-1"})) << priority;
  }
}

TEST_F(PreemptionTest, P12_4_FewestVictims) {
  const auto with = [](const std::string& node, std::vector<int32_t> priorities) {
    Victims victims{node, {}, 0};
    for (const int32_t priority : priorities) {
      victims.pods.push_back(started(make_pod(node, cpu_shape(1, priority)), 100));
    }
    return victims;
  };
  // Shifted by 2^31, the second of A adds nothing to the sum.
  const std::vector<Victims> candidates = {with("a", {0, INT32_MIN}), with("b", {0})};
  EXPECT_EQ(pick_victims(candidates, Time()), 1u);
}

TEST_F(PreemptionTest, P12_5_TheLatestEarliestStart) {
  cluster.set_node(make_node("a", 1000));
  cluster.set_node(make_node("b", 1000));
  add("a", "late", 1, 200);
  add("b", "early", 1, 100);
  EXPECT_EQ(victims(plan()), (Names{"a", "late"}));
}

TEST_F(PreemptionTest, P5_TheSearchStopsWhenThereAreEnough) {
  for (int i = 0; i < 300; ++i) {
    const std::string name = "n" + std::to_string(i);
    cluster.set_node(make_node(name, 1000));
    // The last ones would be best; not all are looked at.
    add(name, "u" + std::to_string(i), 5);
  }
  std::set<std::string> chosen;
  for (int i = 0; i < 20; ++i) {
    chosen.insert(victims(plan()).front());
  }
  EXPECT_GT(chosen.size(), 5u);  // from a random place, and then the first of equals
}

TEST_F(PreemptionTest, P3_OnlyVictimsOfPreemptionAreWaitedFor) {
  NodeState node;
  auto leaving = std::make_shared<PodInfo>(*make_pod("v", cpu_shape(1, 0)));
  leaving->deleting = true;
  node.pods["v"] = leaving;
  const PodPtr pod = make_pod("p", cpu_shape(1, 5));
  EXPECT_FALSE(waits_for_victims(*pod, node, true));
  EXPECT_TRUE(waits_for_victims(*pod, node, false));  // F-1: the gate is off
  leaving->preempted = true;
  EXPECT_TRUE(waits_for_victims(*pod, node, true));
  EXPECT_FALSE(waits_for_victims(*make_pod("q", cpu_shape(1, 0)), node, true));
}

TEST_F(PreemptionTest, HostPortsAndAntiAffinityAreFreedToo) {
  cluster.set_node(make_node("a", 1000));
  const auto with_port = [](const std::string& uid, int priority) {
    return spec_pod(uid, "priority: " + std::to_string(priority) +
                             ", containers: [{name: c, image: i, ports: [{containerPort: 80, "
                             "hostPort: 80}]}]");
  };
  cluster.set_pod(on_node(with_port("web", 1), "a"));
  cluster.set_pod(on_node(make_pod("other", cpu_shape(1, 1)), "a"));
  EXPECT_EQ(victims(plan(with_port("p", 5))), (Names{"a", "web"}));

  const std::string anti =
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}}";
  cluster.set_pod(on_node(make_pod("db", cpu_shape(1, 1), {{"app", "db"}}), "a"));
  EXPECT_EQ(victims(plan(spec_pod("q", "priority: 5, " + anti))), (Names{"a", "db"}));
}

}  // namespace
}  // namespace windlass::scheduler
