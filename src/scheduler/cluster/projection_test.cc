#include "scheduler/cluster/projection.h"

#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "scheduler/cluster/read_shape.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {
namespace {

using api::core::v1::Node;
using api::core::v1::Pod;
using api::testing::from_yaml;

TEST(PodProjection, ReadsWhatPlacementNeeds) {
  ShapeTable shapes;
  const PodPtr read = read_pod(from_yaml<Pod>(R"(
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
)"),
                               shapes);
  const PodInfo& pod = *read;
  EXPECT_EQ(pod.ns, "ns");
  EXPECT_EQ(pod.name, "p");
  EXPECT_EQ(pod.uid, "u");
  EXPECT_EQ(pod.node, "");
  EXPECT_EQ(pod.priority(), 7);
  EXPECT_EQ(pod.shape->requests.milli_cpu, 1500 + 1 + 100 + 10);
  EXPECT_EQ(pod.shape->requests.memory, 1 << 30);
  EXPECT_EQ(pod.shape->requests.ephemeral_storage, 1000);
  EXPECT_EQ(pod.shape->requests.extended.at("example.com/gpu"), 2);
  EXPECT_EQ(pod.shape->node_selector.at("disk"), "ssd");
  ASSERT_EQ(pod.shape->tolerations.size(), 2u);
  EXPECT_TRUE(pod.shape->tolerations[0].exists);
  EXPECT_FALSE(pod.shape->tolerations[1].exists);
  EXPECT_FALSE(pod.deleting);
  EXPECT_FALSE(pod.gated);
}

TEST(PodProjection, KnowsWhoIsNotToBeScheduled) {
  ShapeTable shapes;
  const auto read = [&shapes](const char* yaml) { return read_pod(from_yaml<Pod>(yaml), shapes); };
  const auto is_live = [&shapes](const char* yaml) {
    return read_live_pod(from_yaml<Pod>(yaml), shapes).has_value();
  };
  EXPECT_FALSE(is_live("{status: {phase: Failed}}"));
  EXPECT_FALSE(is_live("{status: {phase: Succeeded}}"));
  EXPECT_TRUE(is_live("{status: {phase: Running}}"));
  EXPECT_TRUE(read("{spec: {containers: [], schedulingGates: [{name: g}]}}")->gated);
  EXPECT_TRUE(read("{metadata: {deletionTimestamp: '2024-01-01T00:00:00Z'}}")->deleting);
}

TEST(PodProjection, ReadsWhatTheStatusSaysAboutScheduling) {
  ShapeTable shapes;
  const PodPtr pod = read_pod(from_yaml<Pod>(R"(
status:
  nominatedNodeName: n1
  startTime: '2024-01-01T00:00:00Z'
  conditions:
  - {type: PodScheduled, status: 'False', reason: Unschedulable, message: m}
  - {type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}
)"),
                              shapes);
  EXPECT_EQ(pod->nominated_node, "n1");
  EXPECT_TRUE(pod->started);
  EXPECT_EQ(pod->unscheduled, (ScheduledCondition{"Unschedulable", "m"}));
  EXPECT_TRUE(pod->preempted);
  EXPECT_FALSE(read_pod(from_yaml<Pod>("{status: {conditions: [{type: DisruptionTarget, status: "
                                       "'True', reason: DeletionByTaintManager}]}}"),
                        shapes)
                   ->preempted);
}

TEST(Shapes, PodsThatAskTheSameShareOne) {
  ShapeTable shapes;
  const auto shape = [&shapes](const std::string& labels, const std::string& spec) {
    return read_pod(from_yaml<Pod>("{metadata: {namespace: a, labels: " + labels + "}, spec: {" +
                                   spec + "}}"),
                    shapes)
        ->shape;
  };
  const std::string selector = "nodeSelector: {a: b, c: d, e: f, g: h}";
  const ShapePtr first = shape("{index: '1'}", selector);
  EXPECT_EQ(shape("{index: '2'}", selector), first);
  EXPECT_NE(shape("{index: '1'}", selector + ", priority: 1"), first);
  const std::string spread =
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, "
      "whenUnsatisfiable: DoNotSchedule, labelSelector: {}, "
      "matchLabelKeys: [index]}]";
  EXPECT_NE(shape("{index: '1'}", spread), shape("{index: '2'}", spread));
}

TEST(Shapes, AreForgottenWithTheirLastPod) {
  ShapeTable shapes;
  for (int i = 0; i < 10'000; ++i) {
    shapes.find(std::to_string(i), [] { return PodShape(); });
  }
  EXPECT_LE(shapes.size(), 256u);
}

TEST(PodProjection, ReadsHostPortsAndTerms) {
  ShapeTable shapes;
  const ShapePtr shape = read_pod(from_yaml<Pod>(R"(
metadata: {namespace: ns, labels: {app: web, rev: r1}}
spec:
  preemptionPolicy: Never
  initContainers:
  - {name: i, image: x, ports: [{containerPort: 1, hostPort: 1}]}
  - {name: s, image: x, restartPolicy: Always, ports: [{containerPort: 2, hostPort: 2}]}
  containers:
  - name: a
    image: x
    ports:
    - {containerPort: 3}
    - {containerPort: 4, hostPort: 4, hostIP: 10.0.0.1, protocol: UDP}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: cpus, operator: Gt, values: ['4']}]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 3, preference: {matchFields: [{key: metadata.name, operator: In, values: [n1]}]}}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [rev]}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 5, podAffinityTerm: {topologyKey: host, namespaces: [z, b], labelSelector: {}}}
)"),
                                  shapes)
                             ->shape;
  EXPECT_TRUE(shape->never_preempts);
  EXPECT_EQ(shape->host_ports,
            (std::vector<HostPort>{{"TCP", "0.0.0.0", 2}, {"UDP", "10.0.0.1", 4}}));
  ASSERT_TRUE(shape->required_nodes);
  EXPECT_EQ(shape->required_nodes->at(0).labels.at(0).op, api::LabelOperator::greater_than);
  EXPECT_EQ(shape->preferred_nodes.at(0).weight, 3);
  EXPECT_EQ(shape->required_affinity.at(0).selector.text(), "app=web,rev in (r1)");
  EXPECT_EQ(shape->required_affinity.at(0).namespaces, std::vector<std::string>{"ns"});
  EXPECT_EQ(shape->preferred_anti_affinity.at(0).weight, 5);
  EXPECT_EQ(shape->preferred_anti_affinity.at(0).namespaces, (std::vector<std::string>{"b", "z"}));
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

