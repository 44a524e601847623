#include "controllers/taint_eviction/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "schema/core/v1/event.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::taint_eviction {
namespace {

using api::core::v1::Event;
using apiserver::testing::Node;
using apiserver::testing::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct TaintEviction : ::testing::Test {
  TaintEviction() : client(api.client, api.world.executor()) {
    api.create_node("{metadata: {name: n1}}");
  }

  void start(bool mark_pods = true) {
    const client::ClientEnv env = api.client_env();
    controller = std::make_unique<TaintEvictionController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
        TaintEvictionController::Options{mark_pods,
                                         [this](Duration late) { deletions.push_back(late); }});
    controller->start();
    settle();
  }
  void settle(Duration duration = milliseconds(1)) { api.world.run_for(duration); }

  void taint(std::vector<std::string> keys, const std::string& effect = "NoExecute",
             const std::string& node = "n1") {
    api.change<Node>(api::kinds::node(), "", node, "", [&](Node& changed) {
      changed.mutable_spec()->clear_taints();
      for (const std::string& key : keys) {
        auto& taint = *changed.mutable_spec()->add_taints();
        taint.set_key(key);
        taint.set_effect(effect);
      }
    });
    settle();
  }
  // `tolerations` as "key" or "key seconds".
  void create(const std::string& name, const std::vector<std::string>& tolerations = {},
              const std::string& node = "n1") {
    std::string list;
    for (const std::string& text : tolerations) {
      const size_t space = text.find(' ');
      list += fmt::format(
          "{{key: {}, operator: Exists, effect: NoExecute{}}}, ", text.substr(0, space),
          space == std::string::npos ? "" : ", tolerationSeconds: " + text.substr(space + 1));
    }
    api.create_pod(
        fmt::format("{{metadata: {{name: {}, finalizers: [x/y]}}, spec: {{nodeName: "
                    "'{}', tolerations: [{}], containers: [{{name: c, image: i}}]}}}}",
                    name, node, list));
    settle();
  }
  void refuse(const std::string& beginning) {
    client.refuse = [beginning](const std::string& line) -> std::optional<Status> {
      return line.starts_with(beginning) ? std::optional(plain_error("forbidden")) : std::nullopt;
    };
  }
  bool deleted(const std::string& name) {
    return api.pod(name)->metadata().has_deletion_timestamp();
  }
  // `status reason: message`, or "".
  std::string mark(const std::string& name) {
    for (const auto& condition : api.pod(name)->status().conditions()) {
      if (condition.type() == "DisruptionTarget") {
        return condition.status() + " " + condition.reason() + ": " + condition.message();
      }
    }
    return "";
  }
  std::vector<std::string> events() {
    settle(milliseconds(100));
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto& event = static_cast<const Event&>(*object);
      EXPECT_EQ(event.reason(), "TaintManagerEviction");
      EXPECT_EQ(event.type(), "Normal");
      EXPECT_EQ(event.source().component(), "taint-eviction-controller");
      lines.push_back(event.message());
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  std::vector<std::string> pod_writes() {
    std::vector<std::string> lines;
    for (const std::string& line : client.calls) {
      if (line.starts_with("update pods") || line.starts_with("delete pods")) {
        lines.push_back(line);
      }
    }
    return lines;
  }

  static constexpr const char* kMark =
      "True DeletionByTaintManager: Taint manager: deleting due to NoExecute taint";
  static constexpr const char* kMarking = "Marking for deletion Pod default/p";
  static constexpr const char* kCancelling = "Cancelling deletion of Pod default/p";

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  std::vector<Duration> deletions;
  std::unique_ptr<TaintEvictionController> controller;
};

TEST_F(TaintEviction, Scenario33_T9_C7_AnUntoleratedTaintMarksThenDeletes) {
  start();
  create("p");
  taint({"k"});
  EXPECT_EQ(mark("p"), kMark);
  EXPECT_EQ(api.pod("p")->status().conditions(0).observed_generation(), 1);  // KEP-5067
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(api.pod("p")->metadata().deletion_grace_period_seconds(), 30);
  EXPECT_THAT(pod_writes(), ElementsAre("update pods/status default/p",
                                        StartsWith("delete pods default/p uid=")));
  EXPECT_THAT(events(), ElementsAre(kMarking));
  ASSERT_EQ(deletions.size(), 1u);  // T-12
  EXPECT_LT(deletions[0], seconds(1));
}

TEST_F(TaintEviction, F1_WithoutTheGateThereIsNoMark) {
  start(false);
  create("p");
  taint({"k"});
  EXPECT_EQ(mark("p"), "");
  EXPECT_TRUE(deleted("p"));
  EXPECT_THAT(pod_writes(), ElementsAre(StartsWith("delete pods default/p uid=")));
}

TEST_F(TaintEviction, Scenario34_T1_NoScheduleDrivesNoPodAway) {
  start();
  create("p");
  taint({"k"}, "NoSchedule");
  settle(hours(1));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
}

TEST_F(TaintEviction, Scenario35_T12_TheMarkComesWhenTheTimeIsOver) {
  start();
  create("p", {"k 5"});
  taint({"k"});
  settle(milliseconds(4900));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
  settle(milliseconds(200));
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(mark("p"), kMark);
  EXPECT_THAT(events(), ElementsAre(kMarking));
}

TEST_F(TaintEviction, Scenario36_T7_T10_RemovingTheTaintCancels) {
  start();
  create("p", {"k 5"});
  taint({"k"});
  settle(seconds(2));
  taint({});
  settle(minutes(5));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
  EXPECT_EQ(controller->timers(), 0u);
  EXPECT_THAT(events(), ElementsAre(kCancelling));
}

TEST_F(TaintEviction, Scenario37_T5_TheShorterOfTwo) {
  start();
  create("p", {"a 10", "b 3"});
  taint({"a", "b"});
  settle(milliseconds(2900));
  EXPECT_FALSE(deleted("p"));
  settle(milliseconds(200));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, Scenario38_T4_OneOfTwoUntoleratedGoesAtOnce) {
  start();
  create("p", {"a"});
  taint({"a", "b"});
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, Scenario39_T5_WithoutSecondsForEver) {
  start();
  create("p", {"k"});
  taint({"k"});
  settle(hours(10));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(controller->timers(), 0u);
}

TEST_F(TaintEviction, Scenario40_T6_ATimerIsNotMoved) {
  start();
  create("p", {"k 5"});
  taint({"k"});
  settle(seconds(2));
  api.change<Pod>(api::kinds::pod(), "default", "p", "", [](Pod& pod) {
    for (auto& toleration : *pod.mutable_spec()->mutable_tolerations()) {
      toleration.set_toleration_seconds(60);
    }
  });
  settle(milliseconds(3100));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, T10_AnUntoleratedTaintThatJoinsCancelsThenMarks) {
  start();
  create("p", {"a 60"});
  taint({"a"});
  settle(seconds(1));
  taint({"a", "b"});
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(controller->timers(), 0u);
  EXPECT_THAT(events(), ElementsAre(kCancelling, kMarking));
}

TEST_F(TaintEviction, T10_APodDeletedByAnotherClientCancels) {
  start();
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: n1, tolerations: [{key: k, operator: Exists, effect: "
      "NoExecute, tolerationSeconds: 60}], containers: [{name: c, image: i}]}}");
  taint({"k"});
  EXPECT_EQ(controller->timers(), 1u);
  api.remove_pod("p", 0);
  settle();
  EXPECT_EQ(controller->timers(), 0u);
  EXPECT_THAT(events(), ElementsAre(kCancelling));
}

TEST_F(TaintEviction, Scenario41_T2_APodBoundToATaintedNodeGoes) {
  taint({"k"});
  start();
  create("p");
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(mark("p"), kMark);
  EXPECT_EQ(api.pod("p")->status().phase(), "Pending");
}

TEST_F(TaintEviction, Scenario42_C7_WithoutTheMarkNothingIsDeleted_T9_ItIsTriedEverMoreSlowly) {
  start();
  create("p");
  refuse("update pods/status");
  taint({"k"});
  settle(milliseconds(400));  // 10, 20, 40, 80, 160 ms
  EXPECT_EQ(client.count("update pods/status"), 6u);
  settle(minutes(30));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
  EXPECT_LE(client.count("update pods/status"), 13u + 31u);
  EXPECT_EQ(client.count("delete"), 0u);
  EXPECT_THAT(events(), ElementsAre(kMarking));
  // No change of anything is needed.
  client.refuse = nullptr;
  settle(TaintEvictor::kMaxRetry);
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(mark("p"), kMark);
  EXPECT_EQ(controller->evictions(), 0u);
}

TEST_F(TaintEviction, T9_AChangeOfTheTaintsTriesAtOnce) {
  start();
  create("p");
  refuse("update pods/status");
  taint({"k"});
  settle(minutes(10));
  client.refuse = nullptr;
  taint({"k", "l"});
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, T7_AnEvictionThatIsTriedAgainEndsWithTheTaint) {
  start();
  create("p");
  refuse("update pods/status");
  taint({"k"});
  settle(seconds(1));
  EXPECT_EQ(controller->evictions(), 1u);
  taint({});
  EXPECT_EQ(controller->evictions(), 0u);
  client.refuse = nullptr;
  settle(minutes(10));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
}

TEST_F(TaintEviction, T7_AnEvictionThatIsTriedAgainEndsWithThePod) {
  start();
  create("p");
  refuse("update pods/status");
  taint({"k"});
  settle(seconds(1));
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  api.remove_pod("p", 0);
  settle();
  EXPECT_EQ(controller->evictions(), 0u);
  const size_t tried = client.count("update pods/status");
  settle(minutes(10));
  EXPECT_EQ(client.count("update pods/status"), tried);
}

TEST_F(TaintEviction, T6_ATaintThatIsToleratedForAWhileEndsAnEvictionThatWasAtOnce) {
  start();
  create("p", {"a 60"});
  refuse("update pods/status");
  taint({"k"});
  settle(seconds(1));
  taint({"a"});
  client.refuse = nullptr;
  settle(seconds(59));
  EXPECT_FALSE(deleted("p"));
  settle(seconds(2));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, T6_WhenTheTimeIsOverAnotherTaintGivesNoMoreTime) {
  start();
  create("p", {"a 5", "b 3600"});
  refuse("update pods/status");
  taint({"a"});
  settle(seconds(10));
  taint({"a", "b"});
  EXPECT_EQ(controller->timers(), 0u);
  client.refuse = nullptr;
  settle(TaintEvictor::kMaxRetry);
  EXPECT_TRUE(deleted("p"));
}

// The taint goes and comes back while a request of the eviction is under way.
TEST_F(TaintEviction, T5_T7_ATaintThatComesBackGivesTheTimeAnew) {
  start();
  create("p", {"k 60"});
  client.delay = [](const std::string& line) {
    return line.starts_with("get nodes") ? seconds(5) : Duration::zero();
  };
  taint({"k"});
  settle(seconds(61));
  ASSERT_EQ(controller->evictions(), 1u);
  taint({});
  taint({"k"});
  EXPECT_EQ(controller->timers(), 1u);
  settle(seconds(59));
  EXPECT_FALSE(deleted("p"));
  settle(seconds(10));
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(controller->evictions(), 0u);
}

// The first request is answered, with an error, after the time that the second taint gave.
TEST_F(TaintEviction, T5_T9_AnEvictionThatWasCancelledAtWorkGoesOnWhenTheTimeIsOver) {
  start();
  create("p", {"a 5"});
  const auto is_first = [this](const std::string& line) {
    return line.starts_with("get nodes") && client.count("get nodes") == 1;
  };
  client.delay = [is_first](const std::string& line) {
    return is_first(line) ? seconds(20) : Duration::zero();
  };
  client.refuse = [is_first](const std::string& line) -> std::optional<Status> {
    return is_first(line) ? std::optional(plain_error("timeout")) : std::nullopt;
  };
  taint({"k"});
  taint({"a"});
  EXPECT_EQ(controller->timers(), 1u);
  settle(seconds(19));
  EXPECT_FALSE(deleted("p"));
  settle(seconds(2));
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(mark("p"), kMark);
}

TEST_F(TaintEviction, T9_PodsThatCannotBeEvictedDoNotHoldUpOthers) {
  start();
  for (size_t i = 0; i < TaintEvictor::kWorkers + 8; ++i) {
    create("stuck" + std::to_string(i));
  }
  create("p");
  refuse("update pods/status default/stuck");
  taint({"k"});
  settle(seconds(1));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, T9_ARefusedDeleteIsTriedAgain) {
  start();
  create("p");
  refuse("delete pods");
  taint({"k"});
  EXPECT_EQ(mark("p"), kMark);
  EXPECT_FALSE(deleted("p"));
  client.refuse = nullptr;
  settle(seconds(1));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, D14_AMarkThatWasClearedBeforeTheDeleteIsMadeAgain) {
  start();
  create("p");
  client.before = [this](const std::string& line) {
    if (line.starts_with("delete pods") && client.count("delete pods") == 1) {
      api.change<Pod>(api::kinds::pod(), "default", "p", "status",
                      [](Pod& pod) { pod.mutable_status()->clear_conditions(); });
    }
  };
  taint({"k"});
  settle(seconds(1));
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(mark("p"), kMark);
}

TEST_F(TaintEviction, T1_AnOldViewOfTheNodeEvictsNoPod) {
  start();
  create("p");
  client.before = [this](const std::string& line) {
    if (line == "get nodes n1" && client.count("get nodes") == 1) {
      api.change<Node>(api::kinds::node(), "", "n1", "",
                       [](Node& node) { node.mutable_spec()->clear_taints(); });
    }
  };
  taint({"k"});
  settle(minutes(5));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
  EXPECT_EQ(controller->evictions(), 0u);
  EXPECT_EQ(client.count("get nodes"), 1u);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(TaintEviction, T1_ATaintThatIsToleratedForAWhileByNowGivesThatTime) {
  start();
  create("p", {"a 60"});
  client.before = [this](const std::string& line) {
    if (line == "get nodes n1" && client.count("get nodes") == 1) {
      api.change<Node>(api::kinds::node(), "", "n1", "",
                       [](Node& node) { node.mutable_spec()->mutable_taints(0)->set_key("a"); });
    }
  };
  taint({"k"});
  settle(seconds(59));
  EXPECT_FALSE(deleted("p"));
  settle(seconds(2));
  EXPECT_TRUE(deleted("p"));
}

// The taint may come back without the view having seen it go.
TEST_F(TaintEviction, T1_ANodeThatIsNotThereIsLookedAtAgain) {
  start();
  create("p");
  client.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("get nodes") ? std::optional(not_found({"", "nodes", "n1"}))
                                         : std::nullopt;
  };
  taint({"k"});
  settle(minutes(5));
  EXPECT_EQ(mark("p"), "");
  EXPECT_EQ(controller->evictions(), 1u);
  EXPECT_LE(client.count("get nodes"), 13u + 6u);
  client.refuse = nullptr;
  settle(TaintEvictor::kMaxRetry);
  EXPECT_TRUE(deleted("p"));
  EXPECT_THAT(events(), ElementsAre(kMarking));
}

TEST_F(TaintEviction, T9_ANodeThatCannotBeReadIsReadAgain) {
  start();
  create("p");
  refuse("get nodes");
  taint({"k"});
  settle(seconds(1));
  EXPECT_EQ(mark("p"), "");
  client.refuse = nullptr;
  settle(seconds(3));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, Scenario43_T9_TheThirdTryWorks) {
  start();
  create("p");
  int failures = 2;
  client.refuse = [&failures](const std::string& line) -> std::optional<Status> {
    return line.starts_with("update pods/status") && failures-- > 0
               ? std::optional(plain_error("internal"))
               : std::nullopt;
  };
  taint({"k"});
  settle(milliseconds(40));
  EXPECT_TRUE(deleted("p"));
  EXPECT_EQ(mark("p"), kMark);
}

TEST_F(TaintEviction, T7_TimersDoNotOutliveTheirNode) {
  start();
  create("p", {"k 60"});
  taint({"k"});
  EXPECT_EQ(controller->timers(), 1u);
  api.remove(api::kinds::node(), "", "n1");
  settle(minutes(5));
  EXPECT_EQ(controller->timers(), 0u);
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
  // A new Node of that name, and the taint with it: the time begins anew.
  api.create_node("{metadata: {name: n1}, spec: {taints: [{key: k, effect: NoExecute}]}}");
  settle(seconds(59));
  EXPECT_FALSE(deleted("p"));
  settle(seconds(2));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, T11_TerminatingPodsGetTheMarkOnly) {
  start();
  create("p");
  api.remove_pod("p", 20);
  taint({"k"});
  EXPECT_EQ(mark("p"), kMark);
  EXPECT_EQ(api.pod("p")->metadata().deletion_grace_period_seconds(), 20);
}

TEST_F(TaintEviction, T11_APodThatHasEndedGoesWithoutAMark) {
  start();
  create("p");
  api.change<Pod>(api::kinds::pod(), "default", "p", "status",
                  [](Pod& pod) { pod.mutable_status()->set_phase("Failed"); });
  taint({"k"});
  EXPECT_EQ(mark("p"), "");
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, T11_UnscheduledPodsAreLeftAlone) {
  start();
  create("p", {}, "");
  taint({"k"});
  settle(minutes(1));
  EXPECT_FALSE(deleted("p"));
  EXPECT_EQ(mark("p"), "");
}

TEST_F(TaintEviction, B1_APodThatWasRecreatedIsJudgedByItself) {
  start();
  create("p", {"k 10"});
  taint({"k"});
  settle(seconds(8));
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  api.remove_pod("p", 0);
  create("p", {"k 10"});
  settle(seconds(9));
  EXPECT_FALSE(deleted("p"));
  settle(seconds(2));
  EXPECT_TRUE(deleted("p"));
}

TEST_F(TaintEviction, ManyPodsGoAFewAtATime) {
  for (int i = 0; i < 500; ++i) {
    create("p" + std::to_string(i));
  }
  start();
  taint({"k"});
  settle(seconds(1));
  EXPECT_EQ(deletions.size(), 500u);
  EXPECT_LE(client.max_writes_in_flight,
            TaintEvictor::kWorkers + client::EventRecorder::kMaxWritesInFlight);
}

}  // namespace
}  // namespace windlass::controllers::taint_eviction
