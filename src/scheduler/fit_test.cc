#include "scheduler/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/cluster/model_testing.h"

namespace windlass::scheduler {
namespace {

using testing::cpu_shape;
using testing::make_node;
using testing::spec_pod;

std::string text(const PodShape& pod, const Fit& fit) {
  FitCounts counts(pod);
  counts.add(fit);
  return counts.text(1);
}

std::string misfit(const PodShape& pod, const NodeInfo& node, const NodeUsage& usage = {}) {
  const Fit fit = fit_locally(pod, node, usage);
  return fit.fits() ? "" : text(pod, fit).substr(std::string("0/1 nodes are available: 1 ").size());
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

TEST(Filters, Row2_UnschedulableUnlessTolerated) {
  NodeInfo cordoned = make_node("n");
  cordoned.unschedulable = true;
  PodShape pod = cpu_shape(0);
  EXPECT_EQ(misfit(pod, cordoned), "node(s) were unschedulable.");
  EXPECT_TRUE(fit_locally(pod, cordoned, {}).hopeless);
  pod.tolerations = {{"node.kubernetes.io/unschedulable", true, "", "NoSchedule"}};
  EXPECT_EQ(misfit(pod, cordoned), "");
}

TEST(Filters, APodThatAsksTooMuchIsComparedWithNoNode) {
  PodShape pod = cpu_shape(0);
  pod.asks_too_much = true;
  EXPECT_THAT(misfit(pod, make_node("n")),
              ::testing::HasSubstr("more than 100 pod affinity terms"));
  EXPECT_TRUE(fit_locally(pod, make_node("n"), {}).hopeless);
}

TEST(Filters, Row3_TaintsKeepPodsOffExceptPreferNoSchedule) {
  NodeInfo tainted = make_node("n");
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    tainted.taints = {{"k", "v", effect}};
    EXPECT_EQ(misfit(cpu_shape(0), tainted), "node(s) had untolerated taint(s).");
    EXPECT_TRUE(fit_locally(cpu_shape(0), tainted, {}).hopeless);
  }
  tainted.taints = {{"k", "v", "PreferNoSchedule"}};
  EXPECT_EQ(misfit(cpu_shape(0), tainted), "");
}

TEST(Filters, Row4_NodeSelectorAndRequiredAffinityTogether) {
  NodeInfo node = make_node("n1");
  node.labels["cpus"] = "8";
  const auto affinity = [](const std::string& terms) {
    return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "{nodeSelectorTerms: [" +
           terms + "]}}}";
  };
  struct Case {
    std::string spec;
    bool want;
  };
  const Case cases[] = {
      {"nodeSelector: {kubernetes.io/hostname: other}", false},
      {"nodeSelector: {kubernetes.io/hostname: n1}", true},
      {affinity("{matchExpressions: [{key: cpus, operator: Gt, values: ['4']}]}"), true},
      {affinity("{matchExpressions: [{key: cpus, operator: Lt, values: ['4']}]}"), false},
      {affinity("{matchExpressions: [{key: cpus, operator: In, values: ['4', '8']}]}"), true},
      {affinity("{matchExpressions: [{key: cpus, operator: NotIn, values: ['8']}]}"), false},
      {affinity("{matchExpressions: [{key: gpu, operator: NotIn, values: ['8']}]}"), true},
      {affinity("{matchExpressions: [{key: gpu, operator: Exists}]}"), false},
      {affinity("{matchExpressions: [{key: gpu, operator: DoesNotExist}]}"), true},
      {affinity("{matchExpressions: [{key: gpu, operator: Exists}]}, {matchFields: [{key: "
                "metadata.name, operator: In, values: [n1]}]}"),
       true},
      {affinity("{}"), false},
      {"nodeSelector: {cpus: '4'}, " +
           affinity("{matchExpressions: [{key: cpus, operator: Exists}]}"),
       false},
  };
  for (const Case& c : cases) {
    const PodPtr pod = spec_pod("p", c.spec);
    EXPECT_EQ(misfit(*pod->shape, node),
              c.want ? "" : "node(s) didn't match Pod's node affinity/selector.")
        << c.spec;
    EXPECT_EQ(fit_locally(*pod->shape, node, {}).hopeless, !c.want);
  }
}

TEST(Filters, Row5_HostPortsClashOnTheSameAddressOrAllAddresses) {
  struct Case {
    HostPort taken;
    HostPort wanted;
    bool clash;
  };
  const Case cases[] = {
      {{"TCP", "0.0.0.0", 80}, {"TCP", "0.0.0.0", 80}, true},
      {{"TCP", "10.0.0.1", 80}, {"TCP", "0.0.0.0", 80}, true},
      {{"TCP", "0.0.0.0", 80}, {"TCP", "10.0.0.1", 80}, true},
      {{"TCP", "10.0.0.1", 80}, {"TCP", "10.0.0.2", 80}, false},
      {{"TCP", "0.0.0.0", 80}, {"UDP", "0.0.0.0", 80}, false},
      {{"TCP", "0.0.0.0", 80}, {"TCP", "0.0.0.0", 81}, false},
  };
  for (const Case& c : cases) {
    PodShape there = cpu_shape(0);
    there.host_ports = {c.taken};
    NodeUsage usage;
    usage.add(there);
    PodShape pod = cpu_shape(0);
    pod.host_ports = {c.wanted};
    const Fit fit = fit_locally(pod, make_node("n"), usage);
    EXPECT_EQ(fit.reasons, c.clash ? bit(Reason::ports) : 0);
    EXPECT_FALSE(fit.hopeless);
    usage.remove(there);
    EXPECT_EQ(usage, NodeUsage());
  }
}

TEST(Filters, Row6_PodsAndResourcesAreReportedTogether) {
  const NodeInfo node = make_node("n", 1000, 1);
  NodeUsage usage;
  usage.add(cpu_shape(900));
  const PodShape pod = cpu_shape(200);
  EXPECT_EQ(text(pod, fit_locally(pod, node, usage)),
            "0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods.");
  EXPECT_FALSE(fit_locally(pod, node, usage).hopeless);
  EXPECT_EQ(misfit(cpu_shape(100), make_node("n", 1000, 2), usage), "");
}

TEST(Filters, Row6_ARequestBeyondTheWholeNodeIsHopeless) {
  EXPECT_TRUE(fit_locally(cpu_shape(2001), make_node("n", 2000), {}).hopeless);
  NodeUsage usage;
  usage.add(cpu_shape(1000));
  EXPECT_FALSE(fit_locally(cpu_shape(2000), make_node("n", 2000), usage).hopeless);
}

TEST(Filters, Row6_MemoryStorageAndExtendedResources) {
  NodeInfo node = make_node("n");
  node.allocatable.extended["example.com/gpu"] = 1;
  PodShape pod = cpu_shape(0);
  pod.requests.memory = int64_t{2} << 30;
  pod.requests.ephemeral_storage = 1;
  pod.requests.extended = {{"example.com/gpu", 1}, {"example.com/x", 3}};
  EXPECT_EQ(text(pod, fit_locally(pod, node, {})),
            "0/1 nodes are available: 1 Insufficient ephemeral-storage, 1 Insufficient "
            "example.com/x, 1 Insufficient memory.");
}

TEST(Filters, S10_AbsentRequestsFitOnAFullNode) {
  NodeUsage usage;
  usage.add(cpu_shape(5000));
  EXPECT_EQ(misfit(cpu_shape(0), make_node("n", 2000), usage), "");
}

TEST(Filters, FirstFailingFilterEndsTheNode) {
  NodeInfo bad = make_node("n", 0);
  bad.unschedulable = true;
  bad.taints = {{"k", "", "NoSchedule"}};
  EXPECT_EQ(fit_locally(cpu_shape(1), bad, {}).reasons, bit(Reason::unschedulable));
}

TEST(Messages, S18_EntriesAreSortedAsText) {
  const PodShape pod = cpu_shape(1);
  FitCounts counts(pod);
  for (int i = 0; i < 17; ++i) {
    counts.add({bit(Reason::cpu), false});
  }
  counts.add({bit(Reason::taint), true});
  counts.add({bit(Reason::taint) | bit(Reason::memory), true});
  EXPECT_EQ(counts.text(19),
            "0/19 nodes are available: 1 Insufficient memory, 17 Insufficient cpu, 2 node(s) had "
            "untolerated taint(s).");
}

}  // namespace
}  // namespace windlass::scheduler
