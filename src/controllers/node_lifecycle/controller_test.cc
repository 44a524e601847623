#include "controllers/node_lifecycle/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "apiserver/testing.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/event.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::node_lifecycle {
namespace {

using api::coordination::v1::Lease;
using api::core::v1::Event;
using apiserver::testing::Node;
using apiserver::testing::Pod;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";

struct NodeLifecycle : ::testing::Test {
  NodeLifecycle() : client(api.client, api.world.executor()) {}

  void start() {
    const client::ClientEnv env = api.client_env();
    controller = std::make_unique<NodeLifecycleController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
        NodeLifecycleController::Options{});
    controller->start();
    api.world.run_for(milliseconds(10));
  }
  // Time passes; nodes in `alive` renew their leases every ten seconds.
  void settle(Duration duration) {
    while (duration > Duration::zero()) {
      for (const std::string& node : alive) {
        renew(node);
      }
      const Duration step = std::min<Duration>(duration, seconds(10));
      api.world.run_for(step);
      duration -= step;
    }
  }
  void renew(const std::string& node) {
    if (!api.find<Lease>(api::kinds::lease(), "kube-node-lease", node)) {
      api.create<Lease>(
          api::kinds::lease(),
          fmt::format("{{metadata: {{name: {}, namespace: kube-node-lease}}}}", node));
    }
    api.change<Lease>(api::kinds::lease(), "kube-node-lease", node, "", [&](Lease& lease) {
      api::set_time(*lease.mutable_spec()->mutable_renew_time(), api.world.clock().now());
    });
  }
  void create_node(const std::string& name, const std::string& zone = "a") {
    api.create_node(fmt::format(
        "{{metadata: {{name: {}, labels: {{topology.kubernetes.io/zone: {}}}}}}}", name, zone));
    alive.insert(name);
    post(name, {{"MemoryPressure", "False"},
                {"DiskPressure", "False"},
                {"PIDPressure", "False"},
                {"Ready", "True"}});
  }
  void post(const std::string& name,
            const std::vector<std::pair<std::string, std::string>>& conditions) {
    api.change<Node>(api::kinds::node(), "", name, "status", [&](Node& node) {
      node.mutable_status()->clear_conditions();
      for (const auto& [type, status] : conditions) {
        auto& condition = *node.mutable_status()->add_conditions();
        condition.set_type(type);
        condition.set_status(status);
        api::set_time(*condition.mutable_last_heartbeat_time(), api.world.clock().now());
      }
    });
    api.world.run_for(milliseconds(10));
  }
  void create_nodes(int count, const std::string& zone = "a") {
    for (int i = 0; i < count; ++i) {
      create_node(zone + std::to_string(i), zone);
    }
  }
  void create_pod(const std::string& name, const std::string& node) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{nodeName: {}, containers: [{{name: c, image: i}}]}}}}",
        name, node));
    api.change<Pod>(api::kinds::pod(), "default", name, "status", [](Pod& pod) {
      pod.mutable_status()->set_phase("Running");
      for (const char* type : {"Ready", "ContainersReady"}) {
        auto& condition = *pod.mutable_status()->add_conditions();
        condition.set_type(type);
        condition.set_status("True");
      }
    });
  }
  std::shared_ptr<const Node> node(const std::string& name) {
    return api.find<Node>(api::kinds::node(), "", name);
  }
  // `status reason: message`.
  std::string condition(const std::string& name, const std::string& type) {
    for (const auto& item : node(name)->status().conditions()) {
      if (item.type() == type) {
        return item.status() + " " + item.reason() + ": " + item.message();
      }
    }
    return "";
  }
  // `key:effect`, without the common prefix.
  std::vector<std::string> taints(const std::string& name) {
    std::vector<std::string> out;
    for (const auto& taint : node(name)->spec().taints()) {
      std::string key = taint.key();
      key = key.substr(key.find('/') + 1);
      out.push_back(key + ":" + taint.effect());
    }
    return out;
  }
  size_t evicting_nodes() {
    size_t count = 0;
    const auto nodes = api.server.list({&api::kinds::node(), "", "", ""}, {});
    for (const auto& object : nodes->items) {
      for (const auto& taint : static_cast<const Node&>(*object).spec().taints()) {
        count += taint.effect() == "NoExecute" ? 1U : 0U;
      }
    }
    return count;
  }
  std::vector<std::string> events(const std::string& kind) {
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto& event = static_cast<const Event&>(*object);
      if (event.involved_object().kind() == kind) {
        EXPECT_EQ(event.source().component(), "node-controller");
        lines.push_back(fmt::format("{} {} {}", event.type(), event.reason(), event.message()));
      }
    }
    return lines;
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  std::set<std::string> alive;
  std::unique_ptr<NodeLifecycleController> controller;
};

