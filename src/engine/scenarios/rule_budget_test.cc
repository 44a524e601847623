// job-controller.md section 13: budgets and delays of single rules (annotation
// windlass.dev/policy).
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

constexpr int32_t kSpot = 7;   // exit code of the rule that is ignored
constexpr int32_t kFlaky = 8;  // exit code of the rule that counts
constexpr int32_t kAny = 1;    // no rule

FailureRule limited_rule(FailureRule rule, std::string name, RuleLimits limits) {
  rule.name = std::move(name);
  rule.limits = limits;
  return rule;
}

RuleLimits budget(int32_t failures) {
  RuleLimits limits;
  limits.budget = failures;
  return limits;
}

RuleLimits in_window(int32_t failures, Duration window) {
  RuleLimits limits = budget(failures);
  limits.window = window;
  return limits;
}

RuleLimits delayed(Duration base, Duration cap) {
  RuleLimits limits;
  limits.backoff = {base, cap};
  return limits;
}

JobView with_limits(RuleLimits spot, RuleLimits flaky, JobView job = defaulted_job(1, 1)) {
  job.spec.backoff_limit = 100;
  set_policy(job, {limited_rule(on_codes(Action::ignore, {kSpot}), "Spot", spot),
                   limited_rule(on_codes(Action::count, {kFlaky}), "Flaky", flaky)});
  return job;
}

// The pod that runs fails; its successor is there, or the Job has ended.
void fail_next(EngineScenario& job, int32_t exit_code) {
  const std::string pod = job.active_pods().at(0);
  job.run_pod(pod);
  job.fail(pod, exit_code);
  job.run();
  while (job.active_pods().empty() && job.advance_to_wake()) {
  }
}

TEST(RuleBudget, R13_4_IgnoredFailuresEndTheJobBeyondTheBudget) {
  EngineScenario job(with_limits(budget(2), budget(100)));
  job.run();
  fail_next(job, kSpot);
  fail_next(job, kSpot);
  EXPECT_EQ(job.condition_types(), "");
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
  EXPECT_EQ(job.message(kTypeFailed), "Rule Spot has more failures than its budget of 2");
  EXPECT_EQ(job.status().failed, 0) << "ignored still";
  EXPECT_EQ(job.metric(Metric::jobs_finished, "failed", "RuleBudgetExceeded"), 1);
}

TEST(RuleBudget, R13_4_ABudgetOfZeroFailsAtTheFirst) {
  EngineScenario job(with_limits(budget(0), budget(0)));
  job.run();
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_2_EachRuleHasItsOwn) {
  EngineScenario job(with_limits(budget(1), budget(1)));
  job.run();
  fail_next(job, kSpot);
  fail_next(job, kFlaky);
  fail_next(job, kAny);
  fail_next(job, kAny);
  EXPECT_EQ(job.condition_types(), "");
  fail_next(job, kFlaky);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Flaky");
  EXPECT_EQ(job.status().failed, 4) << "Count counts against backoffLimit as well";
}

TEST(RuleBudget, R13_4_TheStricterLimitDecides) {
  JobView view = with_limits(budget(1), budget(5));
  view.spec.backoff_limit = 1;
  EngineScenario job(view);
  job.run();
  fail_next(job, kFlaky);
  fail_next(job, kFlaky);
  EXPECT_EQ(job.reason(kTypeFailed), kReasonBackoffLimit);
}

TEST(RuleBudget, R13_4_BackoffLimitIsNamedWhenBothAreExceededAtOnce) {
  JobView view = with_limits(budget(1), budget(1));
  view.spec.backoff_limit = 1;
  EngineScenario job(view);
  job.run();
  fail_next(job, kFlaky);
  fail_next(job, kFlaky);
  EXPECT_EQ(job.reason(kTypeFailed), kReasonBackoffLimit);
}

TEST(RuleBudget, R13_4_AnUnnamedRuleIsKnownByItsIndex) {
  JobView view = with_limits(budget(0), budget(0));
  (*view.spec.failure_policy)[1].name.reset();
  EngineScenario job(view);
  job.run();
  fail_next(job, kFlaky);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_1");
}

TEST(RuleBudget, R13_4_AWindowForgetsOldFailures) {
  EngineScenario job(with_limits(in_window(1, hours(1)), budget(100)));
  job.run();
  for (int round = 0; round < 4; ++round) {
    fail_next(job, kSpot);
    EXPECT_EQ(job.condition_types(), "") << round;
    job.advance(hours(1));
  }
  fail_next(job, kSpot);
  job.advance(minutes(50));
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
  EXPECT_EQ(job.message(kTypeFailed), "Rule Spot has more failures than its budget of 1 in 1h0m0s");
}

