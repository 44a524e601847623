#include "node/container/container_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/container/run_testing.h"

namespace windlass::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NextSteps steps(const PodRun& run, RestartPolicy policy = RestartPolicy::never) {
  return next_steps(run, policy, kMonotonicNow);
}

TEST(ContainerFlow, StartsAllContainersAtOnce) {
  EXPECT_THAT(steps({{}, {waiting("a"), waiting("b")}}).start, ElementsAre(0, 1));
}

TEST(ContainerFlow, K13_InitContainersRunOneAfterTheOther) {
  EXPECT_THAT(steps({{waiting("i"), waiting("j")}, {waiting("a")}}).start, ElementsAre(0));
  EXPECT_THAT(steps({{running("i"), waiting("j")}, {waiting("a")}}).start, IsEmpty());
  EXPECT_THAT(steps({{ended("i", 0), waiting("j")}, {waiting("a")}}).start, ElementsAre(1));
  EXPECT_THAT(steps({{ended("i", 0), ended("j", 0)}, {waiting("a")}}).start, ElementsAre(2));
}

TEST(ContainerFlow, K13_FailedInitEndsThePodUnderNeverOnly) {
  const PodRun run{{ended("i", 4), waiting("j")}, {waiting("a")}};
  EXPECT_TRUE(steps(run).finished);
  EXPECT_THAT(steps(run).start, IsEmpty());
  EXPECT_TRUE(initialization_failed(run, RestartPolicy::never));
  for (const RestartPolicy policy : {RestartPolicy::on_failure, RestartPolicy::always}) {
    EXPECT_FALSE(steps(run, policy).finished);
    EXPECT_THAT(steps(run, policy).start, ElementsAre(0));
    EXPECT_FALSE(initialization_failed(run, policy));
  }
}

TEST(ContainerFlow, K13_SidecarsStartInOrderAndStay) {
  EXPECT_THAT(steps({{waiting("s", true), waiting("i")}, {waiting("a")}}).start, ElementsAre(0));
  EXPECT_THAT(steps({{running("s", true), waiting("i")}, {waiting("a")}}).start, ElementsAre(1));
  EXPECT_THAT(steps({{running("s", true), ended("i", 0)}, {waiting("a")}}).start, ElementsAre(2));
}

TEST(ContainerFlow, K13_CrashedSidecarRestartsBesideTheOthers) {
  ContainerRun sidecar = ended("s", 1);
  sidecar.sidecar = true;
  EXPECT_THAT(steps({{sidecar}, {running("a")}}).start, ElementsAre(0));
  EXPECT_TRUE(initialized({{sidecar}, {}}));
}

TEST(ContainerFlow, K13_FinishedWhenTheLastContainerEnds) {
  EXPECT_FALSE(steps({{running("s", true)}, {ended("a", 0), running("b")}}).finished);
  const NextSteps last = steps({{running("s", true)}, {ended("a", 0), ended("b", 3)}});
  EXPECT_TRUE(last.finished);
  EXPECT_THAT(last.start, IsEmpty());
}

TEST(ContainerFlow, RestartPolicyDecidesWhoStartsAgain) {
  const PodRun good{{}, {ended("a", 0)}};
  const PodRun bad{{}, {ended("a", 1)}};
  EXPECT_TRUE(steps(good, RestartPolicy::never).finished);
  EXPECT_TRUE(steps(bad, RestartPolicy::never).finished);
  EXPECT_TRUE(steps(good, RestartPolicy::on_failure).finished);
  EXPECT_THAT(steps(bad, RestartPolicy::on_failure).start, ElementsAre(0));
  EXPECT_THAT(steps(good, RestartPolicy::always).start, ElementsAre(0));
}

TEST(ContainerFlow, E58_AContainersOwnPolicyGoesBeforeThePods) {
  ContainerRun failed = ended("a", 1);
  failed.restart.policy = RestartPolicy::on_failure;
  EXPECT_THAT(steps({{}, {failed}}).start, ElementsAre(0));
  EXPECT_EQ(describe({{{}, {failed}}, RestartPolicy::never, false, std::nullopt, true}).phase,
            "Running");
  failed.restart.policy = RestartPolicy::never;
  EXPECT_TRUE(steps({{}, {failed}}, RestartPolicy::always).finished);
  ContainerRun done = ended("a", 0);
  done.restart.policy = RestartPolicy::on_failure;
  EXPECT_TRUE(steps({{}, {done}}, RestartPolicy::always).finished);
}

TEST(ContainerFlow, P44_RestartRulesGoBeforePolicies) {
  ContainerRun run = ended("a", 42);
  run.restart = {RestartPolicy::never, {{true, {42, 43}}}};
  EXPECT_THAT(steps({{}, {run}}).start, ElementsAre(0));
  run.restart.rules = {{true, {43}}, {false, {42}}};
  EXPECT_TRUE(steps({{}, {run}}).finished);
  run.restart.rules = {{true, {43}}, {false, {44}}};
  EXPECT_THAT(steps({{}, {run}}).start, ElementsAre(0));
}

