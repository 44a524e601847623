// job-controller.md sections 11A, 11B: scaling and completion.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

TEST(Scaling, A1_JobStart) {
  EngineScenario job(defaulted_job(2, 5));
  job.run();
  EXPECT_EQ(job.writes.creates, 2);
  EXPECT_EQ(job.status().active, 2);
  EXPECT_EQ(job.status().ready, 0);
  EXPECT_EQ(job.status().terminating, 0);
  EXPECT_TRUE(job.status().start_time);
}

TEST(Scaling, A2_WorkQueueStart) {
  EngineScenario job(defaulted_job(2, -1));
  job.run();
  EXPECT_EQ(job.writes.creates, 2);
}

TEST(Scaling, A3_PendingPodsAreActive) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(2, Phase::pending);
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.status().active, 2);
}

TEST(Scaling, A4_CorrectNumberAndReady) {
  EngineScenario job(defaulted_job(3, 5));
  job.given(2, Phase::running, true);
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.status().active, 3);
  EXPECT_EQ(job.status().ready, 2);
}

TEST(Scaling, A5_TooFewActive) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(1, Phase::running);
  job.given(1, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.writes.creates, 1);
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.writes.releases, 1);
}

TEST(Scaling, A6_CreateErrorIsRetriedAfterAWait) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(1, Phase::running);
  job.on_create = [](const CreatePod&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  job.run();
  EXPECT_EQ(job.writes.create_calls, 1);
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.wakes_in(), seconds(1));
  EXPECT_TRUE(job.has_event("FailedCreate"));
  job.on_create = nullptr;
  job.advance(seconds(1));
  EXPECT_EQ(job.status().active, 2);
}

TEST(Scaling, A7_WorkQueueTooFew) {
  EngineScenario job(defaulted_job(2, -1));
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.writes.creates, 1);
}

TEST(Scaling, A8_TooManyActive) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(3, Phase::running);
  job.run();
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_EQ(job.writes.drops, 1);
  EXPECT_EQ(job.status().active, 2);
  EXPECT_EQ(job.status().terminating, 1);
  EXPECT_EQ(job.status().failed, 0);
  job.stop_terminating();
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.status().terminating, 0);
}

TEST(Scaling, A9_PatchErrorMeansNoDelete) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(3, Phase::running);
  job.on_pod_write = [](const PodWrite&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  job.run();
  EXPECT_EQ(job.writes.deletes, 0);
  EXPECT_EQ(job.status().active, 3);
  EXPECT_EQ(job.wakes_in(), seconds(1));
}

TEST(Scaling, A10_ReadyCountedOnScaleDown) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(3, Phase::running, true);
  job.run();
  EXPECT_EQ(job.status().ready, 2);
}

TEST(Scaling, A11_MoreActiveThanParallelism) {
  EngineScenario job(defaulted_job(2, 20));
  job.given(10, Phase::running);
  job.run();
  EXPECT_EQ(job.writes.deletes, 8);
  EXPECT_EQ(job.status().active, 2);
}

TEST(Scaling, A12_MoreActiveThanRemainingCompletions) {
  EngineScenario job(defaulted_job(3, 4));
  job.given(3, Phase::running);
  job.given(2, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_EQ(job.status().active, 2);
}

TEST(Scaling, A13_LimitedPodsStartSlowly) {
  EngineScenario job(defaulted_job(100, 200));
  job.on_create = [&job](const CreatePod&) {
    return FakeCluster::WriteFault{job.writes.creates >= 10 ? std::optional(WriteError::rejected)
                                                            : std::nullopt};
  };
  job.run();
  EXPECT_EQ(job.status().active, 10);
  EXPECT_EQ(job.writes.create_calls, 15);
  job.advance(seconds(1));
  EXPECT_EQ(job.writes.create_calls, 16);
  EXPECT_EQ(job.wakes_in(), seconds(2));
}

TEST(Scaling, A14_StatusChangeOnly) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(2, Phase::running);
  job.given(2, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.status().succeeded, 2);
  EXPECT_EQ(job.writes.releases, 2);
  EXPECT_EQ(job.writes.creates, 0);
}

