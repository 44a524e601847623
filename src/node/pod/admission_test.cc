#include "node/pod/admission.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using testing::SimulatedNode;

constexpr int64_t kGibi = int64_t{1} << 30;

// `cpu` in thousandths.
placement::Resources amounts(int64_t cpu, int64_t memory = 0, int64_t storage = 0) {
  return {cpu, memory, storage, {}};
}

PodSpecView asking(placement::Resources requests) {
  PodSpecView pod;
  pod.needs.requests = std::move(requests);
  return pod;
}

NodeRoom small_node() {
  NodeRoom room;
  room.allocatable = {2000, 4 * kGibi, 10 * kGibi, {{"example.com/gpu", 1}}};
  room.max_pods = 3;
  room.operating_system = "linux";
  room.traits = {"n", {{"zone", "a"}}, {}};
  return room;
}

TEST(Admission, K4_WhatTheNodeIsShortOf) {
  struct ShortCase {
    placement::Resources requests;
    placement::Resources used;
    int64_t pods;
    const char* reason;
    const char* message;
  };
  const ShortCase cases[] = {
      {amounts(2000), {}, 0, "", ""},
      {amounts(100'000'000),
       {},
       0,
       "OutOfcpu",
       "Node didn't have enough resource: cpu, requested: 100000000, used: 0, capacity: 2000"},
      {amounts(500), amounts(1600), 1, "OutOfcpu",
       "Node didn't have enough resource: cpu, requested: 500, used: 1600, capacity: 2000"},
      {amounts(0, 5 * kGibi), amounts(0, kGibi), 1, "OutOfmemory",
       "Node didn't have enough resource: memory, requested: 5368709120, used: 1073741824, "
       "capacity: 4294967296"},
      {amounts(0, 0, 20 * kGibi),
       {},
       0,
       "OutOfephemeral-storage",
       "Node didn't have enough resource: ephemeral-storage, requested: 21474836480, used: 0, "
       "capacity: 10737418240"},
      {amounts(1),
       {},
       3,
       "OutOfpods",
       "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3"},
      {{0, 0, 0, {{"example.com/gpu", 2}}},
       {},
       0,
       "OutOfexample.com/gpu",
       "Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1"},
      {{0, 0, 0, {{"example.com/unheard-of", 2}}}, {}, 0, "", ""},
      {{}, amounts(5000), 0, "", ""},
  };
  for (const ShortCase& c : cases) {
    NodeRoom room = small_node();
    room.used = c.used;
    room.pods = c.pods;
    const std::vector<Shortage> shortages = shortages_of(asking(c.requests), room);
    const Rejection rejection =
        shortages.empty() ? Rejection() : shortage_rejection(shortages.front());
    EXPECT_EQ(rejection.reason, c.reason);
    EXPECT_EQ(rejection.message, c.message);
  }
}

TEST(Admission, K5_AffinityPortsAndTaints) {
  NodeRoom room = small_node();
  room.ports.add({{"TCP", "0.0.0.0", 80}});
  room.traits.taints = {{"k", "v", "NoExecute"}, {"other", "", "NoSchedule"}};
  PodSpecView pod;
  pod.needs.tolerations = {{"k", true, "", ""}};
  EXPECT_EQ(predicate_rejection(pod, room), std::nullopt);
  pod.needs.node_selector = {{"zone", "b"}};
  EXPECT_EQ(predicate_rejection(pod, room),
            (Rejection{"NodeAffinity",
                       "Predicate NodeAffinity failed: node(s) didn't match Pod's node "
                       "affinity/selector"}));
  pod.needs.node_selector = {{"zone", "a"}};
  pod.needs.host_ports = {{"UDP", "0.0.0.0", 80}, {"TCP", "127.0.0.1", 80}};
  EXPECT_EQ(predicate_rejection(pod, room),
            (Rejection{"NodePorts",
                       "Predicate NodePorts failed: node(s) didn't have free ports for the "
                       "requested pod ports"}));
  pod.needs.host_ports.clear();
  pod.needs.tolerations = {{"k", true, "", "NoSchedule"}};
  EXPECT_EQ(predicate_rejection(pod, room),
            (Rejection{"TaintToleration",
                       "Predicate TaintToleration failed: node(s) had taints that the pod didn't "
                       "tolerate"}));
}

TEST(Admission, K3_UnderMemoryPressureAToleratingPodPasses) {
  PodSpecView pod;
  pod.qos_class = QosClass::best_effort;
  EXPECT_TRUE(pressure_rejection(pod, {.memory = true}));
  pod.needs.tolerations = {{"node.kubernetes.io/memory-pressure", true, "", "NoSchedule"}};
  EXPECT_FALSE(pressure_rejection(pod, {.memory = true}));
  EXPECT_TRUE(pressure_rejection(pod, {.memory = true, .disk = true}));
  EXPECT_EQ(pressure_rejection(pod, {.pids = true}),
            (Rejection{"Evicted", "The node had condition: [PIDPressure]. "}));
}

