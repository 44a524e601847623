// The Node object of an agent over time: said again, and taken up when another client makes it
// anew.
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "node/pod/intercepted_testing.h"
#include "schema/coordination/v1/lease.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Node;

class NodeKeptTest : public testing::InterceptedNodeTest {
 protected:
  std::shared_ptr<const Node> object() { return api.find<Node>(api::kinds::node(), "", "node-1"); }
  template <class Change>
  void change_node_status(Change change) {
    api.change<Node>(api::kinds::node(), "", "node-1", "status",
                     [&change](Node& changed) { change(*changed.mutable_status()); });
  }
  std::string node_condition(const std::string& type) {
    for (const auto& each : object()->status().conditions()) {
      if (each.type() == type) {
        return each.status();
      }
    }
    return "absent";
  }
  std::string owner_of_lease() {
    const auto lease =
        api.find<api::coordination::v1::Lease>(api::kinds::lease(), "kube-node-lease", "node-1");
    return lease ? lease->metadata().owner_references(0).uid() : "no lease";
  }
};

TEST_F(NodeKeptTest, N1_TheStatusIsPostedEveryFiveMinutes) {
  const Time first = api::time_of(object()->status().conditions(3).last_heartbeat_time());
  calls.calls.clear();
  run_for(minutes(11));
  EXPECT_EQ(calls.count("update nodes/status"), 2u);
  EXPECT_EQ(calls.count("update nodes"), 2u);
  EXPECT_GE(api::time_of(object()->status().conditions(3).last_heartbeat_time()) - first,
            minutes(10));
  EXPECT_EQ(api::time_of(object()->status().conditions(3).last_transition_time()), first);
}

TEST_F(NodeKeptTest, N1_WhatOthersChangedIsSaidAgain) {
  change_node_status([](auto& status) {
    (*status.mutable_allocatable())["cpu"].set_string("1");
    (*status.mutable_allocatable())["example.com/seat"].set_string("2");
    status.clear_addresses();
  });
  run_for(seconds(11));
  EXPECT_EQ(object()->status().allocatable().at("cpu").string(), "4");
  EXPECT_EQ(object()->status().allocatable().at("example.com/seat").string(), "2");
  EXPECT_EQ(object()->status().addresses_size(), 2);
}

TEST_F(NodeKeptTest, N1_AnotherSpellingOfAnAmountStays) {
  change_node_status(
      [](auto& status) { (*status.mutable_capacity())["memory"].set_string("8192Mi"); });
  const std::string version = object()->metadata().resource_version();
  run_for(seconds(21));
  EXPECT_EQ(object()->metadata().resource_version(), version);
}

TEST_F(NodeKeptTest, G7_ANodeThatIsMadeAnewIsTakenUp) {
  add_pod("run, '-1', '0'");
  ASSERT_TRUE(api.remove(api::kinds::node(), "", "node-1").answer);
  run_for(seconds(15));
  EXPECT_EQ(object(), nullptr) << "the agent makes none";
  api.create_node("{metadata: {name: node-1, labels: {zone: a}}, spec: {unschedulable: true}}");
  run_for(seconds(21));
  EXPECT_EQ(node_condition("Ready"), "True");
  EXPECT_EQ(object()->status().allocatable().at("cpu").string(), "4");
  EXPECT_EQ(object()->metadata().labels().at("kubernetes.io/hostname"), "node-1");
  EXPECT_EQ(object()->metadata().labels().at("zone"), "a");
  EXPECT_TRUE(object()->spec().unschedulable());
  EXPECT_EQ(owner_of_lease(), object()->metadata().uid());
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(node.spawned.size(), 1u);
}

// The collector has taken the Lease, as the old Node's; and a write conflicts with another
// client's.
TEST_F(NodeKeptTest, G7_TakingUpIsTriedUntilItWorks) {
  ASSERT_TRUE(api.remove(api::kinds::node(), "", "node-1").answer);
  run_for(seconds(15));
  ASSERT_TRUE(api.remove(api::kinds::lease(), "kube-node-lease", "node-1").answer);
  api.create_node("{metadata: {name: node-1}}");
  int refusals = 2;
  calls.refuse = [&refusals](const std::string& line) -> std::optional<Status> {
    if (!line.starts_with("update nodes") || refusals-- <= 0) {
      return std::nullopt;
    }
    return conflict({"", "nodes", "node-1"}, "another write was faster");
  };
  run_for(seconds(31));
  EXPECT_EQ(node_condition("Ready"), "True");
  EXPECT_EQ(object()->metadata().labels().at("kubernetes.io/hostname"), "node-1");
  EXPECT_EQ(owner_of_lease(), object()->metadata().uid());
}

}  // namespace
}  // namespace windlass::node
