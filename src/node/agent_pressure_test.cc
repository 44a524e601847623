// Eviction by a node that is short of something (disruption.md 7.5, rows ),
// through a whole agent in virtual time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "node/testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Node;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SimulatedNode;

constexpr uint64_t kMi = 1 << 20;
constexpr uint64_t kGi = 1 << 30;

class AgentPressureTest : public ::testing::Test {
 protected:
  AgentPressureTest()
      : node(api, "node-1", [](AgentConfig& config) {
          config.capacity = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}};
          config.pressure = *pressure::read_flags(
              {.hard = "memory.available<100Mi,nodefs.available<1Gi,nodefs.inodesFree<100,"
                       "pid.available<10",
               .transition = "20s"});
        }) {
    node.host_resources.now = {.memory = {{8 * kGi, 8 * kGi}},
                               .disk = {{100 * kGi, 200 * kGi}},
                               .inodes = {{5000, 9000}},
                               .pids = {{900, 1000}}};
    node.containers.set_use([this](const std::string& run) {
      for (const auto& [name, use] : uses) {
        if (run.starts_with(api.pod(name)->metadata().uid())) {
          return use;
        }
      }
      return env::ContainerUse();
    });
    node.agent->start();
    run_for(seconds(1));
  }

  void run_for(Duration duration) { api.world.run_for(duration); }

  struct PodText {
    int64_t priority = 0;
    std::string resources = "{}";
    int term_delay = 3600;  // after which it ends with 0; before that only SIGKILL ends it
    std::string more = "";
  };
  void add_pod(const std::string& name, const PodText& text) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{nodeName: node-1, restartPolicy: Never, priority: {}, "
        "{} containers: [{{name: c, image: i, resources: {}, command: [run, '-1', '1', '{}', "
        "'0']}}]}}}}",
        name, text.priority, text.more, text.resources, text.term_delay));
    run_for(milliseconds(1));
  }
  void add_pod(const std::string& name) { add_pod(name, PodText()); }

  std::string phase(const std::string& name) { return api.pod(name)->status().phase(); }
  std::string disruption(const std::string& name) {
    for (const auto& condition : api.pod(name)->status().conditions()) {
      if (condition.type() == "DisruptionTarget") {
        return condition.status() + " " + condition.reason() + ": " + condition.message();
      }
    }
    return "absent";
  }
  // `MemoryPressure=True KubeletHasInsufficientMemory`
  std::string condition(const std::string& type) {
    const auto object = api.find<Node>(api::kinds::node(), "", "node-1");
    for (const auto& each : object->status().conditions()) {
      if (each.type() == type) {
        return each.status() + " " + each.reason() + ": " + each.message();
      }
    }
    return "absent";
  }
  std::vector<std::string> events(const std::string& kind) {
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<api::core::v1::Event>(object);
      if (event->involved_object().kind() == kind) {
        lines.push_back(event->type() + " " + event->reason() + " " + event->message());
      }
    }
    return lines;
  }

  SimulatedApi api;
  SimulatedNode node;
  std::map<std::string, env::ContainerUse> uses;  // by name of the pod
};

TEST_F(AgentPressureTest, R4_S102_AHogIsEvictedWhenMemoryIsShort) {
  add_pod("hog");
  add_pod("idle",
          {.resources = "{requests: {memory: 1Gi, cpu: 1}, limits: {memory: 1Gi, cpu: 1}}"});
  uses = {{"hog", {"", 7 * kGi, 1}}, {"idle", {"", 20 * kMi, 1}}};
  node.host_resources.now.memory->available = 50 * kMi;
  run_for(seconds(10));
  EXPECT_EQ(phase("hog"), "Running");  // K-35: nothing is said while it may run
  EXPECT_EQ(condition("MemoryPressure"),
            "True KubeletHasInsufficientMemory: kubelet has insufficient memory available");
  EXPECT_EQ(condition("DiskPressure").substr(0, 5), "False");
  node.host_resources.now.memory->available = 7 * kGi;
  run_for(seconds(2));  // K-56: one second of grace, and never less than two until SIGKILL
  const Pod pod = *api.pod("hog");
  EXPECT_EQ(pod.status().phase(), "Failed");
  EXPECT_EQ(pod.status().reason(), "Evicted");
  const std::string message =
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container "
      "c was using 7Gi, request is 0, has larger consumption of memory. ";
  EXPECT_EQ(pod.status().message(), message);
  EXPECT_EQ(disruption("hog"), "True TerminationByKubelet: " + message);
  EXPECT_EQ(pod.status().container_statuses(0).state().terminated().exit_code(), 137);
  EXPECT_EQ(pod.status().container_statuses(0).state().terminated().reason(), "Error");
  EXPECT_EQ(phase("idle"), "Running");
  EXPECT_THAT(events("Pod"), Contains("Warning Evicted " + message));
  EXPECT_THAT(events("Node"),
              Contains("Warning EvictionThresholdMet Attempting to reclaim memory"));
  EXPECT_THAT(events("Node"), Contains("Normal NodeHasInsufficientMemory Node node-1 status is "
                                       "now: NodeHasInsufficientMemory"));
}

