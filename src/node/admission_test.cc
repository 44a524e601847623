#include "node/admission.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Pod;
using apiserver::testing::SimApi;
using testing::SimNode;

constexpr int64_t kGibi = int64_t{1} << 30;

ContainerPlan asking(MilliAmounts requests, bool sidecar = false) {
  ContainerPlan container;
  container.requests = std::move(requests);
  container.sidecar = sidecar;
  return container;
}

NodeRoom small_node() {
  NodeRoom room;
  room.allocatable = {{"cpu", 2000},
                      {"memory", 4 * kGibi * 1000},
                      {"ephemeral-storage", 10 * kGibi * 1000},
                      {"pods", 3000},
                      {"example.com/gpu", 1000}};
  room.operating_system = "linux";
  return room;
}

TEST(Admission, S10_WhatAPodTakes) {
  PodPlan pod;
  pod.containers = {asking({{"cpu", 100}, {"memory", 1}}), asking({{"cpu", 200}})};
  EXPECT_EQ(pod_requests(pod), (MilliAmounts{{"cpu", 300}, {"memory", 1}}));
  pod.init_containers = {asking({{"cpu", 50}}, true), asking({{"cpu", 400}}),
                         asking({{"memory", 7}})};
  EXPECT_EQ(pod_requests(pod), (MilliAmounts{{"cpu", 450}, {"memory", 7}}))
      << "the largest step of the initialization, with the sidecars before it";
  pod.overhead = {{"cpu", 10}};
  EXPECT_EQ(pod_requests(pod), (MilliAmounts{{"cpu", 460}, {"memory", 7}}));
}

TEST(Admission, K4_WhatTheNodeIsShortOf) {
  struct ShortCase {
    MilliAmounts requests;
    MilliAmounts used;
    int64_t pods;
    const char* reason;
    const char* message;
  };
  const ShortCase cases[] = {
      {{{"cpu", 2000}}, {}, 0, "", ""},
      {{{"cpu", 100'000'000}},
       {},
       0,
       "OutOfcpu",
       "Node didn't have enough resource: cpu, requested: 100000000, used: 0, capacity: 2000"},
      {{{"cpu", 500}},
       {{"cpu", 1600}},
       1,
       "OutOfcpu",
       "Node didn't have enough resource: cpu, requested: 500, used: 1600, capacity: 2000"},
      {{{"memory", 5 * kGibi * 1000}},
       {{"memory", kGibi * 1000}},
       1,
       "OutOfmemory",
       "Node didn't have enough resource: memory, requested: 5368709120, used: 1073741824, "
       "capacity: 4294967296"},
      {{{"ephemeral-storage", 20 * kGibi * 1000}},
       {},
       0,
       "OutOfephemeral-storage",
       "Node didn't have enough resource: ephemeral-storage, requested: 21474836480, used: 0, "
       "capacity: 10737418240"},
      {{{"cpu", 1}},
       {},
       3,
       "OutOfpods",
       "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3"},
      {{{"example.com/gpu", 2000}},
       {},
       0,
       "OutOfexample.com/gpu",
       "Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1"},
      {{{"example.com/unheard-of", 2000}}, {}, 0, "", ""},
      {{{"cpu", 0}}, {{"cpu", 5000}}, 0, "", ""},
  };
  for (const ShortCase& c : cases) {
    PodPlan pod;
    pod.containers = {asking(c.requests)};
    NodeRoom room = small_node();
    room.used = c.used;
    room.pods = c.pods;
    const Rejection rejection = rejection_of(pod, room).value_or(Rejection());
    EXPECT_EQ(rejection.reason, c.reason);
    EXPECT_EQ(rejection.message, c.message);
  }
}

TEST(Admission, K7_AnotherOperatingSystem) {
  PodPlan pod;
  EXPECT_FALSE(rejection_of(pod, small_node()));
  pod.operating_system = "linux";
  EXPECT_FALSE(rejection_of(pod, small_node()));
  pod.operating_system = "windows";
  EXPECT_EQ(rejection_of(pod, small_node()),
            (Rejection{"PodOSNotSupported",
                       "Failed to admit pod as the OS field doesn't match node OS"}));
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

  SimApi api;
  SimNode node;
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

}  // namespace
}  // namespace windlass::node
