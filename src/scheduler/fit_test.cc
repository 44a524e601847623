#include "scheduler/fit.h"

#include <gtest/gtest.h>

#include "scheduler/cluster.h"

namespace windlass::scheduler {
namespace {

NodeInfo node(std::string name, int64_t milli_cpu = 2000, int64_t max_pods = 110) {
  NodeInfo info;
  info.name = std::move(name);
  info.labels = {{"kubernetes.io/hostname", info.name}};
  info.allocatable.milli_cpu = milli_cpu;
  info.allocatable.memory = 1 << 30;
  info.max_pods = max_pods;
  return info;
}

PodInfo pod(int64_t milli_cpu = 0) {
  PodInfo info;
  info.name = "p";
  info.requests.milli_cpu = milli_cpu;
  return info;
}

Resources cpu(int64_t milli) {
  Resources resources;
  resources.milli_cpu = milli;
  return resources;
}

TEST(Tolerations, MatchByKeyOperatorValueAndEffect) {
  const Taint taint{"k", "v", "NoSchedule"};
  struct Case {
    Toleration toleration;
    bool want;
  };
  const Case cases[] = {
      {{"k", false, "v", "NoSchedule"}, true},
      {{"k", false, "v", ""}, true},
      {{"k", false, "x", ""}, false},
      {{"k", true, "", ""}, true},
      {{"", true, "", ""}, true},
      {{"", false, "", ""}, false},
      {{"other", true, "", ""}, false},
      {{"k", true, "", "NoExecute"}, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(tolerates(c.toleration, taint), c.want) << c.toleration.key << c.toleration.effect;
  }
}

TEST(Filters, S12Table_UnschedulableUnlessTolerated) {
  NodeInfo cordoned = node("n");
  cordoned.unschedulable = true;
  EXPECT_EQ(misfits(pod(), {&cordoned, {}}),
            std::vector<std::string>{"node(s) were unschedulable"});
  PodInfo tolerant = pod();
  tolerant.tolerations = {{"node.kubernetes.io/unschedulable", true, "", "NoSchedule"}};
  EXPECT_TRUE(misfits(tolerant, {&cordoned, {}}).empty());
}

TEST(Filters, S12Table_TaintsKeepPodsOffExceptPreferNoSchedule) {
  NodeInfo tainted = node("n");
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    tainted.taints = {{"k", "v", effect}};
    EXPECT_EQ(misfits(pod(), {&tainted, {}}),
              std::vector<std::string>{"node(s) had untolerated taint(s)"});
  }
  tainted.taints = {{"k", "v", "PreferNoSchedule"}};
  EXPECT_TRUE(misfits(pod(), {&tainted, {}}).empty());
}

TEST(Filters, S12Table_NodeSelector) {
  const NodeInfo n = node("n");
  PodInfo picky = pod();
  picky.node_selector = {{"kubernetes.io/hostname", "other"}};
  EXPECT_EQ(misfits(picky, {&n, {}}),
            std::vector<std::string>{"node(s) didn't match Pod's node affinity/selector"});
  picky.node_selector = {{"kubernetes.io/hostname", "n"}};
  EXPECT_TRUE(misfits(picky, {&n, {}}).empty());
}

TEST(Filters, S12Table_FirstFailingFilterEndsTheNode) {
  NodeInfo bad = node("n", 0);
  bad.unschedulable = true;
  bad.taints = {{"k", "", "NoSchedule"}};
  EXPECT_EQ(misfits(pod(1), {&bad, {}}).size(), 1u);
}

TEST(Filters, S12Table_PodsAndResourcesAreReportedTogether) {
  const NodeInfo full = node("n", 1000, 1);
  NodeUsage usage{cpu(900), 1};
  EXPECT_EQ(misfits(pod(200), {&full, usage}),
            (std::vector<std::string>{"Too many pods", "Insufficient cpu"}));
  usage.pods = 0;
  EXPECT_TRUE(misfits(pod(100), {&full, usage}).empty());
}

TEST(FirstFit, TakesTheFirstNodeInNameOrder) {
  Cluster cluster;
  cluster.set_node(node("b"));
  cluster.set_node(node("a", 100));
  cluster.set_node(node("c"));
  EXPECT_EQ(first_fit(pod(50), cluster.candidates()).node, "a");
  EXPECT_EQ(first_fit(pod(150), cluster.candidates()).node, "b");
}

TEST(FirstFit, S18_CountsReasonsAndSortsThemAsText) {
  EXPECT_EQ(no_fit_message(19, {{"x", 17}, {"y", 2}}), "0/19 nodes are available: 17 x, 2 y.");
  Cluster cluster;
  cluster.set_node(node("a", 100, 0));
  NodeInfo cordoned = node("b");
  cordoned.unschedulable = true;
  cluster.set_node(cordoned);
  const Placement placement = first_fit(pod(200), cluster.candidates());
  EXPECT_FALSE(placement.node);
  EXPECT_EQ(placement.message,
            "0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods, 1 node(s) were "
            "unschedulable.");
}

TEST(FirstFit, S19_NoNodesAtAll) {
  EXPECT_EQ(first_fit(pod(), {}).message, "no nodes available to schedule pods");
}

TEST(Cluster, S10_BoundPodsTakeRoomUntilTheyGo) {
  Cluster cluster;
  cluster.set_node(node("a", 1000));
  cluster.set_pod("u1", "a", cpu(800));
  EXPECT_FALSE(first_fit(pod(300), cluster.candidates()).node);
  cluster.set_pod("u1", "a", cpu(800));  // seen again: counted once
  EXPECT_TRUE(first_fit(pod(200), cluster.candidates()).node);
  EXPECT_TRUE(cluster.remove_pod("u1"));
  EXPECT_FALSE(cluster.remove_pod("u1"));
  EXPECT_TRUE(first_fit(pod(1000), cluster.candidates()).node);
}

TEST(Cluster, S17_AssumedPodsTakeRoomAndCanBeForgotten) {
  Cluster cluster;
  cluster.set_node(node("a", 1000));
  cluster.assume("u1", "a", cpu(800));
  EXPECT_FALSE(first_fit(pod(300), cluster.candidates()).node);
  cluster.forget("u1");
  EXPECT_TRUE(first_fit(pod(300), cluster.candidates()).node);

  cluster.assume("u2", "a", cpu(800));
  cluster.set_pod("u2", "a", cpu(800));
  cluster.forget("u2");  // the failure reply came late: the pod is there
  EXPECT_FALSE(first_fit(pod(300), cluster.candidates()).node);
}

TEST(Cluster, PodsOfANodeThatIsNotThereYetCountLater) {
  Cluster cluster;
  cluster.set_pod("u1", "a", cpu(800));
  EXPECT_TRUE(cluster.candidates().empty());
  EXPECT_TRUE(cluster.set_node(node("a", 1000)));
  EXPECT_FALSE(cluster.set_node(node("a", 1000)));
  EXPECT_FALSE(first_fit(pod(300), cluster.candidates()).node);
  cluster.remove_node("a");
  EXPECT_TRUE(cluster.candidates().empty());
}

}  // namespace
}  // namespace windlass::scheduler
