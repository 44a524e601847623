#include "node/pod/pod_status.h"

#include <gtest/gtest.h>

#include "node/container/run_testing.h"

namespace windlass::node {
namespace {

ContainerRun backing_off(std::string name) {
  ContainerRun run = waiting(std::move(name));
  run.state = Waiting{"CrashLoopBackOff", "back-off"};
  run.last = Terminated{1, "Error", "", kNow, kNow, ""};
  run.ever_started = true;
  run.restarts = 1;
  return run;
}

PodStatusView status(const PodRun& run, RestartPolicy policy = RestartPolicy::never,
                     bool terminating = false) {
  return describe({run, policy, terminating, std::nullopt, true});
}

// The conditions in the short form of disruption.md 13: T or F, then the reason.
std::string conditions(const PodStatusView& view) {
  std::string text;
  for (const ConditionView& condition : view.conditions) {
    text += text.empty() ? "" : "; ";
    text += condition.status ? "T" : "F";
    text += condition.reason.empty() ? "" : " " + condition.reason;
  }
  return text;
}

const ConditionView& condition(const PodStatusView& view, std::string_view type) {
  for (const ConditionView& each : view.conditions) {
    if (each.type == type) {
      return each;
    }
  }
  ADD_FAILURE() << "no condition " << type;
  return view.conditions.front();
}

struct PhaseCase {
  const char* name;
  PodRun run;
  RestartPolicy policy;
  const char* want;
};

TEST(PodPhase, K14) {
  constexpr auto kNever = RestartPolicy::never;
  constexpr auto kOnFailure = RestartPolicy::on_failure;
  constexpr auto kAlways = RestartPolicy::always;
  const PhaseCase cases[] = {
      {"not started", {{}, {waiting("c")}}, kNever, "Pending"},
      {"one of two not started", {{}, {running("c"), waiting("d")}}, kNever, "Pending"},
      {"running", {{}, {running("c")}}, kNever, "Running"},
      {"one of two ended", {{}, {ended("c", 3), running("d")}}, kNever, "Running"},
      {"exit 0", {{}, {ended("c", 0)}}, kNever, "Succeeded"},
      {"exit 3", {{}, {ended("c", 3)}}, kNever, "Failed"},
      {"one of two failed", {{}, {ended("c", 0), ended("d", 3)}}, kNever, "Failed"},
      {"exit 3 restarts", {{}, {ended("c", 3)}}, kOnFailure, "Running"},
      {"exit 0 under OnFailure", {{}, {ended("c", 0)}}, kOnFailure, "Succeeded"},
      {"exit 0 under Always", {{}, {ended("c", 0)}}, kAlways, "Running"},
      {"in back-off", {{}, {backing_off("c")}}, kOnFailure, "Running"},
      {"init pending", {{waiting("i")}, {waiting("c")}}, kNever, "Pending"},
      {"init running", {{running("i")}, {waiting("c")}}, kNever, "Pending"},
      {"init failed", {{ended("i", 4)}, {waiting("c")}}, kNever, "Failed"},
      {"init failed, retried", {{ended("i", 4)}, {waiting("c")}}, kOnFailure, "Pending"},
      {"sidecar still there", {{running("s", true)}, {ended("c", 0)}}, kNever, "Running"},
  };
  for (const PhaseCase& c : cases) {
    EXPECT_EQ(status(c.run, c.policy).phase, c.want) << c.name;
  }
}

TEST(PodPhase, K13_SidecarExitCodesNeverCount) {
  ContainerRun sidecar = ended("s", 1);
  sidecar.sidecar = true;
  EXPECT_EQ(status({{sidecar}, {ended("c", 0)}}).phase, "Succeeded");
}

TEST(PodPhase, K15_RestartPolicyNoLongerMattersWhenTerminating) {
  for (const RestartPolicy policy :
       {RestartPolicy::never, RestartPolicy::on_failure, RestartPolicy::always}) {
    EXPECT_EQ(status({{}, {ended("c", 0)}}, policy, true).phase, "Succeeded");
    EXPECT_EQ(status({{}, {ended("c", 137)}}, policy, true).phase, "Failed");
  }
}

TEST(PodPhase, K35_StaysUntilTheLastContainerHasStopped) {
  EXPECT_EQ(status({{}, {ended("c", 137), running("d")}}, RestartPolicy::never, true).phase,
            "Running");
  EXPECT_EQ(status({{running("i")}, {waiting("c")}}, RestartPolicy::never, true).phase, "Pending");
}

TEST(PodPhase, K43_AForcedEndWinsEvenOverExitCodeZero) {
  const PodRun run{{}, {ended("c", 0)}};
  const PodStatusView view = describe(
      {run, RestartPolicy::never, true, ForcedEnd{"DeadlineExceeded", "too long", {}}, true});
  EXPECT_EQ(view.phase, "Failed");
  EXPECT_EQ(view.reason, "DeadlineExceeded");
  EXPECT_EQ(view.message, "too long");
}

TEST(PodPhase, K74_ADisruptionLeavesSuccessAlone) {
  const ForcedEnd shutdown{"Terminated", "shutting down", ForcedEnd::Kind::disruption};
  const PodRun good{{}, {ended("c", 0)}};
  PodStatusView view = describe({good, RestartPolicy::never, true, shutdown, true});
  EXPECT_EQ(view.phase, "Succeeded");
  EXPECT_EQ(view.reason, "");
  EXPECT_EQ(view.disruption, "shutting down");
  const PodRun bad{{}, {ended("c", 137)}};
  view = describe({bad, RestartPolicy::never, true, shutdown, true});
  EXPECT_EQ(view.phase, "Failed");
  EXPECT_EQ(view.reason, "Terminated");
  EXPECT_EQ(view.disruption, "shutting down");
}

TEST(PodConditions, Section13_Created) {
  const PodRun run{{}, {waiting("c")}};
  PodStatusView view = describe({run, RestartPolicy::never, false, std::nullopt, false});
  EXPECT_EQ(conditions(view), "F; T; F ContainersNotReady; F ContainersNotReady; T");
  EXPECT_EQ(condition(view, "Ready").message, "containers with unready status: [c]");
  EXPECT_EQ(std::get<Waiting>(view.containers[0].state).reason, "ContainerCreating");
  EXPECT_FALSE(view.containers[0].ready);
  EXPECT_FALSE(view.containers[0].started);
}

TEST(PodConditions, Section13_CreatedWithInitContainers) {
  const PodRun run{{waiting("i1"), waiting("i2")}, {waiting("c")}};
  const PodStatusView view = status(run);
  EXPECT_EQ(condition(view, "Initialized").reason, "ContainersNotInitialized");
  EXPECT_EQ(condition(view, "Initialized").message, "containers with incomplete status: [i1 i2]");
  EXPECT_EQ(std::get<Waiting>(view.containers[0].state).reason, "PodInitializing");
  EXPECT_EQ(std::get<Waiting>(view.init_containers[0].state).reason, "PodInitializing");
}

TEST(PodConditions, Section13_Running) {
  const PodStatusView view = status({{}, {running("c")}});
  EXPECT_EQ(conditions(view), "T; T; T; T; T");
  EXPECT_TRUE(view.containers[0].ready);
  EXPECT_TRUE(view.containers[0].started);
}

TEST(PodConditions, Section13_Succeeded) {
  const PodStatusView view = status({{}, {ended("c", 0)}});
  EXPECT_EQ(conditions(view), "F; T PodCompleted; F PodCompleted; F PodCompleted; T");
  EXPECT_FALSE(view.containers[0].ready);
}

TEST(PodConditions, Section13_Failed) {
  const PodStatusView view = status({{}, {ended("c", 3)}});
  EXPECT_EQ(conditions(view), "F; T; F PodFailed; F PodFailed; T");
  EXPECT_EQ(view.reason, "");
  EXPECT_EQ(view.message, "");
}

TEST(PodConditions, Section13_InitContainerFailed) {
  const PodStatusView view =
      status({{ended("i1", 0), ended("i2", 4), waiting("i3")}, {waiting("c")}});
  EXPECT_EQ(view.phase, "Failed");
  EXPECT_EQ(conditions(view), "F; F ContainersNotInitialized; F PodFailed; F PodFailed; T");
  EXPECT_TRUE(view.init_containers[0].ready);
  EXPECT_FALSE(view.init_containers[0].started);
  EXPECT_EQ(std::get<Waiting>(view.init_containers[2].state).reason, "PodInitializing");
  EXPECT_EQ(std::get<Waiting>(view.containers[0].state).reason, "PodInitializing");
}

TEST(PodConditions, Section13_BackOff) {
  const PodStatusView view = status({{}, {backing_off("c")}}, RestartPolicy::on_failure);
  EXPECT_EQ(conditions(view), "T; T; F ContainersNotReady; F ContainersNotReady; T");
  EXPECT_EQ(view.containers[0].last->exit_code, 1);
  EXPECT_EQ(view.containers[0].restarts, 1);
}

TEST(PodConditions, K13_CrashedSidecarMakesThePodUnready) {
  ContainerRun sidecar = backing_off("s");
  sidecar.sidecar = true;
  const PodStatusView view = status({{sidecar}, {running("c")}});
  EXPECT_EQ(view.phase, "Running");
  EXPECT_EQ(condition(view, "Ready").message, "containers with unready status: [s]");
}

TEST(PodConditions, K19_NeverReadyWithATerminalPhase) {
  for (const int code : {0, 1}) {
    for (const bool terminating : {false, true}) {
      const PodStatusView view =
          status({{}, {ended("c", code)}}, RestartPolicy::never, terminating);
      ASSERT_TRUE(view.terminal());
      EXPECT_FALSE(condition(view, "Ready").status);
      EXPECT_FALSE(condition(view, "ContainersReady").status);
    }
  }
}

TEST(Settle, K36_ContainersWithoutAnEndBecomeUnknown) {
  PodRun run{{}, {waiting("c"), ended("d", 0)}};
  run.containers[1].ever_started = false;
  settle(run);
  const Terminated* end = run.containers[0].ended();
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->exit_code, 137);
  EXPECT_EQ(end->reason, "ContainerStatusUnknown");
  EXPECT_EQ(end->message, "The container could not be located when the pod was terminated");
  EXPECT_FALSE(end->started_at);
  EXPECT_FALSE(end->finished_at);
  EXPECT_EQ(run.containers[1].ended()->exit_code, 0);
}

TEST(Settle, K36_OfAnUninitializedPodOnlyInitContainersThatStarted) {
  PodRun run{{ended("i1", 0), waiting("i2"), waiting("i3")}, {waiting("c")}};
  run.init_containers[1].ever_started = true;
  settle(run);
  EXPECT_EQ(run.init_containers[0].ended()->exit_code, 0);
  EXPECT_EQ(run.init_containers[1].ended()->exit_code, 137);
  EXPECT_EQ(run.init_containers[2].ended(), nullptr);
  EXPECT_EQ(run.containers[0].ended(), nullptr);

  PodRun nothing_started{{waiting("i1"), waiting("i2")}, {waiting("c")}};
  settle(nothing_started);
  EXPECT_NE(nothing_started.init_containers[0].ended(), nullptr);
  EXPECT_EQ(nothing_started.init_containers[1].ended(), nullptr);
}

TEST(Settle, ABackOffEndsWithTheEndThatCausedIt) {
  PodRun run{{}, {backing_off("c")}};
  settle(run);
  EXPECT_EQ(run.containers[0].ended()->exit_code, 1);
  EXPECT_FALSE(run.containers[0].last);
}

TEST(Settle, K13_ASidecarInBackOffIsUnknown) {
  PodRun run{{backing_off("s")}, {ended("c", 0)}};
  run.init_containers[0].sidecar = true;
  settle(run);
  EXPECT_EQ(run.init_containers[0].ended()->reason, "ContainerStatusUnknown");
  EXPECT_EQ(status(run, RestartPolicy::never, true).phase, "Succeeded");
}

TEST(Settle, R15_DeletedWhilePending) {
  PodRun run{{}, {waiting("c")}};
  settle(run);
  const PodStatusView view = status(run, RestartPolicy::never, true);
  EXPECT_EQ(view.phase, "Failed");
  EXPECT_EQ(view.reason, "Deleted");
  EXPECT_EQ(view.message, "Deleted while pending");
  EXPECT_EQ(conditions(view), "F; T; F ContainersNotReady; F ContainersNotReady; T");
  EXPECT_EQ(condition(view, "Ready").message, "containers with unready status: [c]");
}

TEST(Settle, R15_APodThatRanIsNotDeletedWhilePending) {
  PodRun run{{}, {ended("c", 137)}};
  settle(run);
  const PodStatusView view = status(run, RestartPolicy::never, true);
  EXPECT_EQ(view.reason, "");
  EXPECT_EQ(conditions(view), "F; T; F PodFailed; F PodFailed; T");
}

}  // namespace
}  // namespace windlass::node
