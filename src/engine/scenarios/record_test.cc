// What the Job's record keeps when pods go: the failures of an index (KEP-3850), and the back-off
// of the Job against edits of the annotation.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

JobView limited(int32_t parallelism, int32_t completions, int32_t limit) {
  JobView view = indexed_job(parallelism, completions);
  view.spec.backoff_limit_per_index = limit;
  view.spec.backoff_limit = 2147483647;
  return view;
}

void suspend(EngineScenario& job, bool suspended) {
  job.update_job([&](JobView& view) { view.spec.suspend = suspended; });
  job.run();
}

void set_completions(EngineScenario& job, int32_t completions) {
  job.update_job(
      [&](JobView& view) { view.spec.completions = view.spec.parallelism = completions; });
  job.run();
}

// The pod of an index runs, fails, and its back-off passes.
void fail_index(EngineScenario& job, int64_t index, int32_t exit_code = 1) {
  const std::string pod = job.active_pods(index).at(0);
  job.run_pod(pod);
  job.fail(pod, exit_code);
  job.run();
  job.advance(minutes(10));
}

void run_index(EngineScenario& job, int64_t index) {
  job.run_pod(job.active_pods(index).at(0));
}

std::string carried_count(EngineScenario& job, int64_t index) {
  return job.stored_pod(job.active_pods(index).at(0)).failure_count.value_or("absent");
}

TEST(IndexRecord, KEP3850_SuspensionDoesNotResetTheFailuresOfAnIndex) {
  EngineScenario job(limited(1, 1, 1));
  job.run();
  fail_index(job, 0);
  run_index(job, 0);
  suspend(job, true);
  job.stop_terminating();
  EXPECT_EQ(job.job().record, "v1;counts=1:0");
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.pod_names().size(), 1u) << "the failed pod, let go; no other carries the count";
  suspend(job, false);
  EXPECT_EQ(carried_count(job, 0), "1");
  fail_index(job, 0);
  EXPECT_EQ(job.status().failed_indexes, "0");
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.reason(kTypeFailed), "FailedIndexes");
  EXPECT_EQ(job.job().record, "") << "no longer needed";
}

TEST(IndexRecord, KEP3850_FailSuspendResumeAgainAndAgain) {
  EngineScenario job(limited(1, 1, 3));
  job.run();
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ(carried_count(job, 0), std::to_string(round));
    fail_index(job, 0);
    if (round < 3) {
      run_index(job, 0);
      suspend(job, true);
      job.stop_terminating();
      job.restart_controller();
      suspend(job, false);
    }
  }
  EXPECT_EQ(job.status().failed_indexes, "0");
  EXPECT_EQ(job.status().failed, 4);
}

TEST(IndexRecord, KEP3850_AFailedPodThatWaitsOutItsBackOffCarriesItsCountThroughASuspension) {
  EngineScenario job(limited(1, 1, 1));
  job.run();
  run_index(job, 0);
  job.fail(job.active_pods(0).at(0));
  job.run();
  suspend(job, true);
  EXPECT_EQ(job.job().record, "");
  suspend(job, false);
  EXPECT_EQ(job.wakes_in(), seconds(10));
  job.advance(seconds(10));
  EXPECT_EQ(carried_count(job, 0), "1");
}