// The largest number of failures that are told apart by their times.
TEST(RuleBudget, R13_5_TheLargestBudgetOfAWindow) {
  RuleLimits most = in_window(kMaxTimedBudget, hours(1));
  most.backoff = {seconds(1), seconds(1)};
  EngineScenario job(with_limits(most, budget(100)));
  job.run();
  for (int failure = 0; failure < kMaxTimedBudget; ++failure) {
    fail_next(job, kSpot);
  }
  EXPECT_EQ(job.condition_types(), "");
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_4_ASuccessResetsABudgetThatAsksForIt) {
  RuleLimits reset = budget(1);
  reset.reset_on_success = true;
  EngineScenario job(with_limits(reset, budget(2), defaulted_job(1, 3)));
  job.run();
  for (int round = 0; round < 2; ++round) {
    fail_next(job, kSpot);
    fail_next(job, kFlaky);
    job.now += seconds(1);
    job.run_pod(job.active_pods().at(0));
    job.succeed(job.active_pods().at(0));
    job.run();
    job.now += seconds(1);  // 7.7: what ends in the second of a success is not after it
  }
  EXPECT_EQ(job.condition_types(), "");
  fail_next(job, kSpot);
  EXPECT_EQ(job.condition_types(), "");
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_3_ARuleHasItsOwnDelay) {
  EngineScenario job(with_limits(delayed(seconds(1), seconds(3)), budget(100)));
  job.run();
  const auto waits_after = [&job](int32_t exit_code) {
    const std::string pod = job.active_pods().at(0);
    job.run_pod(pod);
    job.fail(pod, exit_code);
    job.run();
    const auto wait = job.wakes_in();
    while (job.active_pods().empty() && job.advance_to_wake()) {
    }
    return wait.value_or(Duration::zero());
  };
  const std::vector<Duration> spot = {waits_after(kSpot), waits_after(kSpot), waits_after(kSpot)};
  EXPECT_EQ(spot, (std::vector<Duration>{seconds(1), seconds(2), seconds(3)}));
  EXPECT_EQ(waits_after(kFlaky), seconds(10)) << "the Job's delay counts none of them";
  EXPECT_EQ(waits_after(kAny), seconds(20));
}

TEST(RuleBudget, R13_2_RestartsForgetNothing) {
  EngineScenario job(with_limits(budget(2), budget(100)));
  job.run();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(job.condition_types(), "") << round;
    fail_next(job, kSpot);
    job.delete_pod(job.pod_names().front());
    job.restart_controller();
    job.run();
  }
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_2_TheRecordSaysWhatWasUsed) {
  EngineScenario job(with_limits(budget(2), in_window(3, hours(1))));
  job.run();
  fail_next(job, kSpot);
  fail_next(job, kFlaky);
  EXPECT_THAT(job.job().record, ::testing::HasSubstr(";rules=0:1,1:1@"));
}

TEST(RuleBudget, R13_2_AnEditOfTheRecordNeverGivesFailuresBack) {
  EngineScenario job(with_limits(budget(2), budget(100)));
  job.check_oracle = false;  // the annotation says less than is known
  job.run();
  fail_next(job, kSpot);
  fail_next(job, kSpot);
  job.edit_record("v1");
  job.run();
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_2_PodsTellWhatARemovedRecordSaid) {
  EngineScenario job(with_limits(budget(1), budget(100)));
  job.check_oracle = false;  // the annotation says less than is known
  job.run();
  fail_next(job, kSpot);
  job.edit_record("");
  job.restart_controller();
  job.run();
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_4_TheBudgetComesBeforeTheDeadline) {
  JobView view = with_limits(budget(0), budget(100));
  view.spec.active_deadline_seconds = 60;
  EngineScenario job(view);
  job.run();
  const std::string pod = job.active_pods().at(0);
  job.run_pod(pod);
  job.fail(pod, kSpot);
  job.now += seconds(120);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

// W1: with one write for the failure that is too many, or with a lost answer, it counts once.
TEST(RuleBudget, W1_LostAnswersCountNoFailureTwice) {
  EngineScenario job(with_limits(budget(2), budget(100)));
  job.run();
  bool lose = true;
  job.on_status = [&lose](const StatusWrite&) {
    lose = !lose;
    return lose ? FakeCluster::WriteFault{WriteError::unknown, true} : FakeCluster::WriteFault{};
  };
  fail_next(job, kSpot);
  fail_next(job, kSpot);
  EXPECT_EQ(job.condition_types(), "");
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_4_NoPodIsCreatedBesideTheVerdict) {
  EngineScenario job(with_limits(budget(0), budget(100), defaulted_job(2, 2)));
  job.run();
  const int created = job.writes.creates;
  const std::vector<std::string> pods = job.active_pods();
  job.run_pod(pods.at(0));
  job.run_pod(pods.at(1));
  job.fail(pods.at(0), kSpot);
  job.fail(pods.at(1), kSpot);
  job.run();
  EXPECT_EQ(job.writes.creates, created);
  EXPECT_EQ(job.reason(kTypeFailed), "RuleBudgetExceeded_Spot");
}

TEST(RuleBudget, R13_1_RulesThatEndTheJobHaveNoLimits) {
  JobView view = with_limits(budget(0), budget(0));
  (*view.spec.failure_policy)[0].action = Action::fail_job;
  EngineScenario job(view);
  job.run();
  fail_next(job, kSpot);
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy_Spot");
}

TEST(RuleBudget, R13_6_AJobWithABadPolicyDoesNotStart) {
  JobView view = defaulted_job(1, 1);
  view.policy_error = "metadata.annotations[windlass.dev/policy].rules.X: Forbidden: no rule";
  EngineScenario job(view);
  job.run();
  EXPECT_TRUE(job.pod_names().empty());
  EXPECT_EQ(job.count_events("InvalidPolicy"), 1);
  job.run();
  EXPECT_EQ(job.count_events("InvalidPolicy"), 1);
  job.update_job([](JobView& corrected) { corrected.policy_error.reset(); });
  job.run();
  EXPECT_EQ(job.pod_names().size(), 1u);
}

TEST(RuleBudget, R13_6_APolicyThatBecomesBadStopsNothing) {
  EngineScenario job(with_limits(budget(0), budget(100)));
  job.run();
  job.update_job([](JobView& view) {
    (*view.spec.failure_policy)[0].limits.reset();
    view.policy_error = "it is bad";
  });
  job.run();
  EXPECT_TRUE(job.has_event("InvalidPolicy"));
  fail_next(job, kSpot);
  EXPECT_EQ(job.active_pods().size(), 1u);
}

}  // namespace
}  // namespace windlass::engine::testing
