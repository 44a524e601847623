#include "node/probes/probe_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Effect = ProbeState::Effect;

constexpr MonotonicTime kStart{hours(1)};
constexpr ProbeAnswer kGood = ProbeAnswer::success;
constexpr ProbeAnswer kBad = ProbeAnswer::failure;

ProbePlan probe(Duration delay, Duration period, int successes, int failures) {
  ProbePlan plan;
  plan.initial_delay = delay;
  plan.period = period;
  plan.success_threshold = successes;
  plan.failure_threshold = failures;
  return plan;
}

MonotonicTime at(Duration after) {
  return kStart + after;
}

TEST(ProbeState, WithoutProbesAContainerIsStartedAndReady) {
  const ContainerChecks checks;
  const ProbeState state(checks, kStart, {});
  EXPECT_TRUE(state.idle());
  EXPECT_TRUE(state.started());
  EXPECT_TRUE(state.ready());
  EXPECT_FALSE(state.next_due());
}

TEST(ProbeState, TheFirstQuestionComesAfterTheDelayAndTheNextAfterThePeriod) {
  ContainerChecks checks;
  checks.readiness = probe(seconds(5), seconds(10), 1, 3);
  ProbeState state(checks, kStart, {});
  EXPECT_EQ(state.next_due(), at(seconds(5)));
  EXPECT_THAT(state.take_due(at(seconds(4))), IsEmpty());
  EXPECT_THAT(state.take_due(at(seconds(5))), ElementsAre(ProbeKind::readiness));
  // One at a time, however long it takes.
  EXPECT_FALSE(state.next_due());
  EXPECT_THAT(state.take_due(at(seconds(20))), IsEmpty());
  state.record(ProbeKind::readiness, kGood, at(seconds(20)));
  EXPECT_EQ(state.next_due(), at(seconds(15)));  // it is late: as soon as possible
}

TEST(ProbeState, ReadinessNeedsItsSuccessesAndFailuresInARow) {
  ContainerChecks checks;
  checks.readiness = probe({}, seconds(1), 2, 3);
  ProbeState state(checks, kStart, {});
  EXPECT_FALSE(state.ready());
  const auto say = [&state](ProbeAnswer answer) {
    return state.record(ProbeKind::readiness, answer, kStart);
  };
  EXPECT_EQ(say(kGood), Effect::none);
  EXPECT_EQ(say(kBad), Effect::none);
  EXPECT_EQ(say(kGood), Effect::none);
  EXPECT_EQ(say(kGood), Effect::changed);
  EXPECT_TRUE(state.ready());
  EXPECT_EQ(say(kGood), Effect::none);
  EXPECT_EQ(say(kBad), Effect::none);
  EXPECT_EQ(say(kBad), Effect::none);
  EXPECT_TRUE(state.ready());
  EXPECT_EQ(say(kBad), Effect::changed);
  EXPECT_FALSE(state.ready());
  EXPECT_TRUE(state.started());
}

TEST(ProbeState, WhatCouldNotBeAskedCountsForNothing) {
  ContainerChecks checks;
  checks.liveness = probe({}, seconds(1), 1, 2);
  ProbeState state(checks, kStart, {});
  EXPECT_EQ(state.record(ProbeKind::liveness, kBad, kStart), Effect::none);
  EXPECT_EQ(state.record(ProbeKind::liveness, ProbeAnswer::none, kStart), Effect::none);
  EXPECT_EQ(state.record(ProbeKind::liveness, kBad, kStart), Effect::kill);
}

TEST(ProbeState, AKilledContainerIsAskedNoMore) {
  ContainerChecks checks;
  checks.liveness = probe({}, seconds(1), 1, 1);
  checks.readiness = probe({}, seconds(1), 1, 1);
  ProbeState state(checks, kStart, {});
  EXPECT_THAT(state.take_due(kStart), ElementsAre(ProbeKind::liveness, ProbeKind::readiness));
  EXPECT_EQ(state.record(ProbeKind::liveness, kBad, kStart), Effect::kill);
  EXPECT_EQ(state.record(ProbeKind::readiness, kGood, kStart), Effect::none);
  EXPECT_TRUE(state.idle());
  EXPECT_THAT(state.take_due(at(hours(1))), IsEmpty());
}

TEST(ProbeState, TheOthersWaitForTheStartupProbe) {
  ContainerChecks checks;
  checks.startup = probe({}, seconds(1), 1, 30);
  checks.liveness = probe(seconds(2), seconds(10), 1, 3);
  checks.readiness = probe(seconds(60), seconds(10), 1, 3);
  ProbeState state(checks, kStart, {});
  EXPECT_FALSE(state.started());
  EXPECT_THAT(state.take_due(at(seconds(5))), ElementsAre(ProbeKind::startup));
  EXPECT_EQ(state.record(ProbeKind::startup, kBad, at(seconds(5))), Effect::none);
  EXPECT_EQ(state.record(ProbeKind::startup, kGood, at(seconds(6))), Effect::changed);
  EXPECT_TRUE(state.started());
  EXPECT_FALSE(state.ready());
  // Its delay is over, so liveness asks at once; readiness waits for its own; startup is done.
  EXPECT_EQ(state.next_due(), at(seconds(6)));
  EXPECT_THAT(state.take_due(at(seconds(6))), ElementsAre(ProbeKind::liveness));
  EXPECT_EQ(state.next_due(), at(seconds(60)));
}

TEST(ProbeState, AStartupProbeThatFailsForGoodKills) {
  ContainerChecks checks;
  checks.startup = probe({}, seconds(1), 1, 2);
  ProbeState state(checks, kStart, {});
  EXPECT_EQ(state.record(ProbeKind::startup, kBad, kStart), Effect::none);
  EXPECT_EQ(state.record(ProbeKind::startup, kBad, kStart), Effect::kill);
  EXPECT_FALSE(state.started());
}

TEST(ProbeState, ANewAgentGoesOnFromWhatWasFoundBefore) {
  ContainerChecks checks;
  checks.startup = probe({}, seconds(1), 1, 2);
  checks.readiness = probe({}, seconds(1), 1, 2);
  ProbeState state(checks, kStart - hours(1), {true, true});
  EXPECT_TRUE(state.ready());
  EXPECT_THAT(state.take_due(kStart), ElementsAre(ProbeKind::readiness));
  EXPECT_EQ(state.record(ProbeKind::readiness, kBad, kStart), Effect::none);
  EXPECT_TRUE(state.ready());
  EXPECT_EQ(state.record(ProbeKind::readiness, kBad, kStart), Effect::changed);
}

}  // namespace
}  // namespace windlass::node
