#include "controllers/disruption/budget_controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "api/pod/pod_condition.h"
#include "apiserver/testing.h"
#include "schema/core/v1/event.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::disruption {
namespace {

using apiserver::testing::Pod;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

struct BudgetControllerTest : ::testing::Test {
  BudgetControllerTest() : client(api.client, api.world.executor()) {
    const client::ClientEnv env = api.client_env();
    controller = std::make_unique<BudgetController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log});
    controller->start();
    settle();
  }

  static const api::Kind& kind() { return *api::find_kind("policy/v1", "PodDisruptionBudget"); }
  void settle(Duration duration = milliseconds(10)) { api.world.run_for(duration); }
  void create_budget(const std::string& name, const std::string& spec) {
    api.create<Budget>(kind(), fmt::format("{{metadata: {{name: {}}}, spec: {{{}, selector: "
                                           "{{matchLabels: {{app: a}}}}}}}}",
                                           name, spec));
    settle();
  }
  void create_pod(const std::string& name, const std::string& app = "a") {
    api.create_pod(
        fmt::format("{{metadata: {{name: {}, labels: {{app: {}}}}}, spec: {{nodeName: "
                    "node-1, containers: [{{name: c, image: i}}]}}}}",
                    name, app));
    api.change<Pod>(api::kinds::pod(), "default", name, "status", [this](Pod& pod) {
      pod.mutable_status()->set_phase("Running");
      api::set_pod_condition(pod, "Ready", "True", api.world.clock().now());
    });
    settle();
  }
  std::shared_ptr<const Budget> budget(const std::string& name) {
    return api.find<Budget>(kind(), "default", name);
  }
  // `healthy/desired/expected allowed`.
  std::string numbers(const std::string& name = "b") {
    const auto& status = budget(name)->status();
    return fmt::format("{}/{}/{} {}", status.current_healthy(), status.desired_healthy(),
                       status.expected_pods(), status.disruptions_allowed());
  }
  std::vector<std::string> events() {
    std::vector<std::string> texts;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& item : list->items) {
      const auto event = api::object_as<api::core::v1::Event>(item);
      texts.push_back(fmt::format("{} {}: {}", event->involved_object().name(), event->reason(),
                                  event->message()));
    }
    return texts;
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  std::unique_ptr<BudgetController> controller;
};

TEST_F(BudgetControllerTest, D1_FollowsItsPods) {
  create_budget("b", "minAvailable: 1");
  EXPECT_EQ(numbers(), "0/1/0 0");
  EXPECT_EQ(budget("b")->status().observed_generation(), budget("b")->metadata().generation());
  create_pod("p1");
  create_pod("p2");
  create_pod("stranger", "b");
  EXPECT_EQ(numbers(), "2/1/2 1");
  api.remove_pod("p1");
  settle();
  EXPECT_EQ(numbers(), "1/1/2 0");  // terminating, and still there
  api.remove_pod("p1", 0);
  settle();
  EXPECT_EQ(numbers(), "1/1/1 0");
  api.change<Pod>(api::kinds::pod(), "default", "p2", "",
                  [](Pod& pod) { (*pod.mutable_metadata()->mutable_labels())["app"] = "c"; });
  settle();
  EXPECT_EQ(numbers(), "0/1/0 0");
}

TEST_F(BudgetControllerTest, D7_AtRestItIsSilent) {
  create_budget("b", "minAvailable: 1");
  create_pod("p1");
  const size_t writes = client.count("update");
  settle(hours(1));
  EXPECT_EQ(client.count("update"), writes);
}

// All pods are looked at for what is new, and not again when the answer comes back.
TEST_F(BudgetControllerTest, D1_ItsOwnWritesAreNoNews) {
  create_budget("b", "minAvailable: 1");
  create_pod("p1");
  const size_t reads = client.count("get poddisruptionbudgets");
  const size_t writes = client.count("update poddisruptionbudgets");
  api.remove_pod("p1", 0);
  settle(seconds(1));
  EXPECT_EQ(numbers(), "0/1/0 0");
  EXPECT_EQ(client.count("update poddisruptionbudgets"), writes + 1);
  EXPECT_EQ(client.count("get poddisruptionbudgets"), reads + 1);
}

TEST_F(BudgetControllerTest, D1_WhatOthersWriteIntoTheStatusIsPutRight) {
  create_budget("b", "minAvailable: 1");
  create_pod("p1");
  create_pod("p2");
  api.change<Budget>(kind(), "default", "b", "status",
                     [](Budget& subject) { subject.mutable_status()->set_disruptions_allowed(7); });
  settle();
  EXPECT_EQ(numbers(), "2/1/2 1");
}

TEST_F(BudgetControllerTest, Scenario85_D3_FailsSafe) {
  create_budget("b", "maxUnavailable: 1");
  api.create_pod(
      "{metadata: {name: p, labels: {app: a}, ownerReferences: [{apiVersion: batch/v1, kind: Job, "
      "name: j, uid: u, controller: true}]}, spec: {containers: [{name: c, image: i}]}}");
  settle(seconds(1));
  EXPECT_EQ(budget("b")->status().disruptions_allowed(), 0);
  EXPECT_EQ(budget("b")->status().conditions(0).reason(), "SyncFailed");
  EXPECT_THAT(events(), Contains("b CalculateExpectedPodCountFailed: Failed to calculate the "
                                 "number of expected pods: jobs.batch does not implement the "
                                 "scale subresource"));
}

TEST_F(BudgetControllerTest, Scenario86_D6_AnEvictionThatDidNotHappenRunsOut) {
  create_budget("b", "minAvailable: 1");
  create_pod("p1");
  create_pod("p2");
  api.change<Budget>(kind(), "default", "b", "status", [this](Budget& subject) {
    api::set_time((*subject.mutable_status()->mutable_disrupted_pods())["p1"],
                  api.world.clock().now());
    subject.mutable_status()->set_disruptions_allowed(0);
  });
  settle(seconds(110));
  EXPECT_EQ(numbers(), "1/1/2 0");
  settle(seconds(20));
  EXPECT_EQ(numbers(), "2/1/2 1");
  EXPECT_EQ(budget("b")->status().disrupted_pods_size(), 0);
  EXPECT_THAT(events(), Contains("p1 NotDeleted: Pod was expected by PDB default/b to be deleted "
                                 "but it wasn't"));
}

TEST_F(BudgetControllerTest, D8_OverlappingBudgetsAreAllKeptCurrent) {
  create_budget("b", "minAvailable: 1");
  create_budget("c", "minAvailable: 0");
  create_pod("p1");
  EXPECT_EQ(numbers("b"), "1/1/1 0");
  EXPECT_EQ(numbers("c"), "1/0/1 1");
  settle(seconds(1));
  EXPECT_THAT(events(), Contains(AllOf(HasSubstr("p1 MultiplePodDisruptionBudgets: Pod "
                                                 "\"default\"/\"p1\" matches multiple"))));
}

TEST_F(BudgetControllerTest, D7_ConflictsAreReadAgain) {
  create_budget("b", "minAvailable: 1");
  int changes = 2;
  client.before = [&](const std::string& line) {
    if (line.starts_with("update") && changes-- > 0) {
      api.change<Budget>(kind(), "default", "b", "", [&](Budget& subject) {
        (*subject.mutable_metadata()->mutable_labels())["n"] = std::to_string(changes);
      });
    }
  };
  create_pod("p1");
  EXPECT_EQ(numbers(), "1/1/1 0");
}

}  // namespace
}  // namespace windlass::controllers::disruption