// Each term costs a look at every pod, and each requirement a look at every node.
TEST(PodProjection, ReadsNoMoreTermsThanAnAttemptCanCompare) {
  const auto shape_of = [](const Pod& pod) { return read_shape(pod); };
  const auto add_terms = [](Pod& pod, int more) {
    auto& far = *pod.mutable_spec()->mutable_affinity()->mutable_pod_anti_affinity();
    for (int i = 0; i < more; ++i) {
      auto& term = *far.add_required_during_scheduling_ignored_during_execution();
      term.set_topology_key("kubernetes.io/hostname");
      (*term.mutable_label_selector()->mutable_match_labels())["n"] = std::to_string(i);
    }
  };
  Pod near_the_limit;
  add_terms(near_the_limit, kMaxPodTerms - 1);
  near_the_limit.mutable_spec()->add_topology_spread_constraints()->set_topology_key("zone");
  EXPECT_FALSE(shape_of(near_the_limit).asks_too_much);
  EXPECT_EQ(shape_of(near_the_limit).required_anti_affinity.size(), kMaxPodTerms - 1);
  Pod beyond = near_the_limit;
  add_terms(beyond, 1);
  EXPECT_TRUE(shape_of(beyond).asks_too_much);
  EXPECT_FALSE(shape_of(beyond).has_pod_terms());
  EXPECT_FALSE(shape_of(beyond).insists_on_pods());

  Pod tolerant;
  for (int i = 0; i < kMaxNodeRequirements - 2; ++i) {
    tolerant.mutable_spec()->add_tolerations()->set_key("k" + std::to_string(i));
  }
  auto& affinity = *tolerant.mutable_spec()->mutable_affinity()->mutable_node_affinity();
  auto& term = *affinity.add_preferred_during_scheduling_ignored_during_execution();
  term.mutable_preference()->add_match_expressions()->set_operator_("Exists");
  EXPECT_FALSE(shape_of(tolerant).asks_too_much);
  term.mutable_preference()->add_match_fields()->set_operator_("Exists");
  EXPECT_TRUE(shape_of(tolerant).asks_too_much);
  EXPECT_TRUE(shape_of(tolerant).tolerations.empty());
}

}  // namespace
}  // namespace windlass::scheduler
