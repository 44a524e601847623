#include "scheduler/scheduler.h"

#include <gtest/gtest.h>

#include "scheduler/scheduler_testing.h"

namespace windlass::scheduler {
namespace {

using testing::Node;
using testing::SchedulerTest;

TEST_F(SchedulerTest, S17_BindsAPodThatFits) {
  add_node("n1");
  add_pod("p");
  start();
  EXPECT_EQ(node_of("p"), "n1");
  EXPECT_EQ(scheduled("p").status(), "True");
  EXPECT_EQ(scheduler->waiting(), 0u);
}

TEST_F(SchedulerTest, BindsPodsThatComeLater) {
  add_node("n1");
  start();
  add_pod("p");
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S18_APodThatFitsNowhereSaysWhyAndStaysPending) {
  add_node("n1");
  add_node("n2", "8");
  api.change<Node>(api::kinds::node(), "", "n2", "",
                   [](Node& node) { node.mutable_spec()->set_unschedulable(true); });
  add_pod("big", "3");
  start();
  EXPECT_EQ(node_of("big"), "");
  EXPECT_EQ(api.pod("big")->status().phase(), "Pending");
  EXPECT_EQ(scheduled("big").status(), "False");
  EXPECT_EQ(scheduled("big").reason(), "Unschedulable");
  EXPECT_EQ(
      scheduled("big").message(),
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. preemption: "
      "0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
  EXPECT_EQ(scheduler->waiting(), 1u);
}

TEST_F(SchedulerTest, S19_WithoutNodes) {
  add_pod("p");
  start();
  EXPECT_EQ(scheduled("p").message(), "no nodes available to schedule pods");
}

TEST_F(SchedulerTest, NodesThatAreNotReadyGetNoPods) {
  add_node("n1", "2", "", "False");
  add_pod("p");
  start();
  EXPECT_EQ(scheduled("p").message(),
            "0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes "
            "are available: 1 Preemption is not helpful for scheduling.");
}

TEST_F(SchedulerTest, S5_ANewNodeWakesWaitingPods) {
  add_pod("p");
  start();
  EXPECT_EQ(node_of("p"), "");
  add_node("n1");
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S5_AnUncordonedNodeWakesWaitingPods) {
  add_node("n1");
  const auto cordon = [this](bool on) {
    api.change<Node>(api::kinds::node(), "", "n1", "", [on](Node& node) {
      on ? node.mutable_spec()->set_unschedulable(true)
         : node.mutable_spec()->clear_unschedulable();
    });
  };
  cordon(true);
  add_pod("p");
  start();
  EXPECT_EQ(node_of("p"), "");
  cordon(false);
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S2_S5_APodThatEndsMakesRoomWhileItsObjectIsStillThere) {
  add_node("n1", "1");
  add_pod("first");
  start();
  add_pod("second");
  settle();
  EXPECT_EQ(node_of("second"), "");
  finish("first");
  settle();
  EXPECT_EQ(node_of("second"), "n1");
}

TEST_F(SchedulerTest, S5_APodThatIsDeletedMakesRoom) {
  add_node("n1", "1");
  add_pod("first");
  start();
  add_pod("second");
  settle();
  EXPECT_TRUE(api.remove_pod("first", 0).answer);
  settle();
  EXPECT_EQ(node_of("second"), "n1");
}

TEST_F(SchedulerTest, S10_TerminatingPodsStillTakeRoom) {
  add_node("n1", "1");
  add_pod("first");
  start();
  add_pod("second");
  EXPECT_TRUE(api.remove_pod("first", 30).answer);
  settle();
  EXPECT_EQ(node_of("second"), "");
}

TEST_F(SchedulerTest, S1_HigherPriorityFirstThenFirstCome) {
  add_pod("early", "1");
  add_pod("late", "1");
  add_pod("urgent", "1", "priority: 10,");
  start();
  add_node("n1", "2");
  settle();
  EXPECT_EQ(node_of("urgent"), "n1");
  EXPECT_EQ(node_of("early"), "n1");
  EXPECT_EQ(node_of("late"), "");
}

TEST_F(SchedulerTest, LeavesAlonePodsOfOthers) {
  add_node("n1");
  add_pod("foreign", "1", "schedulerName: other,");
  add_pod("gated", "1", "schedulingGates: [{name: example.com/g}],");
  start();
  EXPECT_EQ(node_of("foreign"), "");
  EXPECT_EQ(node_of("gated"), "");
  EXPECT_EQ(scheduled("foreign").type(), "");
  EXPECT_EQ(scheduler->waiting(), 0u);
}

TEST_F(SchedulerTest, DoesNotOvercommitWhileBindingsAreUnderWay) {
  add_node("n1", "2");
  for (int i = 0; i < 6; ++i) {
    add_pod(fmt::format("p{}", i));
  }
  start();
  int bound = 0;
  for (const auto& pod : api.pods()) {
    bound += pod->spec().node_name().empty() ? 0 : 1;
  }
  EXPECT_EQ(bound, 2);
  EXPECT_EQ(scheduler->waiting(), 4u);
}

TEST_F(SchedulerTest, C4_TheSameReasonIsWrittenOnce) {
  add_node("n1", "1");
  add_pod("big", "3");
  start();
  const std::string version = api.pod("big")->metadata().resource_version();
  add_pod("small", "1");
  settle();
  finish("small");
  settle();
  EXPECT_EQ(api.pod("big")->metadata().resource_version(), version);
}

TEST_F(SchedulerTest, S17_TellsOfTheBinding) {
  add_node("n1");
  add_pod("p");
  start();
  EXPECT_EQ(events("p"),
            std::set<std::string>{"Normal Scheduled: Successfully assigned default/p to n1"});
  EXPECT_EQ(scheduler->metrics().scheduled, 1u);
}

TEST_F(SchedulerTest, S17_S20_EventsSayTheActionAndTheInstance) {
  add_node("n1");
  add_pod("p");
  add_pod("big", "4");
  start({.host = "machine"});
  EXPECT_EQ(actions("p"),
            std::set<std::string>{"Scheduled Binding default-scheduler default-scheduler-machine"});
  EXPECT_EQ(actions("big"),
            std::set<std::string>{
                "FailedScheduling Scheduling default-scheduler default-scheduler-machine"});
}

// KEP-5067: the scheduler says which generation it saw; the binding is the API server's.
TEST_F(SchedulerTest, S17_TheGenerationOfAFailureGoesWithIt) {
  add_pod("p");
  start();
  ASSERT_EQ(scheduled("p").status(), "False");
  EXPECT_EQ(scheduled("p").observed_generation(), 1);
  add_node("n1");
  api.world.run_for(seconds(2));
  ASSERT_EQ(scheduled("p").status(), "True");
  EXPECT_FALSE(scheduled("p").has_observed_generation());
}

TEST_F(SchedulerTest, Row1_APodThatNamesItsNodeIsNotPlacedButCounts) {
  add_node("n1", "2");
  add_pod("fixed", "2", "nodeName: n1,");
  add_pod("p");
  start();
  EXPECT_EQ(node_of("p"), "");
  EXPECT_EQ(calls.count("bind pods default/fixed"), 0u);
}

TEST_F(SchedulerTest, Scenario1_S1_HigherPriorityIsBoundFirst) {
  add_node("n1");
  add_node("n2");
  add_pod("five", "1", "priority: 5,");
  add_pod("ten", "1", "priority: 10,");
  start();
  std::vector<std::string> bound;
  for (const std::string& line : calls.calls) {
    if (line.starts_with("bind ")) {
      bound.push_back(line.substr(0, line.rfind(' ')));
    }
  }
  EXPECT_EQ(bound, (std::vector<std::string>{"bind pods default/ten", "bind pods default/five"}));
}

TEST_F(SchedulerTest, Scenario2_S19_ARequestBeyondEveryNode) {
  add_node("n1");
  add_node("n2");
  add_pod("big", "4");
  start();
  EXPECT_EQ(scheduled("big").message(),
            "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 "
            "Preemption is not helpful for scheduling.");
  EXPECT_EQ(events("big"),
            std::set<std::string>{"Warning FailedScheduling: " + scheduled("big").message()});
}

TEST_F(SchedulerTest, Scenario3_S18_EveryNodeHasItsReason) {
  add_node("cordoned");
  add_node("tainted");
  add_node("full", "1");
  change_node("cordoned", [](Node& node) { node.mutable_spec()->set_unschedulable(true); });
  change_node("tainted", [](Node& node) {
    auto* taint = node.mutable_spec()->add_taints();
    taint->set_key("k");
    taint->set_effect("NoSchedule");
  });
  add_running("running", "full", "1");
  add_pod("p");
  start();
  EXPECT_TRUE(scheduled("p").message().starts_with(
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) "
      "were unschedulable."))
      << scheduled("p").message();
}

TEST_F(SchedulerTest, Scenario5_S3_ARefusedBindingBacksOff) {
  add_node("n1");
  add_pod("p");
  std::vector<Duration> tries;
  calls.refuse = [&](const std::string& line) -> std::optional<Status> {
    if (!line.starts_with("bind ")) {
      return std::nullopt;
    }
    tries.push_back(api.world.clock().monotonic().time_since_epoch());
    return forbidden({"", "pods", "p"}, "not now");
  };
  start();
  EXPECT_EQ(scheduled("p").reason(), "SchedulerError");
  EXPECT_TRUE(scheduled("p").message().starts_with("running Bind plugin \"DefaultBinder\": "))
      << scheduled("p").message();
  api.world.run_for(seconds(40));
  ASSERT_GE(tries.size(), 6u);
  for (const auto& [n, gap] : {std::pair(1, 1), {2, 2}, {3, 4}, {4, 8}, {5, 10}}) {
    const auto i = static_cast<size_t>(n);
    EXPECT_GE(tries[i] - tries[i - 1], seconds(gap)) << n;
  }
  calls.refuse = nullptr;
  api.world.run_for(seconds(11));
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S17_ALostAnswerToABindingTakesNoPodsRoom) {
  add_node("n1", "1");
  add_pod("p");
  calls.lose_answer = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("bind ") ? std::optional(internal_error("lost")) : std::nullopt;
  };
  start();
  EXPECT_EQ(node_of("p"), "n1");
  add_pod("q");
  api.world.run_for(seconds(5));
  EXPECT_EQ(node_of("q"), "");
  EXPECT_EQ(calls.count("bind pods default/q"), 0u);
}

TEST_F(SchedulerTest, S17_ABindingInDoubtIsRepeatedOnTheSameNode) {
  add_node("n1", "1");
  add_node("n2", "1");
  add_pod("p");
  calls.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("bind ") ? std::optional(internal_error("who knows")) : std::nullopt;
  };
  start();
  api.world.run_for(seconds(10));
  std::set<std::string> asked;
  for (const std::string& line : calls.calls) {
    if (line.starts_with("bind ")) {
      asked.insert(line);
    }
  }
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_GE(calls.count("bind "), 3u);
}

