// job-controller.md sections 11C, 11D, 11E: limits, deadline, suspend and resume.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

JobView with_limit(int32_t parallelism, int32_t completions, int32_t limit) {
  JobView view = defaulted_job(parallelism, completions);
  view.spec.backoff_limit = limit;
  return view;
}

std::string restarted(EngineScenario& job, Phase phase, int32_t restarts, bool init = false) {
  PodView pod = job.pod(phase);
  pod.containers.push_back({});
  pod.containers.back().name = "c";
  pod.containers.back().init = init;
  pod.containers.back().restarts = restarts;
  return job.add_pod(pod);
}

JobView on_failure(int32_t parallelism, int32_t limit) {
  JobView view = with_limit(parallelism, 5, limit);
  view.spec.restart_on_failure = true;
  return view;
}

TEST(Limits, C31_TooManyFailures) {
  EngineScenario job(with_limit(1, 1, 0));
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
  EXPECT_EQ(job.reason(kTypeFailed), "BackoffLimitExceeded");
  EXPECT_EQ(job.message(kTypeFailed), "Job has reached the specified backoff limit");
  EXPECT_FALSE(job.status().completion_time);
  EXPECT_EQ(job.writes.statuses, 2);
  EXPECT_EQ(job.count_events("BackoffLimitExceeded"), 1);
  EXPECT_EQ(job.metric(Metric::jobs_finished, "failed", "BackoffLimitExceeded"), 1);
}

TEST(Limits, C32_VerdictWaitsForCreatesUnderWay) {
  EngineScenario job(with_limit(2, 5, 0));
  job.given(1, Phase::running);
  Decision first = job.engine().decide(job.now);
  ASSERT_EQ(first.creates.size(), 1u);
  PodView failed = job.stored_pod("mypod-0");
  failed.phase = Phase::failed;
  failed.rv += 1000;
  job.engine().observe_pod(failed);
  const Decision second = job.engine().decide(job.now);
  EXPECT_FALSE(second.has_writes());
  EXPECT_TRUE(job.engine().busy());
  job.check_oracle = false;
}

TEST(Limits, C33_FailsOnlyBeyondTheLimit) {
  EngineScenario job(with_limit(1, 1, 1));
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().failed, 1);
  job.given(1, Phase::failed);
  job.run();
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Limits, C34_SixFailuresContinueSevenFail) {
  EngineScenario job(with_limit(2, 5, 6));
  job.given(6, Phase::failed);
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  job.given(1, Phase::failed);
  job.run();
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Limits, C35_RunningPodsCountAsFailedWhenTheJobFails) {
  EngineScenario job(with_limit(3, 5, 0));
  job.given(2, Phase::running, true);
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.writes.deletes, 2);
  EXPECT_EQ(job.status().failed, 3);
  EXPECT_EQ(job.status().ready, 0);
  EXPECT_EQ(job.status().terminating, 2);
  EXPECT_EQ(job.condition_types(), "FailureTarget");
  job.stop_terminating();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
  EXPECT_EQ(job.status().failed, 3);
}

TEST(Limits, C36_IndexedWithSucceededFailedAndRunning) {
  JobView view = indexed_job(3, 3);
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  job.given_index(0, Phase::succeeded);
  job.given_index(1, Phase::failed);
  job.given_index(2, Phase::running);
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.status().completed_indexes, "0");
}

TEST(Limits, C37_W1_DeleteErrorDoesNotLoseTheVerdict) {
  EngineScenario job(with_limit(2, 5, 0));
  job.given(1, Phase::running);
  job.given(1, Phase::failed);
  job.on_pod_write = [](const PodWrite& write) {
    const bool refuse = write.op == PodOp::delete_pod;
    return FakeCluster::WriteFault{refuse ? std::optional(WriteError::rejected) : std::nullopt};
  };
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget");
  EXPECT_EQ(job.status().active, 1);
  EXPECT_TRUE(job.has_event("FailedDelete"));
  job.on_pod_write = nullptr;
  job.advance(seconds(1));
  EXPECT_EQ(job.status().active, 0);
  job.stop_terminating();
  EXPECT_TRUE(job.has(kTypeFailed));
}

