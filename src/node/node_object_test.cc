#include "node/node_object.h"

#include <gtest/gtest.h>

#include "schema/core/v1/node.pb.h"

namespace windlass::node {
namespace {

using api::core::v1::Node;

AgentConfig config() {
  AgentConfig config;
  config.node_name = "node-1";
  config.address = "10.0.0.1";
  config.capacity = {{"cpu", "2"}, {"memory", "4Gi"}, {"pods", "110"}};
  return config;
}

TEST(NodeObject, E79_SaysWhatJobsNeedToKnow) {
  const auto message = make_node(config(), time_from_unix(100));
  const Node& node = static_cast<const Node&>(*message);
  EXPECT_EQ(node.metadata().name(), "node-1");
  EXPECT_EQ(node.metadata().labels().at("kubernetes.io/hostname"), "node-1");
  EXPECT_EQ(node.metadata().labels().at("kubernetes.io/os"), "linux");
  EXPECT_EQ(node.metadata().labels().at("kubernetes.io/arch"), "amd64");
  EXPECT_EQ(node.spec().taints_size(), 0);
  EXPECT_EQ(node.status().allocatable().at("cpu").string(), "2");
  EXPECT_EQ(node.status().capacity().at("pods").string(), "110");
  ASSERT_EQ(node.status().addresses_size(), 2);
  EXPECT_EQ(node.status().addresses(0).type(), "InternalIP");
  EXPECT_EQ(node.status().addresses(0).address(), "10.0.0.1");
  EXPECT_EQ(node.status().addresses(1).type(), "Hostname");
  const auto& ready = node.status().conditions(3);
  EXPECT_EQ(ready.type(), "Ready");
  EXPECT_EQ(ready.status(), "True");
  EXPECT_EQ(ready.last_transition_time().seconds(), 100);
}

TEST(NodeObject, TellsOfItsMachine) {
  AgentConfig own = config();
  own.system = {"arm64", "v1.36.0+windlass.1", "Debian", "6.1", "m", "u", "b"};
  const auto message = make_node(own, time_from_unix(100));
  const Node& node = static_cast<const Node&>(*message);
  const auto& info = node.status().node_info();
  EXPECT_EQ(node.metadata().labels().at("kubernetes.io/arch"), "arm64");
  EXPECT_EQ(info.architecture(), "arm64");
  EXPECT_EQ(info.operating_system(), "linux");
  EXPECT_EQ(info.kubelet_version(), "v1.36.0+windlass.1");
  EXPECT_EQ(info.os_image(), "Debian");
  EXPECT_EQ(info.kernel_version(), "6.1");
  EXPECT_EQ(info.machine_id(), "m");
  EXPECT_EQ(info.system_uuid(), "u");
  EXPECT_EQ(info.boot_id(), "b");
}

TEST(NodeObject, RefreshingLeavesAloneWhatOthersWrote) {
  const auto message = make_node(config(), time_from_unix(100));
  Node& node = static_cast<Node&>(*message);
  node.mutable_spec()->set_unschedulable(true);
  (*node.mutable_metadata()->mutable_labels())["zone"] = "a";
  node.mutable_status()->mutable_conditions(3)->set_status("Unknown");
  node.mutable_status()->add_conditions()->set_type("example.com/Mine");
  refresh_node(config(), time_from_unix(200), node);
  EXPECT_TRUE(node.spec().unschedulable());
  EXPECT_EQ(node.metadata().labels().at("zone"), "a");
  ASSERT_EQ(node.status().conditions_size(), 5);
  EXPECT_EQ(node.status().conditions(3).status(), "True");
  EXPECT_EQ(node.status().conditions(3).last_transition_time().seconds(), 200);
  EXPECT_EQ(node.status().conditions(0).last_transition_time().seconds(), 100);
  EXPECT_EQ(node.status().conditions(0).last_heartbeat_time().seconds(), 200);
  EXPECT_EQ(node.status().addresses_size(), 2);
}

}  // namespace
}  // namespace windlass::node