TEST_F(SchedulerTest, S17_ABindingThatHappenedIsToldOfAlthoughItsAnswerWasLost) {
  add_node("n1", "1");
  add_pod("p");
  calls.lose_answer = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("bind ") ? std::optional(internal_error("lost")) : std::nullopt;
  };
  start();
  EXPECT_EQ(node_of("p"), "n1");
  EXPECT_TRUE(events("p").contains("Normal Scheduled: Successfully assigned default/p to n1"));
  EXPECT_EQ(scheduler->metrics().scheduled, 1u);
}

// The pod is seen on its node only after the binding was repeated, and refused.
TEST_F(SchedulerTest, S17_ABindingThatIsRefusedBecauseItHappenedIsNoFailure) {
  add_node("n1", "1");
  add_pod("p");
  bool lags = true;
  calls.lose_answer = [this](const std::string& line) -> std::optional<Status> {
    return line.starts_with("bind ") && calls.count("bind ") == 1
               ? std::optional(internal_error("lost"))
               : std::nullopt;
  };
  calls.skip_event = [&lags](const client::WatchEvent& event) {
    return lags && dynamic_cast<const testing::Pod*>(event.object.get()) != nullptr;
  };
  start();
  api.world.run_for(seconds(2));
  EXPECT_EQ(calls.count("bind "), 2u);
  lags = false;
  api.change<testing::Pod>(api::kinds::pod(), "default", "p", "", [](testing::Pod& pod) {
    (*pod.mutable_metadata()->mutable_labels())["a"] = "b";
  });
  settle();
  std::set<std::string> failures = events("p");
  EXPECT_EQ(failures.erase("Normal Scheduled: Successfully assigned default/p to n1"), 1u);
  EXPECT_EQ(failures, std::set<std::string>{"Warning FailedScheduling: running Bind plugin "
                                            "\"DefaultBinder\": " +
                                            internal_error("lost").message});
  EXPECT_EQ(scheduler->metrics().scheduled, 1u);
  EXPECT_EQ(scheduler->metrics().errors, 1u);
}