TEST(Limits, C38_OnFailureLimitZero) {
  EngineScenario job(on_failure(1, 0));
  const std::string name = restarted(job, Phase::running, 0);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  job.update_pod(name, [](PodView& pod) { pod.containers[0].restarts = 1; });
  job.run();
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Limits, C39_OnFailureLimitOneRunningOrPending) {
  for (const Phase phase : {Phase::running, Phase::pending}) {
    EngineScenario job(on_failure(1, 1));
    restarted(job, phase, 1);
    job.run();
    EXPECT_TRUE(job.has(kTypeFailureTarget));
  }
}

TEST(Limits, C40_OnFailureSumsOverPods) {
  for (const int32_t limit : {2, 3}) {
    EngineScenario job(on_failure(2, limit));
    restarted(job, Phase::running, 1);
    restarted(job, Phase::running, 1);
    job.run();
    EXPECT_EQ(job.has(kTypeFailureTarget), limit == 2);
  }
}

TEST(Limits, C41_OnFailureInitContainersCount) {
  EngineScenario job(on_failure(1, 1));
  restarted(job, Phase::pending, 1, true);
  job.run();
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Limits, C42_OnFailureFinishedPodsDoNotCount) {
  EngineScenario job(on_failure(1, 3));
  restarted(job, Phase::succeeded, 5);
  restarted(job, Phase::failed, 5);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Limits, C43_SuspendedOnFailureBelowTheLimit) {
  EngineScenario job(on_failure(1, 3));
  restarted(job, Phase::running, 1);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_EQ(job.condition_types(), "Suspended");
}

TEST(Limits, C44_FailedFalseIsReplacedInPlace) {
  EngineScenario job(with_limit(1, 1, 0));
  job.update_status([&](JobStatus& status) {
    status.conditions.push_back(
        {std::string(kTypeFailed), ConditionStatus::is_false, job.now, job.now, "", ""});
  });
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.condition_types(), "Failed,FailureTarget");
  EXPECT_TRUE(job.has(kTypeFailed));
}

TEST(Limits, C45_10_60_FailureTargetFalseIsIgnoredThenReplaced) {
  EngineScenario job(with_limit(1, 1, 0));
  job.update_status([&](JobStatus& status) {
    status.conditions.push_back(
        {std::string(kTypeFailureTarget), ConditionStatus::is_false, job.now, job.now, "", ""});
  });
  job.run();
  EXPECT_EQ(job.status().active, 1);
  job.fail(job.active_pods().front());
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
}

TEST(Limits, C46_SuccessCriteriaMetFalseIsIgnored) {
  EngineScenario job(with_limit(1, 1, 0));
  job.update_status([&](JobStatus& status) {
    status.conditions.push_back({std::string(kTypeSuccessCriteriaMet), ConditionStatus::is_false,
                                 job.now, job.now, "", ""});
  });
  job.run();
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet");
}

TEST(Limits, C47_AllFinalizersGoBeforeFailed) {
  Options options;
  options.max_uncounted = 50;
  options.max_pod_writes = 50;
  EngineScenario job(with_limit(100, 100, 0), options);
  job.given(100, Phase::failed);
  job.run();
  EXPECT_TRUE(job.has(kTypeFailed));
  EXPECT_EQ(job.status().failed, 100);
  EXPECT_EQ(job.writes.releases, 100);
  EXPECT_LE(job.writes.most_at_once, 50);
}

JobView with_deadline(int64_t limit, Time start) {
  JobView view = with_limit(1, 1, 6);
  view.spec.active_deadline_seconds = limit;
  view.status.start_time = start;
  return view;
}

