#include "node/hollow/hollow_nodes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "base/sanitized_testing.h"
#include "schema/coordination/v1/lease.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::node::hollow {
namespace {

using api::coordination::v1::Lease;
using apiserver::testing::Node;
using apiserver::testing::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Hollow : ::testing::Test {
  Hollow() : client(api.client, api.world.executor()) {}

  void start(size_t count = 2, HollowOptions options = {}) {
    for (size_t i = 0; i < count; ++i) {
      options.nodes.push_back(hollow_config(i));
    }
    const client::ClientEnv env = api.client_env();
    nodes = std::make_unique<HollowNodes>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
        std::move(options));
    nodes->start([this] { ++ready; });
    settle();
    EXPECT_EQ(ready, 1);
  }
  void restart(size_t count = 2) {
    nodes.reset();
    ready = 0;
    start(count);
  }
  void settle(Duration duration = milliseconds(10)) { api.world.run_for(duration); }

  void create(const std::string& name, const std::string& annotations = "",
              const std::string& spec = "restartPolicy: Never",
              const std::string& containers = "[{name: c, image: i}]") {
    std::string prefixed;
    for (std::string_view rest = annotations; !rest.empty();) {
      const size_t end = std::min(rest.find(';'), rest.size());
      prefixed += fmt::format("windlass.dev/hollow-{}, ", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 2, rest.size()));  // "; "
    }
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}, finalizers: [x/y], annotations: {{{}}}}}, spec: {{nodeName: "
        "hollow-0, {}, containers: {}}}}}",
        name, prefixed, spec, containers));
  }
  std::string phase(const std::string& name) { return api.pod(name)->status().phase(); }
  // `status reason: message`, or "".
  std::string condition(const std::string& name, const std::string& type) {
    for (const auto& condition : api.pod(name)->status().conditions()) {
      if (condition.type() == type) {
        return condition.status() + " " + condition.reason() + ": " + condition.message();
      }
    }
    return "";
  }
  std::string terminated(const std::string& name, int container = 0) {
    const auto& state = api.pod(name)->status().container_statuses(container).state();
    return state.has_terminated()
               ? fmt::format("{} {}", state.terminated().exit_code(), state.terminated().reason())
               : "";
  }
  std::shared_ptr<const Node> node(const std::string& name = "hollow-0") {
    return api.find<Node>(api::kinds::node(), "", name);
  }
  std::shared_ptr<const Lease> lease(const std::string& name = "hollow-0") {
    return api.find<Lease>(api::kinds::lease(), "kube-node-lease", name);
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  int ready = 0;
  std::unique_ptr<HollowNodes> nodes;
};

TEST_F(Hollow, ANodeIsReadyAndSaysThatItIsHollow) {
  start();
  EXPECT_EQ(node()->metadata().labels().at("windlass.dev/hollow"), "true");
  EXPECT_EQ(node()->metadata().annotations().at("windlass.dev/hollow"), "true");
  EXPECT_EQ(node()->status().node_info().container_runtime_version(), "windlass://hollow");
  EXPECT_EQ(node()->status().allocatable().at("pods").string(), "110");
  EXPECT_EQ(node()->status().conditions(3).type(), "Ready");
  EXPECT_EQ(node()->status().conditions(3).status(), "True");
  EXPECT_NE(node("hollow-1"), nullptr);
}

TEST_F(Hollow, N1_LeasesAreRenewedEveryTenSeconds) {
  start();
  ASSERT_NE(lease(), nullptr);
  EXPECT_EQ(lease()->spec().holder_identity(), "hollow-0");
  EXPECT_EQ(lease()->spec().lease_duration_seconds(), 40);
  EXPECT_EQ(lease()->metadata().owner_references(0).uid(), node()->metadata().uid());
  client.calls.clear();
  settle(seconds(100));
  EXPECT_EQ(client.count("update leases kube-node-lease/hollow-0"), 10u);
  EXPECT_EQ(client.count("update leases kube-node-lease/hollow-1"), 10u);
  EXPECT_EQ(client.count("get leases"), 0u);
  EXPECT_EQ(client.count("update nodes/status"), client.calls.size() - 20u - client.count("get"));
  EXPECT_LE(client.count("update nodes/status"), 2u);
}

