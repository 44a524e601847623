#include "controllers/pod_gc/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "apiserver/testing.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::pod_gc {
namespace {

using apiserver::testing::Node;
using apiserver::testing::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr const char* kHeld = "finalizers: [x/y]";

struct PodGc : ::testing::Test {
  PodGc() : client(api.client, api.world.executor()) {}

  void start(PodGcController::Options options = {}) {
    options.count = [this](const std::string& ns, Sweep sweep, bool failed) {
      counts.push_back(fmt::format("{} {}{}", ns, name_of(sweep), failed ? " failed" : ""));
    };
    const client::ClientEnv env = api.client_env();
    controller = std::make_unique<PodGcController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log}, options);
    controller->start();
    settle();
  }
  void start_with(bool conditions, bool replacement) {
    start(
        {.writes = writes_with(api::FeatureGates()
                                   .with(api::Feature::pod_disruption_conditions, conditions)
                                   .with(api::Feature::job_pod_replacement_policy, replacement))});
  }
  void settle(Duration duration = milliseconds(10)) { api.world.run_for(duration); }

  void create_node(const std::string& name, const std::string& ready = "True",
                   const std::string& taints = "") {
    api.create_node(
        fmt::format("{{metadata: {{name: {}}}, spec: {{taints: [{}]}}}}", name, taints));
    api.change<Node>(api::kinds::node(), "", name, "status", [&](Node& node) {
      auto& condition = *node.mutable_status()->add_conditions();
      condition.set_type("Ready");
      condition.set_status(ready);
    });
  }
  void create(const std::string& name, const std::string& node, const std::string& meta = "",
              const std::string& container = "") {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}, {}}}, spec: {{{} containers: [{{name: c, image: i{}}}]}}}}", name,
        meta, node.empty() ? "" : "nodeName: " + node + ",", container));
  }
  void set_phase(const std::string& name, const std::string& phase,
                 const std::string& reason = "") {
    api.change<Pod>(api::kinds::pod(), "default", name, "status", [&](Pod& pod) {
      pod.mutable_status()->set_phase(phase);
      if (!reason.empty()) {
        pod.mutable_status()->set_reason(reason);
      }
      auto& ready = *pod.mutable_status()->add_conditions();
      ready.set_type("Ready");
      ready.set_status("True");
    });
  }
  std::string phase(const std::string& name) { return api.pod(name)->status().phase(); }
  // `status reason: message`, or "".
  std::string disruption_target(const std::string& name) {
    for (const auto& condition : api.pod(name)->status().conditions()) {
      if (condition.type() == "DisruptionTarget") {
        return condition.status() + " " + condition.reason() + ": " + condition.message();
      }
    }
    return "";
  }
  std::vector<std::string> pod_names() {
    std::vector<std::string> names;
    for (const auto& pod : api.pods()) {
      names.push_back(pod->metadata().name());
    }
    return names;
  }
  std::vector<std::string> writes() {
    std::vector<std::string> lines;
    for (const std::string& line : client.calls) {
      if (!line.starts_with("get ")) {
        lines.push_back(line);
      }
    }
    return lines;
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  std::vector<std::string> counts;
  std::unique_ptr<PodGcController> controller;
};

TEST_F(PodGc, Scenario50_AnOrphanFailsWithItsConditionAndIsDeleted) {
  create("orphan", "lost", kHeld);
  set_phase("orphan", "Running");
  start();
  settle(seconds(39));
  EXPECT_EQ(phase("orphan"), "Running");
  EXPECT_THAT(client.calls, IsEmpty());
  settle(seconds(42));  // G-6: at most 40 + 20 + 20 seconds
  EXPECT_EQ(phase("orphan"), "Failed");
  EXPECT_EQ(disruption_target("orphan"), "True DeletionByPodGC: PodGC: node no longer exists");
  ASSERT_TRUE(api.pod("orphan")->metadata().has_deletion_timestamp());
  EXPECT_EQ(api.pod("orphan")->metadata().deletion_grace_period_seconds(), 0);
  EXPECT_THAT(writes(), ElementsAre("update pods/status default/orphan",
                                    StartsWith("delete pods default/orphan uid=")));
  EXPECT_THAT(counts, ElementsAre("default orphaned"));
  // G-3: the rest is as it was.
  EXPECT_FALSE(api.pod("orphan")->status().has_reason());
  EXPECT_EQ(api.pod("orphan")->status().conditions(0).type(), "Ready");
  EXPECT_EQ(api.pod("orphan")->status().conditions(0).status(), "True");
  // KEP-5067
  EXPECT_EQ(api.pod("orphan")->status().observed_generation(), 1);
  EXPECT_EQ(api.pod("orphan")->status().conditions(1).observed_generation(), 1);
}