TEST_F(AgentPressureTest, S108_K58_TheConditionOutlivesTheShortage) {
  node.host_resources.now.memory->available = 50 * kMi;
  run_for(seconds(10));
  EXPECT_EQ(condition("MemoryPressure").substr(0, 4), "True");
  node.host_resources.now.memory->available = kGi;
  run_for(seconds(15));
  EXPECT_EQ(condition("MemoryPressure").substr(0, 4), "True");
  run_for(seconds(10));
  EXPECT_EQ(condition("MemoryPressure"),
            "False KubeletHasSufficientMemory: kubelet has sufficient memory available");
  EXPECT_THAT(events("Node"), Contains("Normal NodeHasSufficientMemory Node node-1 status is now: "
                                       "NodeHasSufficientMemory"));
}

TEST_F(AgentPressureTest, S103_K61_OneAtATimeAndOnlyWhileItIsShort) {
  add_pod("low");
  add_pod("high", {.priority = 10});
  uses = {{"low", {"", kGi, 1}}, {"high", {"", 6 * kGi, 1}}};
  node.host_resources.now.memory->available = 50 * kMi;
  run_for(seconds(13));
  EXPECT_EQ(phase("low"), "Failed");
  EXPECT_EQ(phase("high"), "Running");
  // Still short: the next one goes as soon as the first is gone, not ten seconds later.
  run_for(seconds(4));
  EXPECT_EQ(phase("high"), "Failed");
  EXPECT_EQ(node.containers.signals().size(), 4u);  // SIGTERM and SIGKILL each
}

TEST_F(AgentPressureTest, K63_ExitZeroWithinTheGraceIsSuccess) {
  add_pod("p", {.term_delay = 1});
  uses = {{"p", {"", kGi, 1}}};
  node.host_resources.now.memory->available = 0;
  run_for(seconds(12));
  EXPECT_EQ(phase("p"), "Succeeded");
  EXPECT_EQ(api.pod("p")->status().reason(), "");
  EXPECT_EQ(api.pod("p")->status().message(), "");
  EXPECT_THAT(disruption("p"), HasSubstr("True TerminationByKubelet: The node was low"));
}

TEST_F(AgentPressureTest, S120_WithoutTheGateTheSameWithoutTheCondition) {
  node.config.disruption_conditions = false;
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  add_pod("p");
  uses = {{"p", {"", kGi, 1}}};
  node.host_resources.now.memory->available = 0;
  run_for(seconds(13));
  EXPECT_EQ(api.pod("p")->status().reason(), "Evicted");
  EXPECT_EQ(disruption("p"), "absent");
}