const Time kStart = time_from_unix(1'800'000'000);
// A start time may stand for an instant that is so much later.
constexpr Duration kRestOfSecond = seconds(1) - nanoseconds(1);

TEST(Deadline, D48_ShorterThanThePodRuns) {
  EngineScenario job(with_deadline(10, kStart - seconds(15)));
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.condition_types(), "FailureTarget");
  EXPECT_EQ(job.reason(kTypeFailureTarget), "DeadlineExceeded");
  EXPECT_EQ(job.message(kTypeFailureTarget), "Job was active longer than specified deadline");
}

TEST(Deadline, D49_BeforeAnyPodStarts) {
  EngineScenario job(with_deadline(10, kStart - seconds(11)));
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
  EXPECT_EQ(job.writes.creates, 0);
}

// A start time stands for any instant of its second: the Job has its time also if that was the last
// one, with or without a restart of the controller.
TEST(Deadline, R2_32_AJobGetsAtLeastItsTime) {
  for (const bool restarts : {false, true}) {
    JobView view = with_limit(1, 1, 6);
    view.spec.active_deadline_seconds = 1;
    EngineScenario job(view);
    job.now += milliseconds(930);
    job.run();
    EXPECT_EQ(job.status().start_time, kStart);
    if (restarts) {
      job.restart_controller();
      job.run();
    }
    job.advance(milliseconds(1069));
    EXPECT_EQ(job.condition_types(), "");
    job.advance(milliseconds(1));
    EXPECT_EQ(job.reason(kTypeFailureTarget), "DeadlineExceeded");
  }
}

// A period of zero is over at once.
TEST(Deadline, R2_32_NoTimeAtAll) {
  EngineScenario job(with_deadline(0, kStart));
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "DeadlineExceeded");
}

TEST(Deadline, D50_BackoffLimitComesFirst) {
  JobView view = with_deadline(10, kStart - seconds(15));
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "BackoffLimitExceeded");
}

TEST(Deadline, D51_D52_SuspendedHasNoneAndResumeStartsAnew) {
  JobView view = with_deadline(10, kStart);
  view.spec.suspend = true;
  EngineScenario job(view);
  job.run();
  job.advance(seconds(60));
  EXPECT_EQ(job.condition_types(), "Suspended");
  job.update_job([](JobView& changed) { changed.spec.suspend = false; });
  job.run();
  EXPECT_EQ(job.status().start_time, job.now);
  job.advance(seconds(10));
  EXPECT_FALSE(job.has(kTypeFailureTarget));
  job.advance(seconds(1));
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Deadline, D53_D55_ChangedOnARunningJob) {
  EngineScenario job(with_deadline(100, kStart));
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(100) + kRestOfSecond);
  job.update_job([](JobView& view) { view.spec.active_deadline_seconds = 50; });
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(50) + kRestOfSecond);
  job.now += seconds(20);
  job.update_job([](JobView& view) { view.spec.active_deadline_seconds = 5; });
  job.run();
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Deadline, D54_EnforcedAfterRestartWithPresetStart) {
  EngineScenario job(with_deadline(100, kStart - seconds(40)));
  job.run();
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(60) + kRestOfSecond);
  EXPECT_TRUE(job.advance_to_wake());
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Suspend, E56_E57_SuspendTakesPodsAway) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(2, Phase::running, true);
  job.run();
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_EQ(job.writes.deletes, 2);
  EXPECT_EQ(job.status().active, 0);
  EXPECT_EQ(job.status().ready, 0);
  EXPECT_EQ(job.status().terminating, 2);
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.reason(kTypeSuspended), "JobSuspended");
  EXPECT_EQ(job.message(kTypeSuspended), "Job suspended");
  EXPECT_FALSE(job.status().start_time);
  EXPECT_EQ(job.count_events("Suspended"), 1);
  job.stop_terminating();
  EXPECT_EQ(job.status().failed, 0);
}