TEST_F(NodeLifecycle, HealthyNodesCauseNoWrites) {
  create_nodes(3);
  start();
  settle(seconds(20));
  client.calls.clear();
  settle(minutes(10));
  EXPECT_THAT(client.calls, IsEmpty());
}

TEST_F(NodeLifecycle, Scenario44_N3_N4_N6_ANodeThatFallsSilent) {
  create_nodes(2);
  create_pod("p", "a0");
  create_pod("q", "a1");
  start();
  settle(seconds(10));
  alive.erase("a0");
  settle(seconds(38));  // 48 since its last sign
  EXPECT_EQ(condition("a0", "Ready").substr(0, 4), "True");
  settle(seconds(12));
  EXPECT_EQ(condition("a0", "Ready"),
            "Unknown NodeStatusUnknown: Kubelet stopped posting node status.");
  EXPECT_EQ(condition("a0", "DiskPressure"),
            "Unknown NodeStatusUnknown: Kubelet stopped posting node status.");
  EXPECT_THAT(taints("a0"),
              UnorderedElementsAre("unreachable:NoSchedule", "unreachable:NoExecute"));
  EXPECT_TRUE(node("a0")->spec().taints(0).has_time_added());
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "False");
  EXPECT_EQ(api.pod("p")->status().conditions(0).reason(), "");
  EXPECT_EQ(api.pod("p")->status().conditions(1).status(), "True");
  EXPECT_EQ(api.pod("p")->status().phase(), "Running");
  EXPECT_EQ(api.pod("q")->status().conditions(0).status(), "True");
  EXPECT_THAT(taints("a1"), IsEmpty());
  EXPECT_THAT(events("Node"), Contains("Normal NodeNotReady Node a0 status is now: NodeNotReady"));
  EXPECT_THAT(events("Node"),
              Contains("Normal RegisteredNode Node a0 event: Registered Node a0 in Controller"));
  EXPECT_THAT(events("Pod"), ElementsAre("Warning NodeNotReady Node is not ready"));
}

TEST_F(NodeLifecycle, Scenario47_N6_ANodeThatComesBackLosesItsTaints) {
  create_nodes(2);
  start();
  alive.erase("a0");
  settle(seconds(70));
  ASSERT_EQ(taints("a0").size(), 2u);
  alive.insert("a0");
  post("a0", {{"Ready", "True"}});
  settle(seconds(5));
  EXPECT_THAT(taints("a0"), IsEmpty());
}

TEST_F(NodeLifecycle, N2_EitherSignKeepsANodeAlive) {
  create_nodes(3);
  start();
  alive.erase("a0");
  for (int i = 0; i < 12; ++i) {
    post("a0", {{"Ready", "True"}});
    settle(seconds(40));
  }
  EXPECT_EQ(condition("a0", "Ready").substr(0, 4), "True");
}

TEST_F(NodeLifecycle, N3_ANodeThatNeverPostedGetsTheStartupGrace) {
  create_node("a1");
  api.create_node("{metadata: {name: never}}");
  start();
  settle(seconds(59));
  EXPECT_EQ(condition("never", "Ready"), "");
  settle(seconds(7));
  EXPECT_EQ(condition("never", "Ready"),
            "Unknown NodeStatusNeverUpdated: Kubelet never posted node status.");
  EXPECT_THAT(taints("never"), Contains("unreachable:NoSchedule"));
  EXPECT_THAT(events("Node"),
              Not(Contains("Normal NodeNotReady Node never status is now: NodeNotReady")));
}

TEST_F(NodeLifecycle, N5_TaintsMirrorConditions) {
  create_nodes(2);
  start();
  post("a0", {{"Ready", "True"},
              {"MemoryPressure", "True"},
              {"DiskPressure", "True"},
              {"PIDPressure", "Unknown"},
              {"NetworkUnavailable", "True"}});
  settle(milliseconds(100));
  EXPECT_THAT(taints("a0"),
              UnorderedElementsAre("memory-pressure:NoSchedule", "disk-pressure:NoSchedule",
                                   "network-unavailable:NoSchedule"));
  post("a0", {{"Ready", "False"}});
  settle(milliseconds(100));
  EXPECT_THAT(taints("a0"), Contains("not-ready:NoSchedule"));
  post("a0", {{"Ready", "True"}});
  api.change<Node>(api::kinds::node(), "", "a0", "",
                   [](Node& node) { node.mutable_spec()->set_unschedulable(true); });
  settle(milliseconds(100));
  EXPECT_THAT(taints("a0"), ElementsAre("unschedulable:NoSchedule"));
  api.change<Node>(api::kinds::node(), "", "a0", "",
                   [](Node& node) { node.mutable_spec()->clear_unschedulable(); });
  settle(milliseconds(100));
  EXPECT_THAT(taints("a0"), IsEmpty());
}

