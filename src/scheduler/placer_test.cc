#include "scheduler/placer.h"

#include <gtest/gtest.h>

#include <set>

#include "scheduler/cluster/model_testing.h"
#include "virtual_world/world.h"

namespace windlass::scheduler {
namespace {

using testing::cpu_shape;
using testing::make_node;
using testing::make_pod;
using testing::on_node;
using testing::spec_pod;

class PlacerTest : public ::testing::Test {
 protected:
  std::string place(const PodPtr& pod) {
    Attempt attempt = placer.attempt(*pod);
    return placer.place(attempt).node;
  }
  void add_node(const std::string& name, Labels labels = {}, std::vector<Taint> taints = {}) {
    NodeInfo node = make_node(name);
    node.labels.insert(labels.begin(), labels.end());
    node.taints = std::move(taints);
    cluster.set_node(node);
  }

  virtual_world::SeededRandom random{1};
  Cluster cluster;
  Nominations nominations;
  Placer placer{cluster, nominations, random};
};

TEST_F(PlacerTest, S14_TiesAreDrawnByLot) {
  std::set<std::string> seen;
  for (const char* name : {"a", "b", "c"}) {
    add_node(name);
  }
  for (int i = 0; i < 100; ++i) {
    seen.insert(place(make_pod("p", cpu_shape(1))));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"a", "b", "c"}));
}

TEST_F(PlacerTest, S15_TheEmptierNodeWins) {
  add_node("full");
  add_node("empty");
  cluster.set_pod(on_node(spec_pod("u",
                                   "containers: [{name: c, image: i, resources: {requests: "
                                   "{cpu: '1', memory: 512Mi}}}]"),
                          "full"));
  EXPECT_EQ(place(make_pod("p", cpu_shape(100))), "empty");
}

TEST_F(PlacerTest, S15_PodsThatAskForNothingCountALittle) {
  add_node("busy");
  add_node("idle");
  cluster.set_pod(on_node(spec_pod("u", "containers: [{name: c, image: i}]"), "busy"));
  EXPECT_EQ(place(spec_pod("p", "containers: [{name: c, image: i}]")), "idle");
}

TEST_F(PlacerTest, S16_ABalancedNodeWinsAmongEquallyFreeOnes) {
  const NodeInfo node = make_node("n", 1000);
  PodShape pod = cpu_shape(0);
  pod.requests.milli_cpu = 500;
  PodShape cpu_heavy = cpu_shape(400);
  PodShape memory_heavy = cpu_shape(0);
  memory_heavy.requests.memory = node.allocatable.memory * 4 / 10;
  NodeUsage lopsided;
  lopsided.add(cpu_heavy);
  NodeUsage other_way;
  other_way.add(memory_heavy);
  EXPECT_GT(score_locally(pod, node, other_way).room, score_locally(pod, node, lopsided).room);
}

TEST_F(PlacerTest, S14_PreferNoScheduleBeatsFreeRoom) {
  add_node("tainted", {}, {{"k", "", "PreferNoSchedule"}});
  add_node("full");
  cluster.set_pod(on_node(make_pod("u", cpu_shape(1800)), "full"));
  EXPECT_EQ(place(make_pod("p", cpu_shape(100))), "full");
  PodShape tolerant = cpu_shape(100);
  tolerant.tolerations = {{"k", true, "", ""}};
  EXPECT_EQ(place(make_pod("q", tolerant)), "tainted");
}

TEST_F(PlacerTest, S14_PreferredNodeAffinity) {
  add_node("hdd", {{"disk", "hdd"}});
  add_node("ssd", {{"disk", "ssd"}});
  cluster.set_pod(on_node(make_pod("u", cpu_shape(1500)), "ssd"));
  EXPECT_EQ(place(spec_pod("p",
                           "affinity: {nodeAffinity: "
                           "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                           "preference: {matchExpressions: [{key: disk, operator: In, values: "
                           "[ssd]}]}}]}}")),
            "ssd");
}

TEST_F(PlacerTest, S14_PreferredPodAffinityAndAntiAffinity) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "2"}});
  cluster.set_pod(on_node(make_pod("db", cpu_shape(0), {{"app", "db"}}), "a"));
  const auto pod = [](const std::string& kind) {
    return spec_pod("p", "affinity: {" + kind +
                             ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, "
                             "podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: "
                             "{app: db}}}}]}}");
  };
  EXPECT_EQ(place(pod("podAffinity")), "a");
  EXPECT_EQ(place(pod("podAntiAffinity")), "b");
}

TEST_F(PlacerTest, S14_WhatPodsThatAreThereWouldLike) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "2"}});
  cluster.set_pod(
      on_node(spec_pod("db",
                       "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                       "[{weight: 10, podAffinityTerm: {topologyKey: zone, labelSelector: "
                       "{matchLabels: {app: web}}}}]}}"),
              "a"));
  EXPECT_EQ(place(make_pod("p", cpu_shape(0), {{"app", "web"}})), "a");
}

TEST_F(PlacerTest, S14_SoftSpreadPrefersTheLeastCrowdedDomain) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "2"}});
  cluster.set_pod(on_node(make_pod("w", cpu_shape(0), {{"app", "web"}}), "a"));
  const std::string spread =
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
      "ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}]";
  EXPECT_EQ(place(spec_pod("p", spread, {{"app", "web"}})), "b");
}

TEST_F(PlacerTest, P21_TheNominatedNodeIsTakenIfItFits) {
  add_node("a");
  add_node("b");
  cluster.set_pod(on_node(make_pod("u", cpu_shape(1500)), "a"));
  const PodPtr pod = make_pod("p", cpu_shape(500, 5));
  EXPECT_EQ(place(pod), "b");
  nominations.set(pod, "a");
  EXPECT_EQ(place(pod), "a");
}

TEST_F(PlacerTest, ResultsFollowEveryChange) {
  add_node("a");
  PodShape shape = cpu_shape(1500);
  const PodPtr pod = make_pod("p", shape);
  EXPECT_EQ(place(pod), "a");
  cluster.assume(make_pod("u", cpu_shape(1000)), "a");
  EXPECT_EQ(place(pod), "");
  cluster.forget("u");
  EXPECT_EQ(place(pod), "a");
  cluster.remove_node("a");
  add_node("b");
  EXPECT_EQ(place(pod), "b");
}

}  // namespace
}  // namespace windlass::scheduler
