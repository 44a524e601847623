#include "node/pod/status_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json.h"
#include "api/pod/pod_testing.h"
#include "node/container/container_flow.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::node {
namespace {

using api::core::v1::Pod;
using api::testing::from_yaml;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Time kNewYear = time_from_unix(1704067200);  // 2024-01-01T00:00:00Z

PodRun pod_run(ContainerState state) {
  ContainerRun run;
  run.name = "c";
  run.image = "img";
  run.ever_started = !std::holds_alternative<Waiting>(state);
  run.state = std::move(state);
  if (run.ever_started) {
    run.container_id = "windlass://1";
    run.image_id = "host:/";
  }
  return {{}, {run}};
}

PodStatusView view_of(const PodRun& run, bool terminating = false) {
  return describe({run, RestartPolicy::never, terminating, std::nullopt, true});
}

StatusFacts facts(Time now = kNewYear) {
  return {"10.0.0.1", "10.0.0.1", now, kNewYear};
}

std::vector<std::string> condition_types(const Pod& pod) {
  std::vector<std::string> types;
  for (const auto& condition : pod.status().conditions()) {
    types.push_back(condition.type());
  }
  return types;
}

TEST(StatusMessage, Section13_RunningWordForWord) {
  Pod pod = from_yaml<Pod>("{metadata: {name: p, generation: 1}, status: {phase: Pending}}");
  EXPECT_TRUE(apply_status(view_of(pod_run(Running{kNewYear})), facts(), pod));
  const std::string t = R"("2024-01-01T00:00:00Z")";
  const auto condition = [&t](const std::string& type) {
    return R"({"type":")" + type +
           R"(","observedGeneration":1,"status":"True","lastProbeTime":null,"lastTransitionTime":)" +
           t + "}";
  };
  EXPECT_EQ(api::to_json(pod.status()),
            R"({"observedGeneration":1,"phase":"Running","conditions":[)" +
                condition("PodReadyToStartContainers") + "," + condition("Initialized") + "," +
                condition("Ready") + "," + condition("ContainersReady") + "," +
                condition("PodScheduled") +
                R"(],"hostIP":"10.0.0.1","hostIPs":[{"ip":"10.0.0.1"}],"podIP":"10.0.0.1",)"
                R"("podIPs":[{"ip":"10.0.0.1"}],"startTime":)" +
                t + R"(,"containerStatuses":[{"name":"c","state":{"running":{"startedAt":)" + t +
                R"(}},"lastState":{},"ready":true,"restartCount":0,"image":"img",)"
                R"("imageID":"host:/","containerID":"windlass://1","started":true}]})");
}

TEST(StatusMessage, Section13_EndsOfContainers) {
  struct Case {
    Terminated ended;
    std::string_view want;
  };
  const Time t = kNewYear;
  const Case cases[] = {
      {{0, "Completed", "", t, t, "id"},
       R"("terminated":{"exitCode":0,"reason":"Completed","startedAt":"2024-01-01T00:00:00Z",)"
       R"("finishedAt":"2024-01-01T00:00:00Z","containerID":"id"})"},
      {{3, "Error", "", t, t, "id"}, R"("terminated":{"exitCode":3,"reason":"Error",)"},
      {{128, "StartError", "no such file", time_from_unix(0), t, "id"},
       R"("exitCode":128,"reason":"StartError","message":"no such file",)"
       R"("startedAt":"1970-01-01T00:00:00Z")"},
      {{137, "ContainerStatusUnknown", "lost", std::nullopt, std::nullopt, ""},
       R"("exitCode":137,"reason":"ContainerStatusUnknown","message":"lost","startedAt":null,)"
       R"("finishedAt":null})"},
  };
  for (const Case& c : cases) {
    Pod pod;
    apply_status(view_of(pod_run(c.ended)), facts(), pod);
    EXPECT_THAT(api::to_json(pod.status()), HasSubstr(std::string(c.want)));
    EXPECT_THAT(api::to_json(pod.status()), ::testing::Not(HasSubstr("signal")));
  }
}