TEST_F(NodeLifecycle, Scenario49_N5_ATaintRemovedByHandComesBack) {
  create_nodes(2);
  start();
  post("a0", {{"Ready", "True"}, {"DiskPressure", "True"}});
  settle(milliseconds(100));
  api.change<Node>(api::kinds::node(), "", "a0", "",
                   [](Node& node) { node.mutable_spec()->clear_taints(); });
  settle(milliseconds(100));
  EXPECT_THAT(taints("a0"), ElementsAre("disk-pressure:NoSchedule"));
}

TEST_F(NodeLifecycle, N5_TaintsOfOthersStay) {
  create_nodes(2);
  api.change<Node>(api::kinds::node(), "", "a0", "", [](Node& node) {
    for (const char* effect : {"NoSchedule", "NoExecute"}) {
      auto& taint = *node.mutable_spec()->add_taints();
      taint.set_key("example.com/mine");
      taint.set_effect(effect);
    }
    auto& taint = *node.mutable_spec()->add_taints();
    taint.set_key("node.kubernetes.io/out-of-service");
    taint.set_effect("NoExecute");
  });
  start();
  settle(seconds(30));
  EXPECT_EQ(taints("a0").size(), 3u);
}

TEST_F(NodeLifecycle, N6_OneNodeEveryTenSeconds) {
  create_nodes(20);
  start();
  settle(seconds(10));
  for (int i = 0; i < 4; ++i) {
    alive.erase("a" + std::to_string(i));
  }
  settle(seconds(46));
  size_t before = 0;
  for (int second = 0; second < 60; ++second) {
    settle(seconds(1));
    const size_t now = evicting_nodes();
    EXPECT_LE(now - before, 1u);
    before = now;
  }
  EXPECT_EQ(before, 4u);
}

// As when a node is labelled with another zone: the old one may be gone with it.
TEST_F(NodeLifecycle, N6_ASilentNodeGetsBothTaintsWhenItBecomesUnknown) {
  create_nodes(3);
  start();
  alive.erase("a0");
  settle(seconds(40));
  for (int i = 0; i < 200 && condition("a0", "Ready").starts_with("True"); ++i) {
    settle(milliseconds(100));
  }
  ASSERT_TRUE(condition("a0", "Ready").starts_with("Unknown"));
  settle(milliseconds(100));
  EXPECT_THAT(taints("a0"),
              UnorderedElementsAre("unreachable:NoSchedule", "unreachable:NoExecute"));
}

// The turn that a node got for its silence is not kept for another time.
TEST_F(NodeLifecycle, N6_ANodeThatSpeaksBeforeItIsUnknownWaitsForATurnLater) {
  create_nodes(4);
  start();
  client.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update nodes") ? std::optional(plain_error("down")) : std::nullopt;
  };
  alive.erase("a0");
  settle(seconds(58));  // its turn has come, and its status cannot be written
  alive.insert("a0");
  settle(seconds(10));
  client.refuse = {};
  settle(seconds(30));
  ASSERT_THAT(taints("a0"), IsEmpty());
  post("a1", {{"Ready", "False"}});
  settle(seconds(6));
  ASSERT_THAT(taints("a1"), Contains("not-ready:NoExecute"));
  post("a0", {{"Ready", "False"}});
  settle(seconds(4));
  EXPECT_THAT(taints("a0"), ElementsAre("not-ready:NoSchedule"));
  settle(seconds(10));
  EXPECT_THAT(taints("a0"), Contains("not-ready:NoExecute"));
}