TEST_F(Hollow, ALeaseThatAnotherClientWroteIsTakenBack) {
  start(1);
  api.change<Lease>(api::kinds::lease(), "kube-node-lease", "hollow-0", "",
                    [](Lease& lease) { lease.mutable_spec()->set_holder_identity("other"); });
  settle(seconds(11));
  EXPECT_EQ(lease()->spec().holder_identity(), "hollow-0");
  api.remove(api::kinds::lease(), "kube-node-lease", "hollow-0");
  settle(seconds(15));
  EXPECT_NE(lease(), nullptr);
}

TEST_F(Hollow, Section13_APodRunsAndSucceeds) {
  start();
  create("p", "duration: 5s");
  settle();
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(condition("p", "Ready"), "True : ");
  EXPECT_EQ(condition("p", "ContainersReady"), "True : ");
  EXPECT_TRUE(api.pod("p")->status().container_statuses(0).state().has_running());
  EXPECT_TRUE(api.pod("p")->status().container_statuses(0).started());
  EXPECT_EQ(api.pod("p")->status().host_ip(), "127.0.0.1");
  settle(milliseconds(4900));
  EXPECT_EQ(phase("p"), "Running");
  settle(milliseconds(200));
  EXPECT_EQ(phase("p"), "Succeeded");
  EXPECT_EQ(terminated("p"), "0 Completed");
  EXPECT_EQ(condition("p", "Ready"), "False PodCompleted: ");
  EXPECT_EQ(client.count("update pods/status"), 2u);
  EXPECT_EQ(nodes->pods().alive(), 0u);
}

TEST_F(Hollow, APodThatTakesNoTimeIsReportedOnce) {
  start();
  create("p", "duration: 0s; exit-code: '7'");
  settle();
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(terminated("p"), "7 Error");
  EXPECT_EQ(condition("p", "Ready"), "False PodFailed: ");
  EXPECT_EQ(client.count("update pods/status"), 1u);
  EXPECT_EQ(nodes->pods().alive(), 0u);
}

TEST_F(Hollow, PodsOfOtherNodesAreLeftAlone) {
  start();
  api.create_node("{metadata: {name: other}}");
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: other, containers: [{name: c, image: i}]}}");
  settle(minutes(1));
  EXPECT_EQ(phase("p"), "Pending");
}

TEST_F(Hollow, K11_AnImageThatTakesTimeShowsContainerCreating) {
  start();
  create("p", "start-delay: 3s; duration: 1s");
  settle();
  EXPECT_EQ(phase("p"), "Pending");
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).state().waiting().reason(),
            "ContainerCreating");
  settle(seconds(3));
  EXPECT_EQ(phase("p"), "Running");
  settle(seconds(1));
  EXPECT_EQ(phase("p"), "Succeeded");
}

TEST_F(Hollow, KEP3329_APodDeletedWhilePendingFailsAndSaysSo) {
  start();
  create("p", "start-delay: never");
  settle();
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).state().waiting().reason(),
            "ImagePullBackOff");
  api.remove_pod("p");
  settle();
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(api.pod("p")->status().reason(), "Deleted");
  EXPECT_EQ(api.pod("p")->status().message(), "Deleted while pending");
  EXPECT_EQ(terminated("p"), "137 ContainerStatusUnknown");
  EXPECT_EQ(api.pod("p")->metadata().deletion_grace_period_seconds(), 0);
}

TEST_F(Hollow, AnUnreadableAnnotationKeepsThePodPendingAndSaysWhy) {
  start();
  create("p", "duration: soon");
  settle();
  EXPECT_EQ(phase("p"), "Pending");
  const auto& waiting = api.pod("p")->status().container_statuses(0).state().waiting();
  EXPECT_EQ(waiting.reason(), "CreateContainerConfigError");
  EXPECT_THAT(waiting.message(), HasSubstr("windlass.dev/hollow-duration"));
}

TEST_F(Hollow, Scenario94_K35_K37_OneThatIgnoresSigtermIsKilledReportedAndRemoved) {
  start();
  create("p", "duration: forever; term-delay: never");
  settle();
  api.remove_pod("p", 3);
  settle(milliseconds(2900));
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(condition("p", "Ready"), "True : ");
  client.calls.clear();
  settle(milliseconds(200));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(terminated("p"), "137 Error");
  EXPECT_EQ(api.pod("p")->metadata().deletion_grace_period_seconds(), 0);
  EXPECT_THAT(client.calls, ElementsAre("get pods default/p", "update pods/status default/p",
                                        HasSubstr("delete pods default/p uid=")));
  EXPECT_EQ(nodes->pods().alive(), 0u);
}