TEST(IndexRecord, W1_TheCountIsStoredBeforeThePodIsTakenAway) {
  EngineScenario job(limited(2, 2, 1));
  job.run();
  fail_index(job, 1);
  run_index(job, 0);
  run_index(job, 1);
  // 3.9: the youngest goes first, which is the one with a count.
  job.now += seconds(1);
  job.on_status = [](const StatusWrite&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  job.update_job([](JobView& view) { view.spec.parallelism = 1; });
  job.run();
  EXPECT_EQ(job.writes.drops, 0);
  EXPECT_EQ(job.writes.deletes, 0);
  EXPECT_EQ(job.active_pods().size(), 2u);
  job.restart_controller();
  job.on_status = nullptr;
  job.run();
  EXPECT_EQ(job.job().record, "v1;counts=1:1");
  EXPECT_EQ(job.writes.drops, 1);
  job.stop_terminating();
  job.update_job([](JobView& view) { view.spec.parallelism = 2; });
  job.run();
  EXPECT_EQ(carried_count(job, 1), "1");
}

TEST(IndexRecord, KEP3850_OneWriteForAllCounts) {
  EngineScenario job(limited(3, 3, 2));
  job.run();
  fail_index(job, 0);
  fail_index(job, 2);
  for (const int64_t index : {0, 1, 2}) {
    run_index(job, index);
  }
  job.run();
  const int before = job.writes.statuses;
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.step();
  EXPECT_EQ(job.job().record, "v1;counts=1:0,2");
  EXPECT_EQ(job.writes.statuses, before + 1);
  EXPECT_EQ(job.writes.drops, 1) << "index 1 has no failures to carry";
  job.step();
  EXPECT_EQ(job.writes.drops, 3);
}

TEST(IndexRecord, KEP3850_3_30_AnUnfinishedIndexBeyondTheCompletionsKeepsItsFailures) {
  EngineScenario job(limited(2, 2, 1));
  job.run();
  fail_index(job, 1);
  run_index(job, 1);
  set_completions(job, 1);
  job.stop_terminating();
  EXPECT_EQ(job.job().record, "v1;counts=1:1");
  job.restart_controller();
  set_completions(job, 2);
  EXPECT_EQ(carried_count(job, 1), "1");
  fail_index(job, 1);
  EXPECT_EQ(job.status().failed_indexes, "1");
}

TEST(IndexRecord, KEP3850_3_30_AFailureBeyondTheCompletionsKeepsItsBackOff) {
  EngineScenario job(limited(2, 2, 1));
  job.run();
  run_index(job, 1);
  job.fail(job.active_pods(1).at(0));
  job.run();
  set_completions(job, 1);
  EXPECT_EQ(job.job().record, "v1;counts=1@1800000000000:1");
  EXPECT_EQ(job.writes.releases, 1);
  job.now += seconds(4);
  job.restart_controller();
  set_completions(job, 2);
  EXPECT_THAT(job.active_pods(1), IsEmpty());
  EXPECT_EQ(job.wakes_in(), seconds(6));
  job.advance(seconds(6));
  EXPECT_EQ(carried_count(job, 1), "1");
}

TEST(IndexRecord, R3_30_AFinishedIndexBeyondTheCompletionsBeginsAnew) {
  EngineScenario job(limited(2, 2, 0));
  job.run();
  fail_index(job, 1);
  EXPECT_EQ(job.status().failed_indexes, "1");
  set_completions(job, 1);
  EXPECT_EQ(job.status().failed_indexes, "");
  EXPECT_EQ(job.job().record, "");
  set_completions(job, 2);
  EXPECT_EQ(carried_count(job, 1), "0");
}

TEST(IndexRecord, KEP3850_IgnoredFailuresSurviveToo) {
  JobView view = limited(1, 1, 1);
  set_policy(view, {on_codes(Action::ignore, {3})});
  EngineScenario job(view);
  job.run();
  fail_index(job, 0, 3);
  run_index(job, 0);
  suspend(job, true);
  job.stop_terminating();
  EXPECT_EQ(job.job().record, "v1;counts=0/1:0");
  suspend(job, false);
  EXPECT_EQ(annotation(job.plans.back(), kIndexIgnoredFailureCountKey), "1");
}

// podReplacementPolicy Failed: the next pod of the index waits until the old one has ended.
TEST(IndexRecord, KEP3939_TheCountOutlivesATerminatingPod) {
  JobView view = limited(1, 1, 1);
  view.spec.replace_only_failed = true;
  EngineScenario job(view);
  job.run();
  fail_index(job, 0);
  run_index(job, 0);
  suspend(job, true);
  suspend(job, false);
  EXPECT_THAT(job.active_pods(0), IsEmpty());
  job.restart_controller();
  job.stop_terminating();
  EXPECT_EQ(carried_count(job, 0), "1");
  fail_index(job, 0);
  EXPECT_EQ(job.status().failed_indexes, "0");
}

// A user deletes the pod while it is pending, running, or by force: its finalizer holds it.
TEST(IndexRecord, KEP3850_DeletionByAUserIsAFailureOfTheIndex) {
  EngineScenario job(limited(1, 1, 1));
  job.run();
  fail_index(job, 0);
  job.delete_pod(job.active_pods(0).at(0));
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "0");
  EXPECT_EQ(job.status().failed, 2);
}

TEST(IndexRecord, R10_79_APodThatVanishesWithItsFinalizerLeavesItsCount) {
  EngineScenario job(limited(1, 1, 1));
  job.run();
  fail_index(job, 0);
  const std::string second = job.active_pods(0).at(0);
  job.check_oracle = false;  // only the engine remembers
  job.remove_finalizer(second);
  job.delete_pod(second);
  job.run();
  EXPECT_EQ(carried_count(job, 0), "1");
  fail_index(job, 0);
  EXPECT_EQ(job.status().failed_indexes, "0");
}

TEST(IndexRecord, EntriesGoWhenTheIndexSucceedsOrAnotherPodCarriesThem) {
  EngineScenario job(limited(2, 2, 1));
  job.run();
  fail_index(job, 0);
  fail_index(job, 1);
  run_index(job, 0);
  run_index(job, 1);
  suspend(job, true);
  job.stop_terminating();
  EXPECT_EQ(job.job().record, "v1;counts=1:0-1");
  suspend(job, false);
  run_index(job, 0);
  job.succeed(job.active_pods(0).at(0));
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_EQ(job.job().record, "");
  EXPECT_EQ(carried_count(job, 1), "1");
}

TEST(IndexRecord, KEP3850_AnEditedRecordNeverLowersACount) {
  for (const char* edited : {"", "v1;counts=0/1:0", "v1;counts=9x", "nonsense", ";;;=;"}) {
    SCOPED_TRACE(edited);
    EngineScenario job(limited(1, 1, 2));
    job.run();
    fail_index(job, 0);
    fail_index(job, 0);
    job.edit_record(edited);
    EXPECT_EQ(carried_count(job, 0), "2");
    run_index(job, 0);
    suspend(job, true);
    job.edit_record(edited);
    job.run();
    job.stop_terminating();
    job.edit_record(edited);
    suspend(job, false);
    EXPECT_EQ(carried_count(job, 0), "2");
  }
}