TEST_F(NodeLifecycle, N6_ANodeThatChangesItsZoneWhileItWaitsGetsItsTurnThere) {
  create_nodes(4, "a");
  create_nodes(2, "b");
  start();
  settle(seconds(10));
  alive.erase("b0");
  alive.erase("b1");
  settle(seconds(46));
  for (int i = 0; i < 30 && evicting_nodes() == 0; ++i) {
    settle(seconds(1));
  }
  ASSERT_EQ(evicting_nodes(), 1u);  // the other one waits
  for (const char* name : {"b0", "b1"}) {
    api.change<Node>(api::kinds::node(), "", name, "", [](Node& node) {
      (*node.mutable_metadata()->mutable_labels())["topology.kubernetes.io/zone"] = "a";
    });
  }
  settle(seconds(60));
  EXPECT_EQ(evicting_nodes(), 2u);
}

TEST_F(NodeLifecycle, N6_TheTwoTaintsAreSwappedAtOnce) {
  create_nodes(3);
  start();
  post("a0", {{"Ready", "False"}});
  settle(seconds(6));
  ASSERT_THAT(taints("a0"), UnorderedElementsAre("not-ready:NoSchedule", "not-ready:NoExecute"));
  alive.erase("a0");
  settle(seconds(60));
  EXPECT_THAT(taints("a0"),
              UnorderedElementsAre("unreachable:NoSchedule", "unreachable:NoExecute"));
}

TEST_F(NodeLifecycle, Scenario45_N7_TheOnlyNodeIsNotEmptied) {
  create_nodes(1);
  start();
  alive.clear();
  settle(minutes(5));
  EXPECT_EQ(condition("a0", "Ready").substr(0, 7), "Unknown");
  EXPECT_THAT(taints("a0"), ElementsAre("unreachable:NoSchedule"));
}

TEST_F(NodeLifecycle, N7_ThreeOfFiveDownStopTheEvictionsInASmallZone) {
  create_nodes(5);
  start();
  alive = {"a3", "a4"};
  settle(minutes(10));
  EXPECT_EQ(evicting_nodes(), 0u);
  alive = {"a2", "a3", "a4"};
  post("a2", {{"Ready", "True"}});
  settle(seconds(30));
  EXPECT_EQ(evicting_nodes(), 2u);
}

TEST_F(NodeLifecycle, N7_InALargeZoneThatIsPartlyGoneOneNodeEveryHundredSeconds) {
  create_nodes(51);
  start();
  settle(seconds(10));
  for (int i = 0; i < 31; ++i) {
    alive.erase("a" + std::to_string(i));
  }
  settle(seconds(70));
  const size_t before = evicting_nodes();
  EXPECT_LE(before, 2u);
  settle(seconds(600));
  EXPECT_GE(evicting_nodes(), before + 5);
  EXPECT_LE(evicting_nodes(), before + 7);
}

TEST_F(NodeLifecycle, N7_AFullZoneAmongOthersIsTainted) {
  create_nodes(2, "a");
  create_nodes(2, "b");
  start();
  alive = {"b0", "b1"};
  settle(seconds(90));
  EXPECT_EQ(evicting_nodes(), 2u);
}

TEST_F(NodeLifecycle, N7_WhenEverythingIsDownTheTaintsGoAndComeBackLater) {
  create_nodes(4);
  start();
  settle(seconds(10));
  alive.erase("a0");
  settle(seconds(70));
  ASSERT_EQ(evicting_nodes(), 1u);
  alive.clear();
  settle(seconds(70));
  EXPECT_EQ(evicting_nodes(), 0u);  // also the last one to go
  settle(minutes(10));
  EXPECT_EQ(evicting_nodes(), 0u);
  alive = {"a1", "a2"};
  post("a1", {{"Ready", "True"}});
  post("a2", {{"Ready", "True"}});
  settle(seconds(20));  // without another 50 seconds
  EXPECT_EQ(evicting_nodes(), 2u);
}

TEST_F(NodeLifecycle, AControllerThatWasStoppedItselfBelievesNoNodeDead) {
  create_nodes(3);
  start();
  settle(seconds(20));
  api.world.executor().pause();
  api.world.run_for(minutes(5));
  api.world.executor().resume();
  settle(seconds(40));
  for (const char* name : {"a0", "a1", "a2"}) {
    EXPECT_EQ(condition(name, "Ready").substr(0, 4), "True") << name;
  }
}

TEST_F(NodeLifecycle, N2_TheClocksOfNodesDoNotMatter) {
  create_nodes(2);
  start();
  api.world.clock().shift_wall(hours(-5));
  settle(minutes(2));
  api.world.clock().shift_wall(hours(10));
  settle(minutes(2));
  EXPECT_EQ(condition("a0", "Ready").substr(0, 4), "True");
}