TEST_F(Hollow, Scenario95_K15_OneThatExitsWithZeroOnSigtermSucceeds) {
  start();
  create("p", "duration: forever; term-delay: 1s; term-exit-code: '0'", "restartPolicy: OnFailure");
  settle();
  api.remove_pod("p");
  settle(milliseconds(900));
  EXPECT_EQ(phase("p"), "Running");
  settle(milliseconds(200));
  EXPECT_EQ(phase("p"), "Succeeded");
  EXPECT_EQ(terminated("p"), "0 Completed");
}

TEST_F(Hollow, K30_ASecondDeleteMayOnlyShortenTheGrace) {
  start();
  create("p", "duration: forever; term-delay: never");
  settle();
  api.remove_pod("p", 100);
  settle(seconds(1));
  api.remove_pod("p", 5);
  settle(seconds(6));
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(Hollow, K17_OnFailureRestartsAtOnceThenWithDelay) {
  start();
  create("p", "duration: 1s; exit-code: '1'", "restartPolicy: OnFailure");
  settle(milliseconds(1100));
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).restart_count(), 1);
  settle(seconds(1));
  const auto& waiting = api.pod("p")->status().container_statuses(0).state().waiting();
  EXPECT_EQ(waiting.reason(), "CrashLoopBackOff");
  settle(seconds(10));
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).restart_count(), 2);
}

TEST_F(Hollow, K13_InitContainersEndFirstAndSidecarsLast) {
  start();
  create("p", "duration: 2s",
         "restartPolicy: Never, initContainers: [{name: i, image: i}, {name: s, image: i, "
         "restartPolicy: Always}]");
  settle();
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(api.pod("p")->status().init_container_statuses(0).state().terminated().exit_code(), 0);
  EXPECT_TRUE(api.pod("p")->status().init_container_statuses(1).state().has_running());
  settle(seconds(2));
  EXPECT_EQ(phase("p"), "Succeeded");
  EXPECT_TRUE(api.pod("p")->status().init_container_statuses(1).state().has_terminated());
  create("q", "exit-code: i=4", "restartPolicy: Never, initContainers: [{name: i, image: i}]");
  settle();
  EXPECT_EQ(phase("q"), "Failed");
  EXPECT_EQ(condition("q", "Initialized"),
            "False ContainersNotInitialized: containers with incomplete status: [i]");
}

TEST_F(Hollow, K50_OutOfMemoryIsNoDisruption) {
  start();
  create("p", "end: oom");
  settle(seconds(2));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(terminated("p"), "137 OOMKilled");
  EXPECT_EQ(condition("p", "DisruptionTarget"), "");
}

TEST_F(Hollow, R4_R8_TheNodeEndsAPodWithItsReasonAndCondition) {
  start();
  create("evicted", "end: evicted; term-delay: never");
  create("shut", "end: shutdown; term-delay: never", "terminationGracePeriodSeconds: 4");
  create("clean", "end: shutdown; term-exit-code: '0'");
  create("disk", "end: local-storage");
  settle(seconds(10));
  EXPECT_EQ(api.pod("evicted")->status().reason(), "Evicted");
  EXPECT_EQ(condition("evicted", "DisruptionTarget"),
            "True TerminationByKubelet: " + api.pod("evicted")->status().message());
  EXPECT_EQ(terminated("evicted"), "137 Error");
  EXPECT_EQ(api.pod("shut")->status().reason(), "Terminated");
  EXPECT_FALSE(api.pod("shut")->metadata().has_deletion_timestamp());
  EXPECT_EQ(phase("clean"), "Succeeded");  // K-74
  EXPECT_EQ(api.pod("clean")->status().reason(), "");
  EXPECT_THAT(condition("clean", "DisruptionTarget"), HasSubstr("True TerminationByKubelet"));
  EXPECT_EQ(api.pod("disk")->status().reason(), "Evicted");
  EXPECT_EQ(condition("disk", "DisruptionTarget"), "");
}

TEST_F(Hollow, F1_Scenario120_WithoutTheGateThereIsNoDisruptionTarget) {
  HollowOptions options;
  options.disruption_conditions = false;
  start(1, std::move(options));
  create("p", "end: evicted");
  settle(seconds(2));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(api.pod("p")->status().reason(), "Evicted");
  EXPECT_EQ(condition("p", "DisruptionTarget"), "");
}