TEST(ContainerFlow, BlockedContainersAreNeitherStartedNorFinished) {
  ContainerRun blocked = waiting("a");
  blocked.blocked = true;
  const NextSteps next = steps({{}, {blocked, waiting("b")}});
  EXPECT_THAT(next.start, ElementsAre(1));
  EXPECT_FALSE(next.finished);
}

TEST(RestartDelay, K17_FirstAtOnceThenTenSecondsDoublingToFiveMinutes) {
  PodSpecView pod;
  pod.ns = "default";
  pod.name = "of1";
  pod.uid = "u";
  ContainerRun container = waiting("c");
  std::vector<int64_t> delays;
  for (int i = 0; i < 8; ++i) {
    container.state = Terminated{1, "Error", "", kNow - seconds(1), kNow, ""};
    plan_restart(container, {}, kMonotonicNow, pod);
    delays.push_back((*container.restart_at - kMonotonicNow) / seconds(1));
  }
  EXPECT_THAT(delays, ElementsAre(0, 10, 20, 40, 80, 160, 300, 300));
}

TEST(RestartDelay, K17_WaitsAsCrashLoopBackOff) {
  PodSpecView pod;
  pod.ns = "default";
  pod.name = "of1";
  pod.uid = "u-1";
  PodRun run{{}, {ended("c", 1)}};
  ContainerRun& container = run.containers[0];
  plan_restart(container, {}, kMonotonicNow, pod);
  EXPECT_NE(container.ended(), nullptr);  // the first restart shows no back-off
  EXPECT_THAT(steps(run, RestartPolicy::on_failure).start, ElementsAre(0));

  plan_restart(container, {}, kMonotonicNow, pod);
  EXPECT_EQ(std::get<Waiting>(container.state),
            (Waiting{"CrashLoopBackOff",
                     "back-off 10s restarting failed container=c pod=of1_default(u-1)"}));
  EXPECT_EQ(container.last->exit_code, 1);
  const NextSteps early = steps(run, RestartPolicy::on_failure);
  EXPECT_THAT(early.start, IsEmpty());
  EXPECT_EQ(early.look_again, kMonotonicNow + seconds(10));
  EXPECT_THAT(next_steps(run, RestartPolicy::on_failure, kMonotonicNow + seconds(10)).start,
              ElementsAre(0));
}

TEST(RestartDelay, K17_TenMinutesOfRunningForgetEarlierFailures) {
  ContainerRun container = waiting("c");
  container.next_delay = seconds(160);
  container.began = kMonotonicNow - minutes(10);
  container.state = Terminated{1, "Error", "", kNow, kNow, ""};
  plan_restart(container, {}, kMonotonicNow, {});
  EXPECT_EQ(container.restart_at, kMonotonicNow);
  EXPECT_EQ(container.next_delay, seconds(10));
}

// The wall clock's times of the run may be anything.
TEST(RestartDelay, K17_AClockThatJumpsForgetsNothing) {
  ContainerRun container = waiting("c");
  container.next_delay = seconds(160);
  container.began = kMonotonicNow - seconds(1);
  container.state = Terminated{1, "Error", "", kNow - hours(24), kNow, ""};
  plan_restart(container, {}, kMonotonicNow, {});
  EXPECT_EQ(container.restart_at, kMonotonicNow + seconds(160));
}

TEST(RestartDelay, ARunOfTheFutureHasJustBegun) {
  EXPECT_EQ(began_at(kNow - milliseconds(5100), kNow, kMonotonicNow),
            kMonotonicNow - milliseconds(5100));
  EXPECT_EQ(began_at(kNow + hours(24), kNow, kMonotonicNow), kMonotonicNow);
}

// What the API tells in whole seconds may have begun up to a second later, but not in the future.
TEST(RestartDelay, K43_AWholeSecondIsTakenForItsEnd) {
  const Time stored = std::chrono::floor<seconds>(kNow);
  const Time wall = stored + seconds(20);
  const Duration rest = seconds(1) - nanoseconds(1);
  EXPECT_EQ(began_at(stored, wall, kMonotonicNow), kMonotonicNow - seconds(20) + rest);
  EXPECT_EQ(began_at(stored, stored + milliseconds(200), kMonotonicNow), kMonotonicNow);
  EXPECT_EQ(deadline_left(seconds(60), stored, wall), seconds(40) + rest);
}

TEST(RestartDelay, K43_NoMoreThanTheWholeDeadlineIsLeft) {
  EXPECT_EQ(deadline_left(seconds(60), kNow - milliseconds(20'100), kNow), milliseconds(39'900));
  EXPECT_EQ(deadline_left(seconds(60), kNow + hours(24), kNow), seconds(60));
  EXPECT_LE(deadline_left(seconds(60), kNow - hours(24), kNow), Duration::zero());
}

}  // namespace
}  // namespace windlass::node