// A client may change the template as soon as it sees the condition: the server asks for active 0
// with it. A pod that cannot be deleted keeps the condition away.
TEST(Suspend, R9_4_TheConditionComesWithActiveZero) {
  for (const Phase phase : {Phase::pending, Phase::running}) {
    for (const int32_t completions : {5, -1}) {
      EngineScenario job(defaulted_job(2, completions));
      job.given(2, phase);
      job.run();
      std::vector<int32_t> active;  // in every status with the condition
      job.on_status = [&active](const StatusWrite& write) {
        if (has_true(write.status, kTypeSuspended)) {
          active.push_back(write.status.active);
        }
        return FakeCluster::WriteFault{};
      };
      job.on_pod_write = [](const PodWrite& write) {
        const bool refused = write.op == PodOp::delete_pod;
        return FakeCluster::WriteFault{refused ? std::optional(WriteError::rejected)
                                               : std::nullopt};
      };
      job.update_job([](JobView& view) { view.spec.suspend = true; });
      job.run();
      EXPECT_EQ(job.condition_types(), "");
      EXPECT_EQ(job.status().active, 2);
      job.on_pod_write = nullptr;
      job.advance(seconds(60));
      EXPECT_THAT(active, ElementsAre(0));
      EXPECT_EQ(job.condition_types(), "Suspended");
    }
  }
}

TEST(Suspend, E59_SuspendAJobBeingDeleted) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(2, Phase::running);
  job.update_job([](JobView& view) { view.spec.suspend = view.deleting = true; });
  job.run();
  EXPECT_EQ(job.writes.deletes, 0);
  EXPECT_EQ(job.writes.releases, 2);
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Suspend, E60_Resume) {
  JobView view = defaulted_job(2, 5);
  view.spec.suspend = true;
  EngineScenario job(view);
  job.run();
  job.now += seconds(30);
  job.update_job([](JobView& changed) { changed.spec.suspend = false; });
  job.run();
  EXPECT_EQ(job.status().active, 2);
  EXPECT_FALSE(job.has(kTypeSuspended));
  EXPECT_EQ(job.status().conditions[0].reason, "JobResumed");
  EXPECT_EQ(job.count_events("Resumed"), 1);
  EXPECT_EQ(job.status().start_time, job.now);
}

TEST(Suspend, E61_CreatedSuspended) {
  JobView view = defaulted_job(2, 5);
  view.spec.suspend = true;
  EngineScenario job(view);
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.condition_types(), "Suspended");
  EXPECT_FALSE(job.status().start_time);
}

TEST(Suspend, E62_NeverSuspendedGetsNoCondition) {
  EngineScenario job(defaulted_job(2, 5));
  job.run();
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Suspend, E63_AcrossRestart) {
  JobView view = defaulted_job(2, 5);
  view.spec.suspend = true;
  EngineScenario job(view);
  job.run();
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.writes.statuses, 1);
}

TEST(Suspend, E64_FlipTwiceKeepsOneCondition) {
  EngineScenario job(defaulted_job(2, 5));
  for (const bool suspend : {true, false, true}) {
    job.update_job([&](JobView& view) { view.spec.suspend = suspend; });
    job.run();
  }
  EXPECT_EQ(job.condition_types(), "Suspended");
  EXPECT_TRUE(job.has(kTypeSuspended));
}

TEST(Suspend, E65_GateOffKeepsTheStartTime) {
  Options options;
  options.gates.clear_start_time_on_suspend = false;
  EngineScenario job(defaulted_job(2, 5), options);
  job.run();
  const auto start = job.status().start_time;
  job.now += seconds(5);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_EQ(job.status().start_time, start);
}

TEST(Suspend, E65_GateOffResumeStartsAnew) {
  Options options;
  options.gates.clear_start_time_on_suspend = false;
  JobView view = defaulted_job(2, 5);
  view.spec.active_deadline_seconds = 10;
  EngineScenario job(view, options);
  job.run();
  job.update_job([](JobView& changed) { changed.spec.suspend = true; });
  job.advance(seconds(30));
  job.update_job([](JobView& changed) { changed.spec.suspend = false; });
  job.run();
  EXPECT_FALSE(job.has(kTypeFailureTarget));  // D1: suspended time is not counted
  EXPECT_EQ(job.status().start_time, job.now);
  job.advance(seconds(9));
  EXPECT_FALSE(job.has(kTypeFailureTarget));
}