TEST_F(NodeLifecycle, N4_AFailedMarkIsTriedAgain) {
  create_nodes(2);
  create_pod("p", "a0");
  start();
  int failures = 3;
  client.refuse = [&failures](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update pods/status") && failures-- > 0
               ? std::optional(plain_error("down"))
               : std::nullopt;
  };
  alive.erase("a0");
  settle(seconds(80));
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "False");
}

// Kubernetes marks pods when its node controller itself takes Ready away from a node.
TEST_F(NodeLifecycle, N4_PodsOfANodeThatItselfSaysThatItIsNotReadyStayReady) {
  create_nodes(2);
  create_pod("p", "a0");
  start();
  post("a0", {{"Ready", "False"}});
  settle(seconds(20));
  EXPECT_THAT(taints("a0"), UnorderedElementsAre("not-ready:NoSchedule", "not-ready:NoExecute"));
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "True");
  EXPECT_THAT(events("Pod"), IsEmpty());
  EXPECT_THAT(events("Node"),
              Not(Contains("Normal NodeNotReady Node a0 status is now: NodeNotReady")));

  alive.erase("a0");  // it was not ready before it fell silent
  settle(seconds(70));
  EXPECT_EQ(condition("a0", "Ready").substr(0, 7), "Unknown");
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "True");
  EXPECT_THAT(events("Pod"), IsEmpty());
}

// A node that cannot renew its lease may still report on its pods, and then it is right.
TEST_F(NodeLifecycle, N4_APodThatSaysReadyAgainOnASilentNodeIsNotMarkedTwice) {
  create_nodes(2);
  create_pod("p", "a0");
  start();
  alive.erase("a0");
  settle(seconds(70));
  ASSERT_EQ(api.pod("p")->status().conditions(0).status(), "False");
  api.change<Pod>(api::kinds::pod(), "default", "p", "status", [](Pod& pod) {
    pod.mutable_status()->mutable_conditions(0)->set_status("True");
  });
  settle(minutes(1));
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "True");
  EXPECT_THAT(events("Pod"), ElementsAre("Warning NodeNotReady Node is not ready"));
}

TEST_F(NodeLifecycle, N4_AControllerThatStartsAnewMarksWhatItsPredecessorLeft) {
  create_nodes(2);
  create_pod("p", "a0");
  start();
  client.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update pods/status") ? std::optional(plain_error("down"))
                                                  : std::nullopt;
  };
  alive.erase("a0");
  settle(seconds(70));
  ASSERT_EQ(condition("a0", "Ready").substr(0, 7), "Unknown");
  ASSERT_EQ(api.pod("p")->status().conditions(0).status(), "True");
  controller.reset();
  client.refuse = {};
  start();
  settle(seconds(10));
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "False");
}

TEST_F(NodeLifecycle, N4_NoPodIsMarkedAfterItsNodeHasComeBack) {
  create_nodes(2);
  create_pod("p", "a0");
  start();
  bool down = true;
  client.refuse = [&down](const std::string& line) -> std::optional<Status> {
    return down && line.starts_with("update pods/status") ? std::optional(plain_error("down"))
                                                          : std::nullopt;
  };
  alive.erase("a0");
  settle(seconds(70));
  ASSERT_EQ(condition("a0", "Ready").substr(0, 7), "Unknown");
  alive.insert("a0");
  post("a0", {{"Ready", "True"}});
  down = false;
  settle(minutes(2));
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "True");
}

TEST_F(NodeLifecycle, AWriteToANodeThatFailsIsTriedAgain) {
  create_nodes(2);
  start();
  int failures = 4;
  client.refuse = [&failures](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update nodes") && failures-- > 0 ? std::optional(plain_error("down"))
                                                              : std::nullopt;
  };
  alive.erase("a0");
  settle(minutes(3));
  EXPECT_THAT(taints("a0"), Contains("unreachable:NoExecute"));
  EXPECT_EQ(node("a0")->spec().taints(0).key(), kUnreachable);
}

TEST_F(NodeLifecycle, NodesComeAndGo) {
  create_nodes(3);
  start();
  alive.erase("a0");
  settle(seconds(55));
  api.remove(api::kinds::node(), "", "a0");
  settle(seconds(30));
  EXPECT_THAT(events("Node"),
              Contains("Normal RemovingNode Node a0 event: Removing Node a0 from Controller"));
  create_node("a0");
  settle(seconds(30));
  EXPECT_THAT(taints("a0"), IsEmpty());
}

}  // namespace
}  // namespace windlass::controllers::node_lifecycle
