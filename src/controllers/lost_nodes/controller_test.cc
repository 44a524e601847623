#include "controllers/lost_nodes/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "apiserver/testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::controllers::lost_nodes {
namespace {

using apiserver::testing::Node;
using apiserver::testing::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct LostNodes : ::testing::Test {
  LostNodes() : controller(api.client_env(), {}) {
    create_node("near");
    create_node("far");
    controller.start();
    api.world.run_for(milliseconds(10));
  }
  void create_node(const std::string& name) {
    api.create_node(fmt::format("{{metadata: {{name: {}}}}}", name));
    set_ready(name, "True");
  }
  void set_ready(const std::string& name, const std::string& status) {
    api.change<Node>(api::kinds::node(), "", name, "status", [&](Node& node) {
      node.mutable_status()->clear_conditions();
      auto& condition = *node.mutable_status()->add_conditions();
      condition.set_type("Ready");
      condition.set_status(status);
    });
  }
  void create_pod(const std::string& name, const std::string& node, const std::string& owner = "") {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}{}}}, spec: {{nodeName: {}, containers: [{{name: c, image: i}}]}}}}",
        name,
        owner.empty() ? ""
                      : fmt::format(", ownerReferences: [{{apiVersion: apps/v1, kind: {}, name: o, "
                                    "uid: u, controller: true}}]",
                                    owner),
        node));
    api.change<Pod>(api::kinds::pod(), "default", name, "status",
                    [](Pod& pod) { pod.mutable_status()->set_phase("Running"); });
  }
  bool is_deleted(const std::string& name) {
    return api.pod(name)->metadata().has_deletion_timestamp();
  }
  std::vector<std::string> events() {
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto& event = static_cast<const api::core::v1::Event&>(*object);
      lines.push_back(fmt::format("{} {} {}", event.type(), event.reason(), event.message()));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  apiserver::testing::SimulatedApi api;
  LostNodeController controller;
};

TEST_F(LostNodes, N11_R12_PodsOfALostNodeSayNodeLostAndAreDeleted) {
  create_pod("p", "far");
  create_pod("daemon", "far", "DaemonSet");
  create_pod("q", "near");
  set_ready("far", "Unknown");
  api.world.run_for(minutes(5) - seconds(5));
  EXPECT_FALSE(is_deleted("p"));
  api.world.run_for(seconds(15));
  ASSERT_TRUE(is_deleted("p"));
  const auto pod = api.pod("p");
  EXPECT_EQ(pod->status().phase(), "Running");
  EXPECT_EQ(pod->status().reason(), "NodeLost");
  EXPECT_EQ(pod->status().message(), "Node far which was running pod p is unresponsive");
  EXPECT_THAT(pod->status().conditions(), IsEmpty());
  EXPECT_FALSE(is_deleted("daemon"));
  EXPECT_FALSE(is_deleted("q"));
  EXPECT_THAT(
      events(),
      ElementsAre("Normal DeletingAllPods Deleting all Pods from Node far.",
                  "Normal NodeControllerEviction Marking for deletion Pod p from Node far"));
}

TEST_F(LostNodes, B4_WhatHasEndedKeepsItsReasonAndIsDeleted) {
  create_pod("p", "far");
  api.change<Pod>(api::kinds::pod(), "default", "p", "status", [](Pod& pod) {
    pod.mutable_status()->set_phase("Failed");
    pod.mutable_status()->set_reason("Evicted");
    pod.mutable_status()->set_message("The node was low on resource: memory.");
  });
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& pod) { pod.mutable_metadata()->add_finalizers("x.io/a"); });
  set_ready("far", "Unknown");
  api.world.run_for(minutes(6));
  ASSERT_TRUE(is_deleted("p"));
  EXPECT_EQ(api.pod("p")->status().reason(), "Evicted");
  EXPECT_EQ(api.pod("p")->status().message(), "The node was low on resource: memory.");
}

TEST_F(LostNodes, N11_ANodeThatComesBackInTimeKeepsItsPods) {
  create_pod("p", "far");
  set_ready("far", "False");
  api.world.run_for(minutes(4));
  set_ready("far", "True");
  api.world.run_for(minutes(1));
  set_ready("far", "Unknown");
  api.world.run_for(minutes(4));
  EXPECT_FALSE(is_deleted("p"));
}

TEST_F(LostNodes, N7_WhenNoNodeIsReadyNoPodIsEvicted) {
  create_pod("p", "far");
  set_ready("far", "Unknown");
  set_ready("near", "Unknown");
  api.world.run_for(minutes(20));
  EXPECT_FALSE(is_deleted("p"));
  set_ready("near", "True");
  api.world.run_for(seconds(10));
  EXPECT_TRUE(is_deleted("p"));
}

}  // namespace
}  // namespace windlass::controllers::lost_nodes