TEST_F(Hollow, AConditionComesWithTheEnd) {
  start();
  create("p", "duration: 1s; exit-code: '1'; condition: DiskBroken");
  settle();
  EXPECT_EQ(condition("p", "DiskBroken"), "");
  settle(seconds(1));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_THAT(condition("p", "DiskBroken"), HasSubstr("True HollowNode"));
}

TEST_F(Hollow, K43_TheDeadlineOfThePodIsKept) {
  start();
  create("p", "duration: forever", "activeDeadlineSeconds: 5");
  settle(seconds(6));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(api.pod("p")->status().reason(), "DeadlineExceeded");
  EXPECT_EQ(condition("p", "DisruptionTarget"), "");
}

TEST_F(Hollow, ARestartGoesOnWhereItStopped) {
  start();
  create("p", "duration: 10s");
  create("done", "duration: 1s; exit-code: '3'");
  create("restarting", "duration: 1s; exit-code: '1'", "restartPolicy: OnFailure");
  settle(seconds(4));
  const std::string id = api.pod("p")->status().container_statuses(0).container_id();
  client.calls.clear();
  restart();
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(client.count("update pods/status default/p"), 0u);
  settle(seconds(5));
  EXPECT_EQ(phase("p"), "Running");
  settle(seconds(2));
  EXPECT_EQ(phase("p"), "Succeeded");
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).container_id(), id);
  EXPECT_EQ(client.count("update pods/status default/done"), 0u);
  EXPECT_GE(api.pod("restarting")->status().container_statuses(0).restart_count(), 2);
}

TEST_F(Hollow, ARestartAfterTheEndOfAPodEndsIt) {
  start();
  create("p", "duration: 10s; exit-code: '3'");
  settle();
  nodes.reset();
  settle(minutes(1));
  EXPECT_EQ(phase("p"), "Running");
  restart();
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(terminated("p"), "3 Error");
}

TEST_F(Hollow, K37_ARestartBetweenTheEndAndTheDeleteStillDeletes) {
  start();
  create("p", "duration: forever");
  settle();
  client.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("delete") ? std::optional(plain_error("down")) : std::nullopt;
  };
  api.remove_pod("p");
  settle(milliseconds(100));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(terminated("p"), "143 Error");
  EXPECT_EQ(api.pod("p")->metadata().deletion_grace_period_seconds(), 30);
  client.refuse = nullptr;
  client.calls.clear();
  restart();
  settle(seconds(1));
  EXPECT_EQ(api.pod("p")->metadata().deletion_grace_period_seconds(), 0);
  EXPECT_EQ(terminated("p"), "143 Error");
  EXPECT_EQ(client.count("update pods/status"), 0u);
}

TEST_F(Hollow, C14_K16_AnEndThatOthersWroteStays) {
  start();
  create("p", "duration: 5s");
  settle();
  api.change<Pod>(api::kinds::pod(), "default", "p", "status", [](Pod& pod) {
    pod.mutable_status()->set_phase("Failed");
    pod.mutable_status()->set_reason("Mine");
  });
  settle(seconds(10));
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(api.pod("p")->status().reason(), "Mine");
  EXPECT_EQ(nodes->pods().alive(), 0u);
}

TEST_F(Hollow, ASilentNodeSaysNothingAndCatchesUpLater) {
  start();
  create("p", "duration: 5s");
  settle(seconds(1));
  nodes->set_silent("hollow-0", true);
  client.calls.clear();
  settle(minutes(10));
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_EQ(client.count("update leases kube-node-lease/hollow-0"), 0u);
  EXPECT_EQ(client.count("update nodes/status hollow-0"), 0u);
  api.change<Node>(api::kinds::node(), "", "hollow-0", "status", [](Node& node) {
    node.mutable_status()->mutable_conditions(3)->set_status("Unknown");
  });
  nodes->set_silent("hollow-0", false);
  settle(milliseconds(200));
  EXPECT_EQ(phase("p"), "Succeeded");
  EXPECT_EQ(node()->status().conditions(3).status(), "True");
  EXPECT_EQ(client.count("update leases kube-node-lease/hollow-0"), 1u);
}