TEST(Scaling, A15_NeverMoreThan500CreatesAtOnce) {
  EngineScenario job(defaulted_job(1300, 1300));
  job.run();
  EXPECT_EQ(job.writes.creates, 1300);
  EXPECT_LE(job.writes.most_at_once, 500);
}

TEST(Scaling, A16_NeverMoreThan500DeletesAtOnce) {
  EngineScenario job(defaulted_job(600, 2000));
  job.given(600, Phase::running);
  job.run();
  job.update_job([](JobView& view) { view.spec.parallelism = 0; });
  job.run();
  EXPECT_EQ(job.writes.deletes, 600);
  EXPECT_LE(job.writes.most_at_once, 500);
}

TEST(Scaling, A17_W7_SuspendWith600ActiveIsBounded) {
  EngineScenario job(defaulted_job(600, 2000));
  job.given(600, Phase::running);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_EQ(job.writes.deletes, 600);
  EXPECT_LE(job.writes.most_at_once, 500);
  EXPECT_EQ(job.status().active, 0);
  EXPECT_EQ(job.status().terminating, 600);
}

TEST(Scaling, A18_ParallelismZero) {
  EngineScenario job(defaulted_job(0, 5));
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Scaling, A19_ParallelismUpAndDown) {
  EngineScenario job(defaulted_job(2, 20));
  job.run();
  job.update_job([](JobView& view) { view.spec.parallelism = 5; });
  job.run();
  EXPECT_EQ(job.status().active, 5);
  for (const std::string& name : job.active_pods()) {
    job.run_pod(name);
  }
  job.update_job([](JobView& view) { view.spec.parallelism = 1; });
  job.run();
  EXPECT_EQ(job.status().active, 1);
  job.stop_terminating();
  EXPECT_EQ(job.status().failed, 0);
}

TEST(Scaling, A20_DeletionBeatsCreation) {
  EngineScenario job(indexed_job(3, 3));
  job.given_index(0, Phase::running);
  job.given_index(0, Phase::running);
  while (job.step()) {
    const bool removes = !job.last().pod_writes.empty();
    EXPECT_FALSE(removes && !job.last().creates.empty());
  }
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_THAT(job.created_indexes(), ElementsAre(1, 2));
}