TEST(Admission, K7_AnotherOperatingSystem) {
  PodSpecView pod;
  EXPECT_FALSE(system_rejection(pod, small_node()));
  pod.operating_system = "linux";
  EXPECT_FALSE(system_rejection(pod, small_node()));
  pod.operating_system = "windows";
  EXPECT_EQ(system_rejection(pod, small_node()),
            (Rejection{"PodOSNotSupported",
                       "Failed to admit pod as the OS field doesn't match node OS"}));
}

constexpr int32_t kCritical = 2'000'000'000;

TEST(Admission, K80_TheFewestAndLeastGo) {
  const std::vector<PlaceHolder> pods = {
      {"guaranteed", 0, QosClass::guaranteed, amounts(1000, kGibi)},
      {"large", 0, QosClass::burstable, amounts(900)},
      {"near", 0, QosClass::burstable, amounts(500)},
      {"small", 0, QosClass::burstable, amounts(100)},
      {"free", 0, QosClass::best_effort, {}},
      {"critical", kCritical, QosClass::burstable, amounts(9000)},
  };
  const auto victims = [&pods](int64_t missing, int32_t priority = kCritical) {
    const Shortage cpu{"cpu", missing, 0, 0};
    return pods_to_preempt(priority, {cpu}, pods).value_or(std::vector<std::string>{"error"});
  };
  using Names = std::vector<std::string>;
  // One that is enough, and of those the one that asks for least.
  EXPECT_EQ(victims(400), Names{"near"});
  EXPECT_EQ(victims(600), Names{"large"});
  EXPECT_EQ(victims(1000), (Names{"large", "small"}));
  // Guaranteed ones only when all the others are not enough.
  EXPECT_EQ(victims(1600), (Names{"large", "guaranteed"}));
  EXPECT_EQ(victims(2600), Names{"error"});
  EXPECT_EQ(victims(2600, kCritical + 1), Names{"critical"}) << "a more critical one may";
}

TEST(Admission, K80_PodsThemselvesMayBeMissing) {
  const std::vector<PlaceHolder> pods = {{"a", 0, QosClass::burstable, amounts(100, 5)},
                                         {"b", 0, QosClass::best_effort, {}}};
  EXPECT_EQ(pods_to_preempt(kCritical, {{"pods", 1, 3, 3}}, pods), (std::vector<std::string>{"b"}));
}

TEST(Admission, K81_NotEnoughPodsToPreempt) {
  const auto none = pods_to_preempt(kCritical, {{"cpu", 100'000, 0, 2000}}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "Unexpected error while attempting to recover from admission failure: preemption: "
            "error finding a set of pods to preempt: no set of running pods found to reclaim "
            "resources: [(res: cpu, q: 98000), ]");
}

class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() : node(api) {
    node.config.capacity = {{"cpu", "2"}, {"memory", "8Gi"}, {"pods", "9"}};
  }

  void start() {
    node.make_agent(api);
    node.agent->start();
    run_for(milliseconds(1));
  }
  void add_pod(const std::string& name, const std::string& cpu, int duration = 5) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{nodeName: node-1, restartPolicy: Never, containers: "
        "[{{name: c, image: i, command: [run, '{}', '0'], resources: {{requests: {{cpu: '{}'}}}}}}]"
        "}}}}",
        name, duration, cpu));
    run_for(milliseconds(1));
  }
  void run_for(Duration duration) { api.world.run_for(duration); }
  std::string phase(const std::string& name) { return api.pod(name)->status().phase(); }

  SimulatedApi api;
  SimulatedNode node;
};

TEST_F(AdmissionTest, K2_ARejectedPodSaysWhyAndNothingElse) {
  start();
  add_pod("big", "3");
  EXPECT_TRUE(node.spawned.empty());
  const auto& status = api.pod("big")->status();
  EXPECT_EQ(status.phase(), "Failed");
  EXPECT_EQ(status.reason(), "OutOfcpu");
  EXPECT_EQ(status.message(),
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 0, "
            "capacity: 2000");
  EXPECT_TRUE(status.has_start_time());
  EXPECT_EQ(status.host_ip(), "");
  EXPECT_EQ(status.container_statuses_size(), 0);
  EXPECT_EQ(status.conditions_size(), 0);
  run_for(seconds(2));
  bool told = false;
  const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
  for (const auto& object : list->items) {
    const auto event = api::object_as<api::core::v1::Event>(object);
    told = told || (event->reason() == "OutOfcpu" && event->type() == "Warning" &&
                    event->message() ==
                        "Node didn't have enough resource: cpu, requested: 3000, used: 0, "
                        "capacity: 2000");
  }
  EXPECT_TRUE(told);
}

TEST_F(AdmissionTest, K4_PodsThatAreOverTakeNothing) {
  start();
  add_pod("a", "1500m");
  add_pod("b", "1");
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(phase("b"), "Failed") << "a takes the rest";
  run_for(seconds(6));
  EXPECT_EQ(phase("a"), "Succeeded");
  add_pod("c", "2");
  EXPECT_EQ(phase("c"), "Running");
}