TEST(StatusMessage, SayingTheSameAgainChangesNothing) {
  Pod pod;
  const PodStatusView view = view_of(pod_run(Running{kNewYear}));
  EXPECT_TRUE(apply_status(view, facts(), pod));
  EXPECT_FALSE(apply_status(view, facts(kNewYear + seconds(60)), pod));
}

TEST(StatusMessage, C15_ADeletionsGenerationAloneIsNoReasonToWrite) {
  Pod pod;
  pod.mutable_metadata()->set_generation(1);
  const PodStatusView view = view_of(pod_run(Running{kNewYear}));
  EXPECT_TRUE(apply_status(view, facts(), pod));
  pod.mutable_metadata()->set_generation(2);
  pod.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1);
  EXPECT_FALSE(apply_status(view, facts(), pod));
}

// Upstream: "Pod Generation", "pod observedGeneration field set in pod conditions" (KEP-5067).
TEST(StatusMessage, ANewSpecIsSeenByItsGeneration) {
  Pod pod;
  pod.mutable_metadata()->set_generation(1);
  PodStatusView view = view_of(pod_run(Running{kNewYear}));
  EXPECT_TRUE(apply_status(view, facts(), pod));
  pod.mutable_metadata()->set_generation(3);
  view.generation = 2;  // the third is not taken up yet
  EXPECT_TRUE(apply_status(view, facts(kNewYear + seconds(9)), pod));
  EXPECT_EQ(pod.status().observed_generation(), 2);
  ASSERT_EQ(pod.status().conditions_size(), 5);
  for (const auto& condition : pod.status().conditions()) {
    EXPECT_EQ(condition.observed_generation(), 2) << condition.type();
    EXPECT_EQ(condition.last_transition_time().seconds(), 1704067200) << condition.type();
  }
  EXPECT_FALSE(apply_status(view, facts(), pod));
}

TEST(StatusMessage, TransitionTimesChangeWithTheStatusOnly) {
  Pod pod;
  apply_status(view_of(pod_run(Running{kNewYear})), facts(), pod);
  apply_status(view_of(pod_run(Terminated{0, "Completed", "", kNewYear, kNewYear, ""})),
               facts(kNewYear + seconds(9)), pod);
  for (const auto& condition : pod.status().conditions()) {
    const bool changed = condition.status() == "False";
    EXPECT_EQ(condition.last_transition_time().seconds(), 1704067200 + (changed ? 9 : 0))
        << condition.type();
  }
}

// Upstream: "should support pod readiness gates" (KEP-580).
TEST(StatusMessage, ReadyWaitsForReadinessGates) {
  Pod pod = from_yaml<Pod>(
      "{spec: {readinessGates: [{conditionType: example.com/a}, {conditionType: example.com/b}]}, "
      "status: {conditions: [{type: example.com/b, status: 'False'}]}}");
  const auto condition = [&pod](const std::string& type) {
    for (const auto& each : pod.status().conditions()) {
      if (each.type() == type) {
        return each;
      }
    }
    return api::core::v1::PodCondition();
  };
  const PodStatusView running = view_of(pod_run(Running{kNewYear}));
  apply_status(running, facts(), pod);
  EXPECT_EQ(condition("ContainersReady").status(), "True");
  EXPECT_EQ(condition("Ready").status(), "False");
  EXPECT_EQ(condition("Ready").reason(), "ReadinessGatesNotReady");
  EXPECT_EQ(condition("Ready").message(),
            "corresponding condition of pod readiness gate \"example.com/a\" does not exist., the "
            "status of pod readiness gate \"example.com/b\" is not \"True\", but False");
  pod.mutable_status()->mutable_conditions(0)->set_status("True");
  auto* other = pod.mutable_status()->add_conditions();
  other->set_type("example.com/a");
  other->set_status("True");
  EXPECT_TRUE(apply_status(running, facts(), pod));
  EXPECT_EQ(condition("Ready").status(), "True");
  EXPECT_EQ(condition("Ready").reason(), "");
  // What containers say comes first.
  apply_status(view_of(pod_run(Waiting{})), facts(), pod);
  EXPECT_EQ(condition("Ready").reason(), "ContainersNotReady");
}