TEST(Suspend, N240_10_73_WorkQueueIsSuspendedNotCompleted) {
  EngineScenario job(defaulted_job(2, -1));
  job.given(1, Phase::succeeded);
  const auto running = job.given(1, Phase::running);
  job.run();
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  job.stop_terminating();
  EXPECT_EQ(job.condition_types(), "Suspended");
  EXPECT_EQ(job.status().succeeded, 1);
  // Resumed, it gets workers again: those that were taken away had work left.
  job.update_job([](JobView& view) { view.spec.suspend = false; });
  job.run();
  EXPECT_EQ(job.status().active, 2);
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.status().active, 2);
  for (const std::string& name : job.active_pods()) {
    job.succeed(name);
  }
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().succeeded, 3);
}

TEST(Suspend, N241_10_74_OutcomeWhileSuspendedIsStored) {
  EngineScenario job(with_limit(1, 5, 3));
  job.given(1, Phase::failed);
  job.run();
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_FALSE(job.status().start_time);
  job.update_job([](JobView& view) { view.spec.backoff_limit = 0; });
  job.run();
  EXPECT_EQ(job.condition_types(), "Suspended,FailureTarget,Failed");
  EXPECT_TRUE(job.status().start_time);
}

TEST(Suspend, N241_2_62a_ResumeAfterTheVerdictClearsTheCondition) {
  EngineScenario job(with_limit(1, 5, 3));
  job.given(1, Phase::failed);
  const auto stuck = job.given(1, Phase::running);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  job.update_job([](JobView& view) { view.spec.backoff_limit = 0; });
  job.run();
  EXPECT_EQ(job.condition_types(), "Suspended,FailureTarget");
  job.update_job([](JobView& view) { view.spec.suspend = false; });
  job.run();
  EXPECT_FALSE(job.has(kTypeSuspended));
  job.stop_terminating();
  EXPECT_TRUE(job.has(kTypeFailed));
}

TEST(Suspend, N248_10_79_SuccessInTheGracePeriodCounts) {
  EngineScenario job(defaulted_job(1, 1));
  job.run();
  const std::string name = job.active_pods().front();
  job.run_pod(name);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  job.succeed(name);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().succeeded, 1);
}

TEST(Suspend, N249_FailureTogetherWithSuspend) {
  EngineScenario job(with_limit(1, 1, 0));
  job.given(1, Phase::failed);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
}

TEST(Suspend, N249_LastSuccessTogetherWithSuspend) {
  EngineScenario job(defaulted_job(1, -1));
  job.given(1, Phase::succeeded);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet,Complete");
}

TEST(Suspend, N238_ResumeWithPolicyFailedWaitsForOldPods) {
  JobView view = defaulted_job(2, 5);
  view.spec.replace_only_failed = true;
  EngineScenario job(view);
  const auto names = job.given(2, Phase::running);
  job.update_job([](JobView& changed) { changed.spec.suspend = true; });
  job.run();
  job.update_job([](JobView& changed) { changed.spec.suspend = false; });
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  job.fail(names[0]);
  job.run();
  EXPECT_EQ(job.writes.creates, 1);
}

TEST(Suspend, N251_10_80_RestartsOfVictimsDoNotCount) {
  EngineScenario job(on_failure(2, 3));
  restarted(job, Phase::running, 2);
  const std::string survivor = restarted(job, Phase::running, 0);
  job.update_job([](JobView& view) { view.spec.parallelism = 1; });
  job.run();
  job.update_pod(survivor, [](PodView& pod) { pod.containers[0].restarts = 1; });
  job.run();
  EXPECT_EQ(job.condition_types(), "");
}

}  // namespace
}  // namespace windlass::engine::testing