TEST(IndexRecord, KEP3850_ARaisedRecordEndsNoIndexByItself) {
  EngineScenario job(limited(1, 1, 2));
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  job.edit_record("v1;counts=77:0");
  suspend(job, false);
  EXPECT_EQ(carried_count(job, 0), "2");
  EXPECT_EQ(job.status().failed_indexes, "");
}

TEST(IndexRecord, AMalformedRecordIsToldOnce) {
  EngineScenario job(limited(1, 1, 1));
  job.edit_record("v1;counts=1:0-4,oops");
  job.run();
  EXPECT_EQ(job.count_events("JobRecordUnreadable"), 1);
  job.advance(minutes(1));
  EXPECT_EQ(job.count_events("JobRecordUnreadable"), 1);
}

TEST(IndexRecord, AtItsBoundPodsGoAllTheSameAndAnEventSaysSo) {
  const int32_t count = 24'000;
  Options options;
  options.max_pod_writes = 100'000;
  EngineScenario job(limited(count, count, 5), options);
  job.check_oracle = false;  // a recount for each of so many pods takes minutes
  for (int32_t index = 0; index < count; ++index) {
    // Alternating numbers: no two neighbours share a run.
    job.given_index(index, Phase::running, index == count - 1 ? 4 : 1 + index % 2);
  }
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  EXPECT_EQ(job.writes.drops, count);
  EXPECT_TRUE(job.has_event("IndexFailuresForgotten"));
  EXPECT_LE(job.job().record.size(), IndexCounts::kMaxBytes + 100);
  EXPECT_EQ(parse_record(job.job().record).counts.find(count - 1), (IndexFailures{4, 0}));
}

// A server that does not store the annotation must not keep pods from going.
TEST(IndexRecord, AServerThatDropsTheAnnotationDoesNotStopASuspension) {
  EngineScenario job(limited(1, 1, 1));
  job.run();
  fail_index(job, 0);
  run_index(job, 0);
  job.drops_records = true;
  job.check_oracle = false;  // only the engine remembers
  suspend(job, true);
  job.stop_terminating();
  EXPECT_EQ(job.writes.drops, 1);
  EXPECT_TRUE(job.has_event("IndexFailuresForgotten"));
  suspend(job, false);
  EXPECT_EQ(carried_count(job, 0), "1") << "as long as the controller lives";
}

// W2, 7.5: what the annotation lacks comes from memory, and after a restart from the pods.
TEST(BackoffRecord, W2_AnEditOfTheAnnotationNeverShortensADelay) {
  for (const bool restarts : {false, true}) {
    for (const char* edited :
         {"", "v1", "v1;success=1900000000000", "v1;failures=1", "v1;failures=x", "junk"}) {
      SCOPED_TRACE(std::string(edited) + (restarts ? ", restarted" : ""));
      EngineScenario job(defaulted_job(1, 1));
      job.run();
      job.fail(job.active_pods().at(0));
      job.run();
      EXPECT_EQ(job.wakes_in(), seconds(10));
      job.advance(seconds(2));
      job.edit_record(edited);
      if (restarts) {
        job.restart_controller();
      }
      job.run();
      // One more failure that the annotation claims makes it longer.
      const bool longer = edited == std::string("v1;failures=1");
      const Duration left = job.wakes_in().value_or(Duration::zero());
      EXPECT_GE(left, longer ? seconds(18) : seconds(8));
      // Of a pod that ended before the restart only the second is known.
      EXPECT_LT(left, longer ? seconds(19) : seconds(9));
      EXPECT_THAT(job.active_pods(), IsEmpty());
    }
  }
}

TEST(BackoffRecord, W2_EditsKeepTheNumberOfFailures) {
  EngineScenario job(defaulted_job(1, 1));
  job.run();
  for (const int wait : {10, 20, 40}) {
    job.fail(job.active_pods().at(0));
    job.run();
    EXPECT_GE(job.wakes_in(), seconds(wait));
    job.edit_record("");
    job.restart_controller();
    job.run();
    const Duration left = job.wakes_in().value_or(Duration::zero());
    EXPECT_GE(left, seconds(wait));
    EXPECT_LT(left, seconds(wait + 1)) << "counted once, whatever is there of it";
    job.advance(left);
  }
}

TEST(BackoffRecord, R7_7_ASuccessStillEndsTheCount) {
  EngineScenario job(defaulted_job(1, 3));
  job.run();
  job.fail(job.active_pods().at(0));
  job.run();
  job.advance(seconds(10));
  job.succeed(job.active_pods().at(0));
  job.run();
  EXPECT_EQ(job.active_pods().size(), 1u);
  job.now += seconds(1);
  job.edit_record("");
  job.restart_controller();
  job.fail(job.active_pods().at(0));
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(10));
}

}  // namespace
}  // namespace windlass::engine::testing