TEST(StatusMessage, K39_ForeignConditionsStayAndComeFirst) {
  Pod pod = from_yaml<Pod>(R"(
status:
  conditions:
  - {type: PodScheduled, status: "True", lastTransitionTime: "2023-01-01T00:00:00Z"}
  - {type: DisruptionTarget, status: "True", reason: EvictionByEvictionAPI, message: "Eviction API: evicting"}
  - {type: example.com/Mine, status: "False"}
)");
  apply_status(view_of(pod_run(Terminated{137, "Error", "", kNewYear, kNewYear, ""}), true),
               facts(), pod);
  EXPECT_THAT(condition_types(pod),
              ElementsAre("DisruptionTarget", "example.com/Mine", "PodReadyToStartContainers",
                          "Initialized", "Ready", "ContainersReady", "PodScheduled"));
  EXPECT_EQ(pod.status().conditions(0).reason(), "EvictionByEvictionAPI");
  EXPECT_EQ(pod.status().conditions(6).last_transition_time().seconds(), 1672531200);
}

TEST(StatusMessage, K39_TheAgentsOwnDisruptionComesWithTheEnd) {
  const ForcedEnd shutdown{"Terminated", "going down", ForcedEnd::Kind::disruption};
  const PodRun running = pod_run(Running{kNewYear});
  Pod pod;
  apply_status(describe({running, RestartPolicy::never, true, shutdown, true}), facts(), pod);
  EXPECT_EQ(pod.status().conditions_size(), 5);
  const PodRun ended = pod_run(Terminated{137, "Error", "", kNewYear, kNewYear, ""});
  apply_status(describe({ended, RestartPolicy::never, true, shutdown, true}), facts(), pod);
  ASSERT_EQ(pod.status().conditions_size(), 6);
  EXPECT_EQ(pod.status().conditions(0).type(), "DisruptionTarget");
  EXPECT_EQ(pod.status().conditions(0).reason(), "TerminationByKubelet");
  EXPECT_EQ(pod.status().conditions(0).message(), "going down");
  EXPECT_EQ(pod.status().reason(), "Terminated");
}

TEST(StatusMessage, K16_ATerminalPhaseOfOthersStays) {
  Pod pod = from_yaml<Pod>("{status: {phase: Failed, reason: NodeLost, message: gone}}");
  EXPECT_FALSE(apply_status(view_of(pod_run(Running{kNewYear})), facts(), pod));
  EXPECT_TRUE(apply_status(view_of(pod_run(Terminated{0, "Completed", "", kNewYear, kNewYear, ""})),
                           facts(), pod));
  EXPECT_EQ(pod.status().phase(), "Failed");
  EXPECT_EQ(pod.status().reason(), "NodeLost");
  EXPECT_EQ(pod.status().container_statuses(0).state().terminated().reason(), "Completed");
}

TEST(StatusMessage, K16_ReasonAndMessageGoWithThePhase) {
  Pod pod = from_yaml<Pod>("{status: {phase: Pending, reason: Waiting, message: soon}}");
  apply_status(view_of(pod_run(Waiting{})), facts(), pod);
  EXPECT_EQ(pod.status().reason(), "Waiting");
  apply_status(view_of(pod_run(Running{kNewYear})), facts(), pod);
  EXPECT_EQ(pod.status().reason(), "");
  EXPECT_EQ(pod.status().message(), "");
}

TEST(StatusMessage, K20_StartTimeIsSetOnce) {
  Pod pod;
  apply_status(view_of(pod_run(Running{kNewYear})), facts(), pod);
  StatusFacts later = facts(kNewYear + seconds(5));
  later.start_time = kNewYear + seconds(5);
  apply_status(view_of(pod_run(Terminated{1, "Error", "", kNewYear, kNewYear, ""})), later, pod);
  EXPECT_EQ(pod.status().start_time().seconds(), 1704067200);
}

TEST(StatusMessage, KeepsWhatTheServerOwns) {
  Pod pod = from_yaml<Pod>("{status: {qosClass: BestEffort, nominatedNodeName: x}}");
  apply_status(view_of(pod_run(Running{kNewYear})), facts(), pod);
  EXPECT_EQ(pod.status().qos_class(), "BestEffort");
  EXPECT_EQ(pod.status().nominated_node_name(), "x");
}

}  // namespace
}  // namespace windlass::node
