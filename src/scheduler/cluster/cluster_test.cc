#include "scheduler/cluster/cluster.h"

#include <gtest/gtest.h>

#include "scheduler/cluster/model_testing.h"

namespace windlass::scheduler {
namespace {

using testing::cpu_shape;
using testing::make_node;
using testing::make_pod;
using testing::on_node;

int64_t used(const Cluster& cluster, const std::string& node) {
  return cluster.find(node)->usage.requested.milli_cpu;
}

TEST(Cluster, S10_BoundPodsTakeRoomUntilTheyGo) {
  Cluster cluster;
  cluster.set_node(make_node("a"));
  const PodPtr pod = on_node(make_pod("u1", cpu_shape(800)), "a");
  cluster.set_pod(pod);
  cluster.set_pod(pod);
  EXPECT_EQ(used(cluster, "a"), 800);
  EXPECT_EQ(cluster.remove_pod("u1"), "a");
  EXPECT_EQ(cluster.remove_pod("u1"), "");
  EXPECT_EQ(cluster.find("a")->usage, NodeUsage());
}

TEST(Cluster, S17_AssumedPodsTakeRoomAndCanBeForgotten) {
  Cluster cluster;
  cluster.set_node(make_node("a"));
  const PodPtr pod = make_pod("u1", cpu_shape(800));
  cluster.assume(pod, "a");
  EXPECT_EQ(used(cluster, "a"), 800);
  EXPECT_EQ(cluster.forget("u1"), "a");
  EXPECT_EQ(used(cluster, "a"), 0);

  cluster.assume(pod, "a");
  cluster.set_pod(on_node(pod, "a"));
  EXPECT_EQ(cluster.forget("u1"), "");  // the failure came late: the pod is there
  EXPECT_EQ(used(cluster, "a"), 800);
}

TEST(Cluster, APodThatWasAssumedElsewhereMoves) {
  Cluster cluster;
  cluster.set_node(make_node("a"));
  cluster.set_node(make_node("b"));
  const PodPtr pod = make_pod("u1", cpu_shape(800));
  cluster.assume(pod, "a");
  cluster.set_pod(on_node(pod, "b"));
  EXPECT_EQ(used(cluster, "a"), 0);
  EXPECT_EQ(used(cluster, "b"), 800);
}

TEST(Cluster, PodsOfANodeThatIsNotThereYetCountLater) {
  Cluster cluster;
  cluster.set_pod(on_node(make_pod("u1", cpu_shape(800)), "a"));
  EXPECT_EQ(cluster.node_count(), 0u);
  EXPECT_EQ(cluster.find("a"), nullptr);
  EXPECT_EQ(cluster.set_node(make_node("a")), Cluster::NodeChange::added);
  EXPECT_EQ(cluster.set_node(make_node("a")), Cluster::NodeChange::none);
  EXPECT_EQ(cluster.set_node(make_node("a", 1)), Cluster::NodeChange::changed);
  EXPECT_EQ(used(cluster, "a"), 800);
  cluster.remove_node("a");
  EXPECT_EQ(cluster.node_count(), 0u);
  EXPECT_EQ(cluster.remove_pod("u1"), "a");
}

TEST(Cluster, SlotsAreUsedAgainAndGenerationsGrow) {
  Cluster cluster;
  cluster.set_node(make_node("a"));
  const uint64_t before = cluster.at(0)->generation;
  cluster.remove_node("a");
  EXPECT_EQ(cluster.at(0), nullptr);
  cluster.set_node(make_node("b"));
  EXPECT_EQ(cluster.slot_count(), 1u);
  EXPECT_GT(cluster.at(0)->generation, before);
}

TEST(Cluster, AStatusThatChangesNothingForPlacementChangesNoGeneration) {
  Cluster cluster;
  cluster.set_node(make_node("a"));
  const PodPtr pod = on_node(make_pod("u1", cpu_shape(800)), "a");
  cluster.set_pod(pod);
  const uint64_t before = cluster.generation();
  auto started = std::make_shared<PodInfo>(*pod);
  started->started = Time();
  cluster.set_pod(started);
  EXPECT_EQ(cluster.generation(), before);
  EXPECT_TRUE(cluster.find("a")->pods.at("u1")->started);
  auto deleting = std::make_shared<PodInfo>(*started);
  deleting->deleting = true;
  cluster.set_pod(deleting);
  EXPECT_GT(cluster.generation(), before);
}

TEST(Cluster, TermsMeanPodsByNamespaceAndLabels) {
  Cluster cluster;
  cluster.set_namespace("blue", {{"team", "blue"}});
  auto pod = std::make_shared<PodInfo>();
  pod->ns = "blue";
  pod->labels = {{"app", "web"}};
  PodTerm term;
  term.selector = *api::LabelSelector::parse("app=web");
  term.namespaces = {"red"};
  EXPECT_FALSE(cluster.matches(term, *pod));
  term.namespace_selector = *api::LabelSelector::parse("team=blue");
  EXPECT_TRUE(cluster.matches(term, *pod));
  EXPECT_TRUE(cluster.set_namespace("blue", {}));
  EXPECT_FALSE(cluster.set_namespace("blue", {}));
  EXPECT_FALSE(cluster.matches(term, *pod));
  term.namespaces = {"blue", "red"};
  EXPECT_TRUE(cluster.matches(term, *pod));
}

}  // namespace
}  // namespace windlass::scheduler