TEST_F(PodGc, G2_WhatOnlyAFinalizerHoldsIsNotDeletedAgain) {
  create("orphan", "lost", kHeld);
  start();
  settle(hours(1));
  EXPECT_EQ(client.count("delete"), 1u);
  EXPECT_EQ(client.count("get nodes"), 1u);
  EXPECT_EQ(counts.size(), 1u);
}

TEST_F(PodGc, Scenario51_G7_ANodeThatComesBackSavesItsPods) {
  create("orphan", "lost");
  set_phase("orphan", "Running");
  start();
  settle(seconds(30));
  create_node("lost");
  settle(minutes(5));
  EXPECT_EQ(phase("orphan"), "Running");
  EXPECT_THAT(client.calls, IsEmpty());
  // Gone again: the quarantine begins anew.
  api.remove(api::kinds::node(), "", "lost");
  settle(seconds(39));
  EXPECT_EQ(phase("orphan"), "Running");
  settle(seconds(42));
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(PodGc, Scenario52_G6_TheServerItselfMustSayThatTheNodeIsGone) {
  create("orphan", "lost");
  start();
  client.before = [&](const std::string& line) {
    if (line == "get nodes lost" && !api.find<Node>(api::kinds::node(), "", "lost")) {
      create_node("lost");
    }
  };
  settle(minutes(5));
  EXPECT_EQ(client.count("get nodes lost"), 1u);
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(PodGc, G6_AnErrorConfirmsNothingAndMeansAnotherQuarantine) {
  create("orphan", "lost");
  start();
  client.refuse = [&](const std::string& line) -> std::optional<Status> {
    return line.starts_with("get nodes") ? std::optional(internal_error("no")) : std::nullopt;
  };
  settle(minutes(2));
  EXPECT_EQ(client.count("get nodes"), 2u);
  EXPECT_THAT(writes(), IsEmpty());
  client.refuse = nullptr;
  settle(seconds(81));
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(PodGc, Scenario53_B4_AnEndedOrphanIsOnlyDeleted) {
  create("orphan", "lost", kHeld);
  set_phase("orphan", "Succeeded");
  start();
  settle(seconds(81));
  EXPECT_EQ(phase("orphan"), "Succeeded");
  EXPECT_EQ(disruption_target("orphan"), "");
  EXPECT_THAT(writes(), ElementsAre(StartsWith("delete pods default/orphan")));
}

TEST_F(PodGc, B4_AnOrphanThatEndsInTheLastMomentIsOnlyDeleted) {
  create("orphan", "lost", kHeld);
  start();
  client.before = [&](const std::string& line) {
    if (line == "get pods default/orphan") {
      set_phase("orphan", "Succeeded");
    }
  };
  settle(seconds(81));
  EXPECT_EQ(phase("orphan"), "Succeeded");
  EXPECT_TRUE(api.pod("orphan")->metadata().has_deletion_timestamp());
}

TEST_F(PodGc, Scenario54_B3_DuplicateNamesInTheSpecDoNotMatter) {
  create("orphan", "lost", kHeld,
         ", env: [{name: A, value: '1'}, {name: A, value: '2'}], ports: [{containerPort: 80}, "
         "{containerPort: 80, protocol: TCP}]");
  start();
  settle(seconds(81));
  EXPECT_EQ(phase("orphan"), "Failed");
  EXPECT_EQ(api.pod("orphan")->spec().containers(0).env_size(), 2);
}

TEST_F(PodGc, G6_AnOlderDisruptionTargetIsOverwrittenAndKeepsItsTime) {
  create("orphan", "lost", kHeld);
  const Time before = api.world.clock().now();
  api.change<Pod>(api::kinds::pod(), "default", "orphan", "status", [&](Pod& pod) {
    auto& condition = *pod.mutable_status()->add_conditions();
    condition.set_type("DisruptionTarget");
    condition.set_status("True");
    condition.set_reason("DeletionByTaintManager");
    api::set_time(*condition.mutable_last_transition_time(), before);
  });
  start();
  settle(seconds(81));
  EXPECT_EQ(disruption_target("orphan"), "True DeletionByPodGC: PodGC: node no longer exists");
  EXPECT_EQ(
      unix_seconds(api::time_of(api.pod("orphan")->status().conditions(0).last_transition_time())),
      unix_seconds(before));
}

TEST_F(PodGc, G6_TerminatingOrphansTooOnceTheirNodeIsGone) {
  create_node("lost");
  create("orphan", "lost");
  set_phase("orphan", "Running");
  api.remove_pod("orphan", 3600);
  start();
  settle(minutes(3));
  EXPECT_EQ(phase("orphan"), "Running");
  api.remove(api::kinds::node(), "", "lost");
  settle(seconds(81));
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(PodGc, Scenario55_G8_AnUnscheduledTerminatingPodFailsWithoutCondition) {
  create("gone", "", kHeld);
  create("stays", "", kHeld);
  start();
  api.remove_pod("gone");
  settle(seconds(21));
  EXPECT_EQ(phase("gone"), "Failed");
  EXPECT_EQ(disruption_target("gone"), "");
  EXPECT_EQ(phase("stays"), "Pending");  // scenario 56
  EXPECT_FALSE(api.pod("stays")->metadata().has_deletion_timestamp());
  EXPECT_THAT(counts, ElementsAre("default unscheduled"));
  settle(hours(1));
  EXPECT_EQ(counts.size(), 1u);
}

TEST_F(PodGc, Scenario57_G9_TerminatingPodsGoFromNodesOutOfService) {
  create_node("down", "Unknown", "{key: node.kubernetes.io/out-of-service, effect: NoExecute}");
  create("terminating", "down", kHeld);
  create("other", "down");
  set_phase("terminating", "Running");
  set_phase("other", "Running");
  start();
  api.remove_pod("terminating");
  settle(seconds(21));
  EXPECT_EQ(phase("terminating"), "Failed");
  EXPECT_EQ(disruption_target("terminating"), "");
  EXPECT_EQ(api.pod("terminating")->metadata().deletion_grace_period_seconds(), 0);
  EXPECT_EQ(phase("other"), "Running");
  EXPECT_FALSE(api.pod("other")->metadata().has_deletion_timestamp());
  EXPECT_THAT(counts, ElementsAre("default out-of-service"));
}

TEST_F(PodGc, Scenario58_G9_NotWhileTheNodeIsReadyOrWithoutTheTaint) {
  create_node("ready", "True", "{key: node.kubernetes.io/out-of-service, effect: NoSchedule}");
  create_node("down", "Unknown", "{key: node.kubernetes.io/unreachable, effect: NoExecute}");
  create("a", "ready");
  create("b", "down");
  for (const char* name : {"a", "b"}) {
    set_phase(name, "Running");
    api.remove_pod(name, 3600);
  }
  start();
  settle(minutes(5));
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(phase("b"), "Running");
  EXPECT_THAT(writes(), IsEmpty());
  api.change<Node>(api::kinds::node(), "", "ready", "status", [](Node& node) {
    node.mutable_status()->mutable_conditions(0)->set_status("Unknown");
  });
  settle(seconds(21));
  EXPECT_FALSE(api.pod("a"));
}

TEST_F(PodGc, Scenario59_G4_EvictedOnesGoFirstThenTheOldest) {
  create_node("up");
  const auto ended = [&](const std::string& name, const std::string& phase,
                         const std::string& reason = "") {
    create(name, "up");
    set_phase(name, phase, reason);
    settle(seconds(2));
  };
  ended("old", "Succeeded");
  ended("newer", "Failed");
  ended("newest", "Failed", "Evicted");
  create("running", "up");
  set_phase("running", "Running");
  start({.terminated_threshold = 2});
  EXPECT_THAT(pod_names(), UnorderedElementsAre("old", "newer", "running"));
  ended("last", "Succeeded");
  settle(seconds(21));
  EXPECT_THAT(pod_names(), UnorderedElementsAre("newer", "last", "running"));
  EXPECT_THAT(counts, ElementsAre("default terminated", "default terminated"));
  EXPECT_EQ(client.count("update"), 0u);
}

TEST_F(PodGc, Scenario60_AThresholdOfZeroMeansNone) {
  create_node("up");
  for (int i = 0; i < 20; ++i) {
    create("p" + std::to_string(i), "up");
    set_phase("p" + std::to_string(i), "Succeeded");
  }
  start({.terminated_threshold = 0});
  settle(minutes(5));
  EXPECT_EQ(pod_names().size(), 20u);
}

TEST_F(PodGc, G4_TheDefaultThresholdIs12500) {
  EXPECT_EQ(PodGcController::Options().terminated_threshold, 12'500u);
}

TEST_F(PodGc, Scenario61_C7_WithoutTheMarkThereIsNoDelete) {
  create("orphan", "lost");
  create("unscheduled", "", kHeld);
  api.remove_pod("unscheduled");
  client.refuse = [&](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update pods/status") ? std::optional(internal_error("no"))
                                                  : std::nullopt;
  };
  start();
  settle(seconds(61));
  EXPECT_EQ(client.count("delete"), 0u);
  EXPECT_THAT(counts, ::testing::Contains("default orphaned failed"));
  EXPECT_THAT(counts, ::testing::Contains("default unscheduled failed"));
  const size_t orphan_tries = client.count("update pods/status default/orphan");
  EXPECT_EQ(orphan_tries, 1u);
  EXPECT_EQ(client.count("update pods/status default/unscheduled"), 4u);  // each round
  settle(seconds(41));
  EXPECT_EQ(client.count("update pods/status default/orphan"), 2u);  // after a new quarantine
  client.refuse = nullptr;
  settle(seconds(81));
  EXPECT_THAT(pod_names(), ElementsAre("unscheduled"));
  EXPECT_EQ(phase("unscheduled"), "Failed");
}

TEST_F(PodGc, F1_Scenario62_ConditionsOffReplacementOn) {
  create("orphan", "lost", kHeld);
  set_phase("orphan", "Running");
  start_with(false, true);
  settle(seconds(81));
  EXPECT_EQ(phase("orphan"), "Failed");
  EXPECT_EQ(disruption_target("orphan"), "");
  EXPECT_TRUE(api.pod("orphan")->metadata().has_deletion_timestamp());
}

TEST_F(PodGc, F1_Scenario63_BothOff) {
  create("orphan", "lost", kHeld);
  set_phase("orphan", "Running");
  start_with(false, false);
  settle(minutes(10));
  EXPECT_EQ(phase("orphan"), "Running");
  EXPECT_EQ(disruption_target("orphan"), "");
  EXPECT_TRUE(api.pod("orphan")->metadata().has_deletion_timestamp());
  EXPECT_EQ(client.count("delete"), 1u);
  EXPECT_EQ(client.count("update"), 0u);
}

TEST_F(PodGc, F1_ConditionsOnReplacementOff) {
  create("orphan", "lost", kHeld);
  start_with(true, false);
  settle(seconds(81));
  EXPECT_EQ(phase("orphan"), "Failed");
  EXPECT_EQ(disruption_target("orphan"), "True DeletionByPodGC: PodGC: node no longer exists");
}

TEST_F(PodGc, F2_AConditionThatIsThereStaysWithTheGateOff) {
  create("orphan", "lost", kHeld);
  api.change<Pod>(api::kinds::pod(), "default", "orphan", "status", [](Pod& pod) {
    auto& condition = *pod.mutable_status()->add_conditions();
    condition.set_type("DisruptionTarget");
    condition.set_status("True");
    condition.set_reason("Other");
  });
  start_with(false, true);
  settle(seconds(81));
  EXPECT_EQ(phase("orphan"), "Failed");
  EXPECT_EQ(disruption_target("orphan"), "True Other: ");
}

TEST_F(PodGc, APodOfTheSameNameIsNotMeant) {
  create("orphan", "lost");
  start();
  bool done = false;
  client.before = [&](const std::string& line) {
    if (line == "get pods default/orphan" && !std::exchange(done, true)) {
      api.remove_pod("orphan", 0);
      create("orphan", "");
    }
  };
  settle(minutes(5));
  EXPECT_TRUE(done);
  EXPECT_EQ(phase("orphan"), "Pending");
  EXPECT_EQ(client.count("delete"), 0u);
}

TEST_F(PodGc, ConflictsAreReadAgain) {
  create("orphan", "lost", kHeld);
  start();
  int changes = 3;
  client.before = [&](const std::string& line) {
    if (line.starts_with("update pods/status") && changes-- > 0) {
      api.change<Pod>(api::kinds::pod(), "default", "orphan", "", [&](Pod& pod) {
        (*pod.mutable_metadata()->mutable_labels())["tier"] = std::to_string(changes);
      });
    }
  };
  settle(seconds(81));
  EXPECT_EQ(phase("orphan"), "Failed");
  EXPECT_EQ(client.count("update"), 4u);
}

TEST_F(PodGc, AFewPodsAtATime) {
  for (int i = 0; i < 300; ++i) {
    create("p" + std::to_string(i), "lost");
  }
  start();
  settle(seconds(81));
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_EQ(client.count("get nodes"), 1u);
  EXPECT_LE(client.max_writes_in_flight, ForceDeleter::kWorkers);
}

}  // namespace
}  // namespace windlass::controllers::pod_gc