TEST_F(Hollow, ANodeThatIsCalledUnknownSaysThatItIsThere) {
  start();
  api.change<Node>(api::kinds::node(), "", "hollow-0", "status", [](Node& node) {
    node.mutable_status()->mutable_conditions(3)->set_status("Unknown");
  });
  settle();
  EXPECT_EQ(node()->status().conditions(3).status(), "True");
}

TEST_F(Hollow, K58_K72_TheNodeSaysHowItIs) {
  start();
  NodeHealth health;
  health.disk_pressure = true;
  nodes->set_health("hollow-0", health);
  settle();
  EXPECT_EQ(node()->status().conditions(1).status(), "True");
  EXPECT_EQ(node()->status().conditions(1).reason(), "KubeletHasDiskPressure");
  create("p", "duration: forever; term-delay: never");
  settle();
  nodes->shut_down("hollow-0", seconds(10));
  settle(seconds(11));
  EXPECT_EQ(node()->status().conditions(3).message(), "node is shutting down");
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(api.pod("p")->status().reason(), "Terminated");
}

TEST_F(Hollow, ADeletedNodeIsNotMadeAgainBeforeTheNextStart) {
  start();
  api.remove(api::kinds::node(), "", "hollow-0");
  settle(minutes(20));
  EXPECT_EQ(node(), nullptr);
  restart();
  EXPECT_NE(node(), nullptr);
}

TEST_F(Hollow, K40_AWriteThatFailsIsTriedAgain) {
  start();
  int failures = 3;
  client.refuse = [&failures](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update pods/status") && failures-- > 0
               ? std::optional(plain_error("down"))
               : std::nullopt;
  };
  create("p", "duration: 1s");
  settle(seconds(30));
  EXPECT_EQ(phase("p"), "Succeeded");
}

TEST_F(Hollow, K40_AStatusThatOthersUndidIsSaidAgain) {
  start();
  create("p", "duration: forever");
  settle();
  ASSERT_EQ(condition("p", "Ready"), "True : ");
  const auto mark = [this] {
    api.change<Pod>(api::kinds::pod(), "default", "p", "status", [](Pod& pod) {
      for (auto& each : *pod.mutable_status()->mutable_conditions()) {
        each.set_status(each.type() == "Ready" ? "False" : each.status());
      }
    });
  };
  mark();
  settle(seconds(9));
  EXPECT_EQ(condition("p", "Ready"), "False : ") << "not at once: others may insist";
  settle(seconds(2));
  EXPECT_EQ(condition("p", "Ready"), "True : ");
  api.change<Pod>(api::kinds::pod(), "default", "p", "status",
                  [](Pod& pod) { pod.mutable_status()->set_phase("Pending"); });
  settle(seconds(11));
  EXPECT_EQ(phase("p"), "Running");
  nodes->set_silent("hollow-0", true);
  mark();
  settle(minutes(1));
  EXPECT_EQ(condition("p", "Ready"), "False : ");
  nodes->set_silent("hollow-0", false);
  settle();
  EXPECT_EQ(condition("p", "Ready"), "True : ");
  client.calls.clear();
  settle(minutes(10));
  EXPECT_EQ(client.count("get pods") + client.count("update pods"), 0u) << "once it is so";
}

TEST_F(Hollow, AThousandNodesTakeTenThousandPodsWithBoundedWrites) {
  HollowOptions options;
  options.mix = {3, seconds(1), seconds(9), 10, 1};
  constexpr int kNodes = kSanitized ? 100 : 1000;
  start(kNodes, std::move(options));
  for (int i = 0; i < 10 * kNodes; ++i) {
    api.create_pod(
        fmt::format("{{metadata: {{name: p-{}}}, spec: {{nodeName: hollow-{}, "
                    "restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}",
                    i, i % kNodes));
  }
  settle(seconds(10));
  EXPECT_EQ(nodes->pods().alive(), 0u);
  EXPECT_LE(client.max_writes_in_flight, 512u + 1000u);  // statuses, and heartbeats of one moment
  size_t failed = 0;
  for (const auto& pod : api.pods()) {
    failed += pod->status().phase() == "Failed" ? 1U : 0U;
    EXPECT_NE(pod->status().phase(), "Running");
  }
  EXPECT_GT(failed, kNodes * 7U / 10);
  EXPECT_LT(failed, kNodes * 13U / 10);
}

}  // namespace
}  // namespace windlass::node::hollow
