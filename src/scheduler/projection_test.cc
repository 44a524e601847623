#include "scheduler/projection.h"

#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {
namespace {

using api::core::v1::Node;
using api::core::v1::Pod;
using api::testing::from_yaml;

TEST(PodProjection, ReadsWhatPlacementNeeds) {
  const ScheduledPod pod = read_pod(from_yaml<Pod>(R"(
metadata: {name: p, namespace: ns, uid: u}
spec:
  schedulerName: default-scheduler
  priority: 7
  nodeSelector: {disk: ssd}
  tolerations: [{key: k, operator: Exists, effect: NoSchedule}, {key: l, value: v}]
  overhead: {cpu: 10m}
  initContainers:
  - {name: i, image: x, resources: {requests: {memory: 1Gi}}}
  - {name: s, image: x, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
  containers:
  - {name: a, image: x, resources: {requests: {cpu: "1.5", memory: 64Mi, example.com/gpu: "2"}}}
  - {name: b, image: x, resources: {requests: {cpu: 1m, ephemeral-storage: 1k}}}
)"));
  EXPECT_EQ(pod.info.ns, "ns");
  EXPECT_EQ(pod.info.name, "p");
  EXPECT_EQ(pod.info.uid, "u");
  EXPECT_EQ(pod.info.node, "");
  EXPECT_EQ(pod.info.priority, 7);
  EXPECT_EQ(pod.info.requests.milli_cpu, 1500 + 1 + 100 + 10);
  EXPECT_EQ(pod.info.requests.memory, 1 << 30);
  EXPECT_EQ(pod.info.requests.ephemeral_storage, 1000);
  EXPECT_EQ(pod.info.requests.extended.at("example.com/gpu"), 2);
  EXPECT_EQ(pod.info.node_selector.at("disk"), "ssd");
  ASSERT_EQ(pod.info.tolerations.size(), 2u);
  EXPECT_TRUE(pod.info.tolerations[0].exists);
  EXPECT_FALSE(pod.info.tolerations[1].exists);
  EXPECT_FALSE(pod.terminal);
  EXPECT_FALSE(pod.deleting);
  EXPECT_FALSE(pod.gated);
}

TEST(PodProjection, KnowsWhoIsNotToBeScheduled) {
  EXPECT_TRUE(read_pod(from_yaml<Pod>("{status: {phase: Failed}}")).terminal);
  EXPECT_TRUE(read_pod(from_yaml<Pod>("{status: {phase: Succeeded}}")).terminal);
  EXPECT_FALSE(read_pod(from_yaml<Pod>("{status: {phase: Running}}")).terminal);
  EXPECT_TRUE(
      read_pod(from_yaml<Pod>("{spec: {containers: [], schedulingGates: [{name: g}]}}")).gated);
  EXPECT_TRUE(
      read_pod(from_yaml<Pod>("{metadata: {deletionTimestamp: '2024-01-01T00:00:00Z'}}")).deleting);
}

TEST(NodeProjection, ReadsAllocatableTaintsAndLabels) {
  const NodeInfo node = read_node(from_yaml<Node>(R"(
metadata: {name: node-1, labels: {disk: ssd}}
spec: {unschedulable: true, taints: [{key: k, value: v, effect: NoExecute}]}
status:
  allocatable: {cpu: "4", memory: 2Gi, pods: "110", example.com/gpu: "1"}
  conditions: [{type: Ready, status: "True"}]
)"));
  EXPECT_EQ(node.name, "node-1");
  EXPECT_EQ(node.labels.at("disk"), "ssd");
  EXPECT_TRUE(node.unschedulable);
  EXPECT_EQ(node.taints, (std::vector<Taint>{{"k", "v", "NoExecute"}}));
  EXPECT_EQ(node.allocatable.milli_cpu, 4000);
  EXPECT_EQ(node.allocatable.memory, int64_t{2} << 30);
  EXPECT_EQ(node.allocatable.extended.at("example.com/gpu"), 1);
  EXPECT_EQ(node.max_pods, 110);
}

TEST(NodeProjection, N5_ANodeThatIsNotReadyCountsAsTainted) {
  const auto taint_of = [](const char* conditions) {
    const NodeInfo node =
        read_node(from_yaml<Node>(std::string("{status: {conditions: [") + conditions + "]}}"));
    return node.taints.empty() ? "" : node.taints.front().key;
  };
  EXPECT_EQ(taint_of("{type: Ready, status: 'True'}"), "");
  EXPECT_EQ(taint_of("{type: Ready, status: 'False'}"), "node.kubernetes.io/not-ready");
  EXPECT_EQ(taint_of("{type: Ready, status: Unknown}"), "node.kubernetes.io/unreachable");
  EXPECT_EQ(taint_of(""), "node.kubernetes.io/not-ready");
}

}  // namespace
}  // namespace windlass::scheduler