TEST_F(AgentPressureTest, S104_K61_ACriticalPodStays) {
  add_pod("critical", {.priority = 2'000'000'000});
  add_pod("small");
  uses = {{"critical", {"", 7 * kGi, 1}}, {"small", {"", 5 * kMi, 1}}};
  node.host_resources.now.memory->available = 50 * kMi;
  run_for(seconds(30));
  EXPECT_EQ(phase("critical"), "Running");
  EXPECT_EQ(phase("small"), "Failed");
}

TEST_F(AgentPressureTest, M23_ANodeWithLessThanTheMachineCountsItsOwnPods) {
  node.config.capacity["memory"] = "1Gi";
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  add_pod("p");
  uses = {{"p", {"", 900 * kMi, 1}}};
  run_for(seconds(15));
  EXPECT_EQ(phase("p"), "Running");
  uses = {{"p", {"", 1000 * kMi, 1}}};
  run_for(seconds(13));
  EXPECT_THAT(api.pod("p")->status().message(),
              HasSubstr("Threshold quantity: 100Mi, available: 24Mi. "));
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(AgentPressureTest, R5_S105_APodThatFillsTheDiskIsEvicted) {
  add_pod("hog");
  add_pod("tidy");
  const std::string uid = api.pod("hog")->metadata().uid();
  node.host_resources.now.disk = {{kGi - 100 * 1024, 200 * kGi}};
  node.files.put("/data/pods/" + uid + "/f", std::string(200 * 1024, 'x'));
  node.files.put("/data/logs/default_hog_" + uid + "/c/0.log", std::string(1024, 'x'));
  run_for(seconds(13));
  EXPECT_EQ(api.pod("hog")->status().reason(), "Evicted");
  const std::string message =
      "The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: "
      "1048476Ki. Container c was using 201Ki, request is 0, has larger consumption of "
      "ephemeral-storage. ";
  EXPECT_EQ(api.pod("hog")->status().message(), message);
  EXPECT_EQ(disruption("hog"), "True TerminationByKubelet: " + message);
  EXPECT_EQ(condition("DiskPressure"), "True KubeletHasDiskPressure: kubelet has disk pressure");
  EXPECT_THAT(events("Node"),
              Contains("Warning EvictionThresholdMet Attempting to reclaim ephemeral-storage"));
  // It has nothing to give.
  run_for(minutes(1));
  EXPECT_EQ(phase("tidy"), "Running");
}

// The disk of a machine may be full of other things.
TEST_F(AgentPressureTest, NoPodIsEvictedFromADiskThatOthersHaveFilled) {
  add_pod("p");
  node.files.put("/data/pods/" + api.pod("p")->metadata().uid() + "/f", std::string(4096, 'x'));
  node.host_resources.now.disk->available = 0;
  run_for(minutes(1));
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(condition("DiskPressure").substr(0, 4), "True");
}

TEST_F(AgentPressureTest, S106_K59_LogsOfPodsThatHaveEndedGoFirst) {
  api.create_pod(
      "{metadata: {name: ended}, spec: {nodeName: node-1, restartPolicy: Never, containers: "
      "[{name: c, image: i, command: [run, '0', '0']}]}}");
  run_for(seconds(1));
  ASSERT_EQ(phase("ended"), "Succeeded");
  add_pod("p");
  const std::string old = "/data/logs/default_ended_" + api.pod("ended")->metadata().uid();
  node.files.put(old + "/c/0.log", "much");
  node.files.put("/data/pods/" + api.pod("p")->metadata().uid() + "/f", std::string(4096, 'x'));
  node.host_resources.on_look = [&](env::HostResourceLevels& now) {
    now.disk->available = node.files.tree_size(old)->entries > 0 ? kGi - 1 : kGi;
  };
  run_for(seconds(15));
  EXPECT_EQ(node.files.tree_size(old)->entries, 0u);
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(condition("DiskPressure").substr(0, 4), "True");
}

// What is removed is moved away first, and is gone when a thread has had the time.
TEST_F(AgentPressureTest, S106_K59_NoPodGoesWhileTheDiskGetsItsRoomBack) {
  api.create_pod(
      "{metadata: {name: ended}, spec: {nodeName: node-1, restartPolicy: Never, containers: "
      "[{name: c, image: i, command: [run, '0', '0']}]}}");
  run_for(seconds(1));
  ASSERT_EQ(phase("ended"), "Succeeded");
  add_pod("p");
  const std::string old = "/data/logs/default_ended_" + api.pod("ended")->metadata().uid();
  node.files.put(old + "/c/0.log", "much");
  node.files.put("/data/pods/" + api.pod("p")->metadata().uid() + "/f", std::string(4096, 'x'));
  std::optional<MonotonicTime> removed;
  bool frees = true;
  node.host_resources.on_look = [&](env::HostResourceLevels& now) {
    if (!removed && node.files.tree_size(old)->entries == 0) {
      removed = api.world.clock().monotonic();
    }
    const bool room = removed && api.world.clock().monotonic() > *removed && frees;
    now.disk->available = room ? kGi : kGi - 1;
  };
  run_for(seconds(30));
  ASSERT_TRUE(removed);
  EXPECT_EQ(phase("p"), "Running");
  // There is nothing more to remove.
  frees = false;
  run_for(seconds(15));
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(AgentPressureTest, K61_InodesAndProcessNumbers) {
  add_pod("files");
  for (int i = 0; i < 50; ++i) {
    node.files.put(fmt::format("/data/pods/{}/{}", api.pod("files")->metadata().uid(), i), "");
  }
  node.host_resources.now.inodes->available = 60;
  run_for(seconds(13));
  EXPECT_EQ(api.pod("files")->status().message(),
            "The node was low on resource: inodes. Threshold quantity: 100, available: 60. ");
  node.host_resources.now.inodes->available = 5000;
  run_for(seconds(40));
  add_pod("bomb");
  add_pod("calm");
  uses = {{"bomb", {"", 0, 500}}, {"calm", {"", 0, 1}}};
  node.host_resources.now.pids->available = 3;
  run_for(seconds(11));
  node.host_resources.now.pids->available = 500;
  run_for(seconds(5));
  EXPECT_EQ(api.pod("bomb")->status().message(),
            "The node was low on resource: pids. Threshold quantity: 10, available: 3. ");
  EXPECT_EQ(phase("calm"), "Running");
  EXPECT_EQ(condition("PIDPressure"),
            "True KubeletHasInsufficientPID: kubelet has insufficient PID available");
}

TEST_F(AgentPressureTest, K56_ASoftThresholdLeavesPodsTime) {
  node.config.pressure = *pressure::read_flags({.hard = "",
                                                .soft = "memory.available<100Mi",
                                                .soft_grace = "memory.available=15s",
                                                .max_pod_grace = "4"});
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  add_pod("p");
  uses = {{"p", {"", kGi, 1}}};
  node.host_resources.now.memory->available = 0;
  run_for(seconds(20));
  EXPECT_EQ(node.containers.signals().size(), 0u);
  EXPECT_EQ(condition("MemoryPressure").substr(0, 4), "True");
  run_for(seconds(10));
  ASSERT_EQ(node.containers.signals().size(), 1u);
  run_for(seconds(2));
  EXPECT_EQ(phase("p"), "Running");
  run_for(seconds(2));
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(AgentPressureTest, R10_K3_ANodeUnderPressureRefusesPods) {
  node.host_resources.now.memory->available = 50 * kMi;
  run_for(seconds(10));
  add_pod("best-effort");
  add_pod("burstable", {.resources = "{requests: {memory: 1Mi}}"});
  add_pod("critical", {.priority = 2'000'000'000});
  EXPECT_EQ(api.pod("best-effort")->status().reason(), "Evicted");
  EXPECT_EQ(api.pod("best-effort")->status().message(),
            "Pod was rejected: The node had condition: [MemoryPressure]. ");
  EXPECT_EQ(disruption("best-effort"), "absent");
  EXPECT_EQ(phase("burstable"), "Running");
  EXPECT_EQ(phase("critical"), "Running");
  node.host_resources.now.disk->available = 0;
  run_for(seconds(10));
  add_pod("burstable-2", {.resources = "{requests: {memory: 1Mi}}"});
  EXPECT_EQ(api.pod("burstable-2")->status().message(),
            "Pod was rejected: The node had condition: [DiskPressure MemoryPressure]. ");
  EXPECT_EQ(api.pod("burstable-2")->status().container_statuses_size(), 0);
}

TEST_F(AgentPressureTest, NothingIsAskedOfContainersWhileThereIsEnough) {
  int asked = 0;
  node.containers.set_use([&asked](const std::string&) {
    ++asked;
    return env::ContainerUse();
  });
  add_pod("p");
  run_for(minutes(5));
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace windlass::node
