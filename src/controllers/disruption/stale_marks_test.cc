#include "controllers/disruption/stale_marks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "api/pod/pod_condition.h"
#include "apiserver/testing.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::disruption {
namespace {

using apiserver::testing::Pod;
using ::testing::IsEmpty;

struct StaleMarks : ::testing::Test {
  StaleMarks() : client(api.client, api.world.executor()) {
    api.create_pod(
        "{metadata: {name: p, finalizers: [x/y]}, spec: {nodeName: node-1, containers: [{name: c, "
        "image: i}]}}");
    set_phase("Running");
  }

  void start() {
    const client::ClientEnv env = api.client_env();
    cleaner = std::make_unique<StaleMarkCleaner>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
        StaleMarkCleaner::Options());
    cleaner->start();
    settle();
  }
  void settle(Duration duration = milliseconds(10)) { api.world.run_for(duration); }
  template <class Change>
  void change(Change change_it) {
    api.change<Pod>(api::kinds::pod(), "default", "p", "status", change_it);
  }
  void set_phase(const std::string& phase) {
    change([&](Pod& pod) {
      pod.mutable_status()->set_phase(phase);
      api::set_pod_condition(pod, "Ready", "True", api.world.clock().now());
    });
  }
  void mark(const std::string& reason = "PreemptionByScheduler", const std::string& text = "why") {
    change([&](Pod& pod) {
      api::set_pod_condition(pod, "DisruptionTarget", "True", api.world.clock().now(), reason,
                             text);
    });
  }
  // `status/reason/message`.
  std::string disruption_target() {
    for (const auto& condition : api.pod("p")->status().conditions()) {
      if (condition.type() == "DisruptionTarget") {
        return fmt::format("{}/{}/{}", condition.status(), condition.reason(), condition.message());
      }
    }
    return "";
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  std::unique_ptr<StaleMarkCleaner> cleaner;
};

TEST_F(StaleMarks, Scenario80_D12_AfterTwoMinutesTheMarkIsCleared) {
  start();
  mark();
  settle(seconds(118));
  EXPECT_EQ(disruption_target(), "True/PreemptionByScheduler/why");
  settle(seconds(3));
  EXPECT_EQ(disruption_target(), "False//");
  ASSERT_EQ(api.pod("p")->status().conditions_size(), 2);
  EXPECT_EQ(api.pod("p")->status().conditions(0).type(), "Ready");
  EXPECT_EQ(api.pod("p")->status().conditions(0).status(), "True");
  const Time cleared = api::time_of(api.pod("p")->status().conditions(1).last_transition_time());
  EXPECT_LE(api.world.clock().now() - cleared, seconds(3));
  EXPECT_EQ(api.pod("p")->status().conditions(1).observed_generation(), 1);  // KEP-5067
  EXPECT_EQ(api.pod("p")->status().phase(), "Running");
  settle(hours(1));
  EXPECT_EQ(client.count("update"), 1u);
}

TEST_F(StaleMarks, Scenario81_D13_APodThatIsDeletedKeepsItsMark) {
  start();
  mark();
  settle(minutes(1));
  api.remove_pod("p", 3600);
  settle(minutes(10));
  EXPECT_EQ(disruption_target(), "True/PreemptionByScheduler/why");
  EXPECT_THAT(client.calls, IsEmpty());
}

TEST_F(StaleMarks, Scenario82_D10_TheKubeletsOwnMarkStays) {
  start();
  mark("TerminationByKubelet");
  settle(minutes(10));
  EXPECT_EQ(disruption_target(), "True/TerminationByKubelet/why");
}

TEST_F(StaleMarks, D12_ForeignReasonsAreSubjectToo) {
  start();
  mark("AnotherReason");
  settle(seconds(121));
  EXPECT_EQ(disruption_target(), "False//");
}

TEST_F(StaleMarks, Scenario83_D13_AnEndedPodKeepsItsMark) {
  start();
  mark();
  set_phase("Failed");
  settle(minutes(10));
  EXPECT_EQ(disruption_target(), "True/PreemptionByScheduler/why");
}

TEST_F(StaleMarks, Scenario84_D11_WhatIsOverdueAtTheStartIsClearedAtOnce) {
  mark();
  settle(minutes(5));
  start();
  EXPECT_EQ(disruption_target(), "False//");
}

TEST_F(StaleMarks, D13_AMarkThatIsFalseIsLeftAlone) {
  change([&](Pod& pod) {
    api::set_pod_condition(pod, "DisruptionTarget", "False", api.world.clock().now(), "Why");
  });
  start();
  settle(minutes(10));
  EXPECT_EQ(disruption_target(), "False/Why/");
}

TEST_F(StaleMarks, D14_AMarkThatIsRenewedGetsItsTwoMinutes) {
  start();
  mark("TerminationByKubelet");
  settle(minutes(5));
  mark("DeletionByTaintManager");  // keeps the old time of transition
  settle(seconds(119));
  EXPECT_EQ(disruption_target(), "True/DeletionByTaintManager/why");
  settle(seconds(2));
  EXPECT_EQ(disruption_target(), "False//");
  EXPECT_EQ(cleaner->remembered(), 0u);
}

TEST_F(StaleMarks, D14_AMarkThatIsRenewedInTheLastMomentIsNotCleared) {
  start();
  mark();
  client.before = [&, done = false](const std::string& line) mutable {
    if (line.starts_with("get pods") && !std::exchange(done, true)) {
      mark("DeletionByTaintManager");
    }
  };
  settle(seconds(125));
  EXPECT_EQ(disruption_target(), "True/DeletionByTaintManager/why");
  settle(minutes(2));
  EXPECT_EQ(disruption_target(), "False//");
}

TEST_F(StaleMarks, MarkedAgainAfterwardsItIsClearedAgain) {
  start();
  mark();
  settle(seconds(121));
  mark("EvictionByEvictionAPI");
  settle(seconds(60));
  EXPECT_EQ(disruption_target(), "True/EvictionByEvictionAPI/why");
  settle(seconds(61));
  EXPECT_EQ(disruption_target(), "False//");
}

TEST_F(StaleMarks, FailuresAreTriedAgain) {
  start();
  mark();
  int failures = 3;
  client.refuse = [&](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update") && failures-- > 0 ? std::optional(internal_error("no"))
                                                        : std::nullopt;
  };
  settle(seconds(121));
  EXPECT_EQ(disruption_target(), "True/PreemptionByScheduler/why");
  settle(seconds(10));
  EXPECT_EQ(disruption_target(), "False//");
}

}  // namespace
}  // namespace windlass::controllers::disruption