TEST_F(SchedulerTest, S17_ARecreatedPodIsNotBoundInPlaceOfTheOldOne) {
  add_node("n1", "1");
  add_pod("p");
  calls.before = [this](const std::string& line) {
    if (line.starts_with("bind ") && calls.count("bind ") == 1) {
      api.remove_pod("p", 0);
      add_pod("p", "1", "nodeSelector: {no: where},");
    }
  };
  start();
  api.world.run_for(minutes(1));
  EXPECT_EQ(node_of("p"), "");
  EXPECT_EQ(scheduled("p").reason(), "Unschedulable");
  // The room is free again.
  add_pod("q");
  api.world.run_for(seconds(1));
  EXPECT_EQ(node_of("q"), "n1");
}

TEST_F(SchedulerTest, Scenario7_ASelectorThatMatchesNothingPreemptsNoPod) {
  add_node("n1", "1");
  add_running("low", "n1", "1");
  add_pod("p", "1", "priority: 10, nodeSelector: {disk: ssd},");
  start();
  EXPECT_TRUE(scheduled("p").message().starts_with(
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. "));
  EXPECT_FALSE(is_deleting("low"));
}

TEST_F(SchedulerTest, Scenario8_S7_ADeletingPodIsSkippedWithAnEvent) {
  add_node("n1");
  add_pod("p", "1", "", "finalizers: [example.com/f]");
  EXPECT_TRUE(api.remove_pod("p").answer);
  start();
  EXPECT_EQ(node_of("p"), "");
  EXPECT_EQ(events("p"), std::set<std::string>{
                             "Warning FailedScheduling: skip schedule deleting pod: default/p"});
  EXPECT_EQ(scheduled("p").type(), "");
}

TEST_F(SchedulerTest, S17_S7_ADeletingPodThatCannotBeBoundTakesNoPodsRoom) {
  add_node("n1", "1");
  add_pod("p", "1", "", "finalizers: [example.com/f]");
  add_pod("q");
  calls.before = [this](const std::string& line) {
    if (line.starts_with("bind pods default/p") && calls.count("bind ") == 1) {
      EXPECT_TRUE(api.remove_pod("p").answer);
    }
  };
  start();
  api.world.run_for(seconds(3));
  EXPECT_EQ(node_of("p"), "");
  EXPECT_EQ(node_of("q"), "n1");
}

TEST_F(SchedulerTest, S8_RemovingTheLastGateQueuesThePod) {
  add_node("n1");
  add_pod("p", "1", "schedulingGates: [{name: example.com/g}],");
  start();
  EXPECT_EQ(node_of("p"), "");
  EXPECT_TRUE(events("p").empty());
  api.change<testing::Pod>(api::kinds::pod(), "default", "p", "",
                           [](testing::Pod& pod) { pod.mutable_spec()->clear_scheduling_gates(); });
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S5a_ANodeThatStillDoesNotMatchWakesNoPod) {
  add_node("n1");
  add_pod("p", "1", "nodeSelector: {disk: ssd},");
  start();
  const uint64_t before = scheduler->metrics().unschedulable;
  change_node("n1", [](Node& node) { (*node.mutable_metadata()->mutable_labels())["a"] = "b"; });
  settle();
  EXPECT_EQ(scheduler->metrics().unschedulable, before);
  change_node("n1",
              [](Node& node) { (*node.mutable_metadata()->mutable_labels())["disk"] = "ssd"; });
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S5_DeletingANodeWakesNoPod) {
  add_node("n1");
  add_node("n2");
  add_pod("p", "1", "nodeSelector: {disk: ssd},");
  start();
  const uint64_t before = scheduler->metrics().unschedulable;
  EXPECT_TRUE(api.remove(api::kinds::node(), "", "n2").answer);
  settle();
  EXPECT_EQ(scheduler->metrics().unschedulable, before);
}

TEST_F(SchedulerTest, S5_APodThatIsRelabelledWakesThoseWhoWantIt) {
  add_node("n1");
  add_running("db", "n1", "1");
  add_pod("p", "1",
          "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
          "kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}},");
  start();
  EXPECT_TRUE(scheduled("p").message().starts_with(
      "0/1 nodes are available: 1 node(s) didn't match pod affinity rules."));
  api.change<testing::Pod>(api::kinds::pod(), "default", "db", "", [](testing::Pod& pod) {
    (*pod.mutable_metadata()->mutable_labels())["app"] = "db";
  });
  settle();
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(SchedulerTest, S4_WhatNothingWokeIsTriedAgain) {
  add_node("n1", "1");
  add_pod("big", "2");
  start();
  api.world.run_for(minutes(6));
  // Nothing had changed, so that the last answer still held.
  EXPECT_EQ(scheduler->metrics().unschedulable, 1u);
  EXPECT_EQ(scheduler->waiting(), 1u);
}

TEST_F(SchedulerTest, Scenario10_S11_Spread) {
  add_node("n1", "4");
  add_node("n2", "1");
  const std::string spread =
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
      "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}],";
  add_running("w1", "n1", "1", "", "labels: {app: web}");
  add_running("w2", "n1", "1", "", "labels: {app: web}");
  add_pod("p", "1", spread, "labels: {app: web}");
  start();
  EXPECT_EQ(node_of("p"), "n2");
  add_pod("q", "1", spread, "labels: {app: web}");
  settle();
  EXPECT_TRUE(scheduled("q").message().starts_with(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread "
      "constraints."))
      << scheduled("q").message();
}

TEST_F(SchedulerTest, S20_LongTextsAreCutInTheEventOnly) {
  std::string resources;
  for (int i = 0; i < 40; ++i) {
    resources += fmt::format("example.com/a-resource-with-a-long-name-{}: 1, ", 100 + i);
  }
  add_node("n1");
  api.create_pod(
      "{metadata: {name: p}, spec: {containers: [{name: c, image: i, resources: "
      "{requests: {" +
      resources + "}, limits: {" + resources + "}}}]}}");
  start();
  EXPECT_GT(scheduled("p").message().size(), 1024u);
  const std::string text = *events("p").begin();
  EXPECT_EQ(text.size(), std::string("Warning FailedScheduling: ").size() + 1024);
  EXPECT_TRUE(text.ends_with(" ..."));
}

TEST_F(SchedulerTest, ManyOfAKindAreTriedOnceAndAllTold) {
  add_node("n1", "1");
  add_running("running", "n1", "1");
  start();
  for (int i = 0; i < 50; ++i) {
    add_pod(fmt::format("p{}", i), "1");
  }
  settle();
  EXPECT_EQ(scheduler->metrics().unschedulable, 1u);
  add_node("n2", "1");
  settle();
  EXPECT_EQ(scheduler->metrics().scheduled, 1u);
  int told = 0;
  for (int i = 0; i < 50; ++i) {
    told +=
        scheduled(fmt::format("p{}", i)).message().starts_with("0/2 nodes are available") ? 1 : 0;
  }
  EXPECT_EQ(told, 49);
  EXPECT_LE(scheduler->metrics().unschedulable, 3u);
}

// Preferences keep no pod off a node, so that they tell no two of a kind apart.
TEST_F(SchedulerTest, S5_ManyOfAKindAreTriedOnceWhateverPodsWouldLike) {
  const std::string term =
      "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: x}}}";
  const std::string likes =
      "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
      "podAffinityTerm: " +
      term + "}]}},";
  const std::string spreads =
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
      "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: x}}}],";
  add_node("n1", "1");
  add_running("running", "n1", "1", likes);
  start();
  for (int i = 0; i < 50; ++i) {
    add_pod(fmt::format("p{}", i), "1", likes + spreads,
            fmt::format("labels: {{app: x, index: 'i{}'}}", i));
  }
  settle();
  EXPECT_EQ(scheduler->metrics().unschedulable, 1u);
  finish("running");
  settle();
  EXPECT_EQ(scheduler->metrics().scheduled, 1u);
  EXPECT_LE(scheduler->metrics().unschedulable, 3u);
}

TEST_F(SchedulerTest, TheSuccessOfOneWakesTheNextOfItsKind) {
  start();
  for (int i = 0; i < 6; ++i) {
    add_pod(fmt::format("p{}", i), "1");
  }
  settle();
  add_node("n1", "4");
  settle();
  EXPECT_EQ(scheduler->metrics().scheduled, 4u);
  EXPECT_EQ(scheduler->waiting(), 2u);
  // S-5: those that wait lack room now, not a node.
  finish("p0");
  settle();
  EXPECT_EQ(scheduler->metrics().scheduled, 5u);
  EXPECT_TRUE(api.remove_pod("p1", 0).answer);
  settle();
  EXPECT_EQ(scheduler->metrics().scheduled, 6u);
}

TEST_F(SchedulerTest, S5_PodsThatWaitedForAnUncordonedNodeThenWaitForRoom) {
  const auto cordon = [this](bool on) {
    change_node("n1", [on](Node& node) { node.mutable_spec()->set_unschedulable(on); });
  };
  add_node("n1", "4");
  cordon(true);
  start();
  for (int i = 0; i < 6; ++i) {
    add_pod(fmt::format("p{}", i), "1");
  }
  settle();
  cordon(false);
  settle();
  EXPECT_EQ(scheduler->metrics().scheduled, 4u);
  finish("p0");
  settle();
  EXPECT_EQ(scheduler->metrics().scheduled, 5u);
}

TEST_F(SchedulerTest, BindingsUnderWayAreBounded) {
  for (int i = 0; i < 10; ++i) {
    add_node(fmt::format("n{}", i), "10");
  }
  for (int i = 0; i < 60; ++i) {
    add_pod(fmt::format("p{}", i), "100m");
  }
  calls.max_writes_in_flight = 0;
  start({.max_bindings = 8});
  EXPECT_EQ(scheduler->metrics().scheduled, 60u);
  EXPECT_LE(calls.max_writes_in_flight, 8u + client::EventRecorder::kMaxWritesInFlight);
}

}  // namespace
}  // namespace windlass::scheduler