TEST(Scaling, A20_NoCreationWhileARemovalWaitsForItsRetry) {
  EngineScenario job(indexed_job(3, 3));
  job.given_index(0, Phase::running);
  job.given_index(0, Phase::running);
  job.on_pod_write = [](const PodWrite&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  job.run();
  EXPECT_THAT(job.created_indexes(), IsEmpty());
  job.on_pod_write = nullptr;
  job.advance(seconds(1));
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_THAT(job.created_indexes(), ElementsAre(1, 2));
}

// A victim that was thought to be unscheduled runs by now: it must not lose its finalizer unseen.
TEST(Scaling, D10_79_AVictimThatWasBoundMeanwhileStaysTracked) {
  EngineScenario job(defaulted_job(1, 5));
  job.run();
  const std::string name = job.active_pods().front();
  job.on_pod_write = [&](const PodWrite&) {
    job.on_pod_write = nullptr;
    job.run_pod(name);
    return FakeCluster::WriteFault{};
  };
  job.update_job([](JobView& view) { view.spec.parallelism = 0; });
  job.run();
  job.advance(seconds(1));  // after the conflict
  EXPECT_EQ(job.writes.releases, 0);
  EXPECT_EQ(job.writes.drops, 1);
  job.succeed(name);
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
}

TEST(Scaling, UnscheduledVictimsAreReleasedSoThatTheyGoAtOnce) {
  EngineScenario job(defaulted_job(2, 5));
  job.run();
  job.update_job([](JobView& view) { view.spec.parallelism = 0; });
  job.run();
  EXPECT_EQ(job.writes.drops, 0);
  EXPECT_EQ(job.writes.releases, 2);
  EXPECT_EQ(job.writes.deletes, 2);
  EXPECT_EQ(job.status().terminating, 0);
  EXPECT_THAT(job.pod_names(), IsEmpty());
}

TEST(Scaling, W9_VictimsFollowATotalOrder) {
  EngineScenario job(defaulted_job(1, 5));
  const auto names = job.given(3, Phase::running);
  job.run();
  // All equal but for the UID: the lowest go first.
  EXPECT_FALSE(job.stored_pod(names[2]).deletion_time);
}

TEST(Completion, B21_JobFinish) {
  EngineScenario job(defaulted_job(5, 5));
  job.given(5, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet,Complete");
  EXPECT_EQ(job.reason(kTypeComplete), "CompletionsReached");
  EXPECT_EQ(job.message(kTypeComplete), "Reached expected number of succeeded pods");
  EXPECT_TRUE(job.status().completion_time);
  EXPECT_EQ(job.status().succeeded, 5);
  EXPECT_EQ(job.writes.releases, 5);
  EXPECT_EQ(job.writes.statuses, 2);
  EXPECT_EQ(job.count_events("Completed"), 1);
  EXPECT_EQ(job.metric(Metric::jobs_finished, "succeeded", "CompletionsReached"), 1);
  EXPECT_EQ(job.metric(Metric::pods_finished, "succeeded"), 5);
}

TEST(Completion, B22_WorkQueueFinishing) {
  EngineScenario job(defaulted_job(2, -1));
  job.given(1, Phase::succeeded);
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Completion, B23_WorkQueueAllFinished) {
  EngineScenario job(defaulted_job(2, -1));
  job.given(2, Phase::succeeded);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(Completion, B24_WorkQueueFinishedDespiteAFailure) {
  EngineScenario job(defaulted_job(2, -1));
  job.given(1, Phase::succeeded);
  job.given(1, Phase::failed);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().failed, 1);
}

TEST(Completion, B25_ZeroCompletions) {
  EngineScenario job(defaulted_job(1, 0));
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.writes.creates, 0);
}

TEST(Completion, B26_SuspendedWithZeroCompletions) {
  JobView view = defaulted_job(1, 0);
  view.spec.suspend = true;
  EngineScenario job(view);
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet,Complete");
  EXPECT_FALSE(job.status().start_time);
  EXPECT_FALSE(job.has_event("Suspended"));
}

TEST(Completion, B27_FailureSurvivesARestartMidway) {
  JobView view = defaulted_job(10, 10);
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  job.given(1, Phase::failed);
  job.given(9, Phase::succeeded);
  job.step();
  job.restart_controller();
  job.run();
  EXPECT_TRUE(job.has(kTypeFailed));
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().succeeded, 9);
}

TEST(Completion, B28_FailureWinsOverCompletionInOneSync) {
  JobView view = defaulted_job(2, 2);
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  job.given(2, Phase::succeeded);
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "BackoffLimitExceeded");
}

TEST(Completion, B29_CompleteWaitsForAStuckTerminatingPod) {
  EngineScenario job(indexed_job(2, 2));
  const std::string done = job.given_index(0, Phase::succeeded);
  const std::string stuck = job.given_index(1, Phase::running);
  job.delete_pod(stuck);
  job.update_job([](JobView& view) { view.spec.parallelism = *(view.spec.completions = 1); });
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet");
  job.fail(stuck);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(Completion, B30_TooManySucceededPods) {
  EngineScenario job(defaulted_job(1, 1));
  job.given(2, Phase::succeeded);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_TRUE(job.has_event("TooManySucceededPods"));
}

TEST(Completion, RunningPodsBeyondCompletionsAreTakenAwayUncounted) {
  EngineScenario job(defaulted_job(2, 1));
  job.given(1, Phase::succeeded);
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet");
  EXPECT_EQ(job.status().terminating, 1);
  job.stop_terminating();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().failed, 0);
}

}  // namespace
}  // namespace windlass::engine::testing