TEST_F(AdmissionTest, K8_ARejectedPodCanBeDeleted) {
  start();
  add_pod("big", "3");
  ASSERT_TRUE(api.remove_pod("big").answer);
  run_for(seconds(1));
  EXPECT_FALSE(api.pod("big"));
}

TEST_F(AdmissionTest, K1_PodsThatRunAreNotAskedAgainAndTheOldestComesFirst) {
  start();
  add_pod("z-runs", "1", 60);
  node.agent.reset();
  add_pod("y-older", "1");
  run_for(seconds(2));
  add_pod("a-younger", "1");
  start();
  run_for(milliseconds(100));
  EXPECT_EQ(phase("z-runs"), "Running");
  EXPECT_EQ(phase("y-older"), "Running");
  EXPECT_EQ(phase("a-younger"), "Failed");
}

TEST_F(AdmissionTest, S92_K5_TheNodeIsReadAnewBeforeAffinityDecides) {
  start();
  const std::string pod =
      "{{metadata: {{name: {}}}, spec: {{nodeName: node-1, restartPolicy: Never, nodeSelector: "
      "{{disk: fast}}, containers: [{{name: c, image: i, command: [run, '5', '0']}}]}}}}";
  api.create_pod(fmt::format(fmt::runtime(pod), "early"));
  run_for(milliseconds(10));
  EXPECT_EQ(api.pod("early")->status().reason(), "NodeAffinity");
  EXPECT_EQ(api.pod("early")->status().message(),
            "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node "
            "affinity/selector");
  api.change<apiserver::testing::Node>(api::kinds::node(), "", "node-1", "", [](auto& changed) {
    (*changed.mutable_metadata()->mutable_labels())["disk"] = "fast";
  });
  api.create_pod(fmt::format(fmt::runtime(pod), "late"));
  run_for(milliseconds(10));
  EXPECT_EQ(phase("late"), "Running");
}

TEST_F(AdmissionTest, K5_TwoPodsDoNotShareAPortAndTaintsKeepPodsOff) {
  start();
  const auto add = [this](const std::string& name) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{nodeName: node-1, restartPolicy: Never, containers: "
        "[{{name: c, image: i, ports: [{{containerPort: 80, hostPort: 80}}], command: [run, '5', "
        "'0']}}]}}}}",
        name));
    run_for(milliseconds(10));
  };
  add("first");
  add("second");
  EXPECT_EQ(phase("first"), "Running");
  EXPECT_EQ(api.pod("second")->status().reason(), "NodePorts");
  run_for(seconds(6));
  add("third");
  EXPECT_EQ(phase("third"), "Running") << "the first one is over";
  api.change<apiserver::testing::Node>(api::kinds::node(), "", "node-1", "", [](auto& changed) {
    auto& taint = *changed.mutable_spec()->add_taints();
    taint.set_key("maintenance");
    taint.set_effect("NoExecute");
  });
  run_for(milliseconds(10));
  add_pod("fourth", "100m");
  EXPECT_EQ(api.pod("fourth")->status().reason(), "TaintToleration");
}

TEST_F(AdmissionTest, S115_K81_ACriticalPodTakesThePlaceOfAnother) {
  start();
  add_pod("victim", "1500m", 60);
  add_pod("modest", "100m", 60);
  const auto critical = [this](const std::string& name, const std::string& more) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{nodeName: node-1, priority: 2000000000, {} "
        "restartPolicy: Never, containers: [{{name: c, image: i, command: [run, '60', '0'], "
        "resources: {{requests: {{cpu: 1}}}}}}]}}}}",
        name, more));
    run_for(milliseconds(10));
  };
  critical("elsewhere", "nodeSelector: {no: such},");
  EXPECT_EQ(api.pod("elsewhere")->status().reason(), "NodeAffinity") << "S116, K-82";
  EXPECT_EQ(phase("victim"), "Running");
  critical("critical", "");
  run_for(seconds(1));
  const auto victim = api.pod("victim");
  EXPECT_EQ(victim->status().phase(), "Failed");
  EXPECT_EQ(victim->status().reason(), "Preempting");
  EXPECT_EQ(victim->status().message(), "Preempted in order to admit critical pod");
  const auto& condition = victim->status().conditions(0);
  EXPECT_EQ(condition.type() + " " + condition.reason() + ": " + condition.message(),
            "DisruptionTarget TerminationByKubelet: Pod was preempted by Kubelet to accommodate a "
            "critical pod.");
  EXPECT_EQ(phase("critical"), "Running");
  EXPECT_EQ(phase("modest"), "Running");
  critical("too-much", "overhead: {cpu: 100},");
  EXPECT_EQ(api.pod("too-much")->status().reason(), "UnexpectedAdmissionError");
}

}  // namespace
}  // namespace windlass::node
