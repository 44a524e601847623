// job-controller.md section 11K: tracking, and what of 11M and 11N concerns deciding.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

using ::testing::UnorderedElementsAre;

FakeCluster::WriteFault refuse() {
  return {WriteError::rejected};
}

std::string given_uid(EngineScenario& job, const std::string& uid, Phase phase) {
  PodView pod = job.pod(phase);
  pod.uid = uid;
  pod.name = uid;
  return job.add_pod(pod);
}

void store_counts(EngineScenario& job, int32_t succeeded, int32_t failed, UncountedPods uncounted) {
  job.update_status([&](JobStatus& status) {
    status.start_time = job.now;
    status.succeeded = succeeded;
    status.failed = failed;
    status.uncounted = std::move(uncounted);
  });
}

TEST(Tracking, K171_NothingChanged) {
  EngineScenario job(defaulted_job(2, 5));
  job.run();
  const auto before = job.writes;
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.writes.statuses, before.statuses);
  EXPECT_EQ(job.writes.creates, before.creates);
}

TEST(Tracking, K172_OnlyActiveChanged) {
  EngineScenario job(defaulted_job(0, 5));
  job.run();
  PodView pod = job.pod(Phase::running);
  pod.has_finalizer = false;
  const std::string name = job.add_pod(pod);
  job.update_job([](JobView& view) { view.spec.parallelism = 1; });
  const int before = job.writes.statuses;
  job.run();
  EXPECT_EQ(job.writes.statuses, before + 1);
  EXPECT_EQ(job.status().active, 1);
}

TEST(Tracking, K173_FinishedMix) {
  EngineScenario job(defaulted_job(2, 10));
  given_uid(job, "a", Phase::succeeded);
  given_uid(job, "b", Phase::failed);
  given_uid(job, "c", Phase::succeeded);
  given_uid(job, "d", Phase::failed);
  given_uid(job, "e", Phase::pending);
  job.delete_pod("e");
  job.given(1, Phase::pending);
  job.given(1, Phase::running);
  job.step();
  EXPECT_THAT(job.status().uncounted->succeeded, UnorderedElementsAre("a", "c"));
  EXPECT_THAT(job.status().uncounted->failed, UnorderedElementsAre("b", "d", "e"));
  EXPECT_EQ(job.status().succeeded, 0);
  job.run();
  EXPECT_EQ(job.writes.releases, 5);
  EXPECT_EQ(job.status().succeeded, 2);
  EXPECT_EQ(job.status().failed, 3);
  EXPECT_THAT(job.status().uncounted->failed, IsEmpty());
}

TEST(Tracking, K174_PastAndNew) {
  EngineScenario job(defaulted_job(0, 20));
  given_uid(job, "a", Phase::succeeded);
  given_uid(job, "b", Phase::failed);
  store_counts(job, 2, 3, {{"a", "e"}, {"b", "f"}});
  given_uid(job, "c", Phase::succeeded);
  given_uid(job, "d", Phase::failed);
  job.step();
  EXPECT_EQ(job.status().succeeded, 3);
  EXPECT_EQ(job.status().failed, 4);
  EXPECT_THAT(job.status().uncounted->succeeded, UnorderedElementsAre("a", "c"));
  job.run();
  EXPECT_EQ(job.status().succeeded, 5);
  EXPECT_EQ(job.status().failed, 6);
}

TEST(Tracking, K175_10_9_StaleNewsAfterOurReleaseDoesNotCountTwice) {
  EngineScenario job(defaulted_job(0, 20));
  const std::string name = job.given(1, Phase::succeeded).front();
  const PodView stale = job.stored_pod(name);
  job.run();
  ASSERT_EQ(job.status().succeeded, 1);
  job.engine().observe_pod(stale);
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.writes.releases, 1);
}

TEST(Tracking, K176_DecisionCountsStoredListedAndNew) {
  EngineScenario job(defaulted_job(1, 4));
  given_uid(job, "a", Phase::succeeded);
  store_counts(job, 2, 0, {{"a"}, {}});
  given_uid(job, "b", Phase::succeeded);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().succeeded, 4);
}

TEST(Tracking, K177_N231_JobBeingDeleted) {
  EngineScenario job(defaulted_job(3, 5));
  job.given(1, Phase::succeeded);
  job.given(1, Phase::failed);
  job.given(1, Phase::running);
  job.given(1, Phase::pending);
  job.update_job([](JobView& view) { view.deleting = true; });
  job.run();
  EXPECT_EQ(job.writes.releases, 4);
  EXPECT_EQ(job.writes.creates + job.writes.deletes, 0);
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().active, 2);
}

TEST(Tracking, K178_FirstStatusWriteFails) {
  EngineScenario job(defaulted_job(0, 5));
  job.given(1, Phase::succeeded);
  job.on_status = [](const StatusWrite&) { return refuse(); };
  job.run();
  EXPECT_EQ(job.writes.releases, 0);
  EXPECT_EQ(job.metric(Metric::pods_finished, "succeeded"), 0);
  EXPECT_EQ(job.wakes_in(), seconds(1));
  job.advance(seconds(1));
  EXPECT_EQ(job.wakes_in(), seconds(2));
  job.on_status = nullptr;
  job.advance(seconds(2));
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.metric(Metric::pods_finished, "succeeded"), 1);
}

TEST(Tracking, K179_AllReleasesFail) {
  EngineScenario job(defaulted_job(0, 5));
  job.given(2, Phase::succeeded);
  job.on_pod_write = [](const PodWrite&) { return refuse(); };
  job.run();
  EXPECT_EQ(job.status().uncounted->succeeded.size(), 2u);
  EXPECT_EQ(job.status().succeeded, 0);
  job.on_pod_write = nullptr;
  job.advance(seconds(1));
  EXPECT_EQ(job.status().succeeded, 2);
}

TEST(Tracking, K180_PartialReleases) {
  EngineScenario job(defaulted_job(0, 5));
  given_uid(job, "a", Phase::succeeded);
  given_uid(job, "c", Phase::succeeded);
  given_uid(job, "d", Phase::failed);
  job.on_pod_write = [](const PodWrite& write) {
    return write.uid == "a" ? FakeCluster::WriteFault{} : refuse();
  };
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_THAT(job.status().uncounted->succeeded, ElementsAre("c"));
  EXPECT_THAT(job.status().uncounted->failed, ElementsAre("d"));
}

TEST(Tracking, K181_IndexedSuccessesNeedOneStatusWrite) {
  EngineScenario job(indexed_job(0, 5));
  for (const int index : {1, 3, 3}) {
    job.given_index(index, Phase::succeeded);
  }
  job.given(1, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "1,3");
  EXPECT_EQ(job.status().succeeded, 2);
  EXPECT_EQ(job.writes.releases, 4);
  EXPECT_EQ(job.writes.statuses, 1);
}

TEST(Tracking, K182_IndexedShrink) {
  JobView view = indexed_job(2, 2);
  view.status.completed_indexes = "3";
  view.status.succeeded = 1;
  EngineScenario job(view);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "");
  EXPECT_EQ(job.status().succeeded, 0);
  EXPECT_EQ(job.metric(Metric::pods_finished, "succeeded"), 0);
}

TEST(Tracking, K183_IndexedFailures) {
  EngineScenario job(indexed_job(0, 5));
  for (const int index : {1, 3, 3}) {
    job.given_index(index, Phase::failed);
  }
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.status().failed, 3);
}

TEST(Tracking, K184_MoreThanTheCap) {
  EngineScenario job(defaulted_job(0, 1000));
  job.check_oracle = false;
  given_uid(job, "b", Phase::failed);
  store_counts(job, 0, 0, {{}, {"a", "b"}});
  job.given(600, Phase::succeeded);
  job.step();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().uncounted->succeeded.size(), 499u);
  job.run();
  EXPECT_EQ(job.status().succeeded, 600);
  EXPECT_EQ(job.status().failed, 2);
}

TEST(Tracking, K185_W11_ManyIndexedSuccessesAtOnceStayBounded) {
  EngineScenario job(indexed_job(5000, 5000));
  job.check_oracle = false;
  for (int i = 0; i < 5000; ++i) {
    job.given_index(i, Phase::succeeded);
  }
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().completed_indexes, "0-4999");
  EXPECT_EQ(job.writes.releases, 5000);
  EXPECT_LE(job.writes.most_at_once, 500);
}

TEST(Tracking, K186_10_72_FlipFromFailedToSucceeded) {
  EngineScenario job(defaulted_job(1, 1));
  given_uid(job, "b", Phase::succeeded);
  store_counts(job, 0, 0, {{}, {"a", "b"}});
  job.run();
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.status().succeeded, 0);
  EXPECT_FALSE(job.has(kTypeSuccessCriteriaMet));
}

TEST(Tracking, K187_K188_TerminatingPodsDelayTheEnd) {
  for (const bool succeeds : {false, true}) {
    JobView view = defaulted_job(1, 1);
    view.spec.backoff_limit = 0;
    view.spec.replace_only_failed = true;
    EngineScenario job(view);
    PodView pod = job.pod(Phase::running);
    pod.has_finalizer = false;
    pod.deletion_time = job.now;
    const std::string stuck = job.add_pod(pod);
    job.given(1, succeeds ? Phase::succeeded : Phase::failed);
    job.run();
    EXPECT_EQ(job.condition_types(), succeeds ? "SuccessCriteriaMet" : "FailureTarget");
    EXPECT_EQ(job.status().succeeded + job.status().failed, 1);
    job.fail(stuck);
    job.run();
    EXPECT_TRUE(job.has(succeeds ? kTypeComplete : kTypeFailed));
  }
}

TEST(Tracking, K189_LifeOfARelease) {
  EngineScenario job(defaulted_job(0, 5));
  const std::string name = job.given(1, Phase::succeeded).front();
  int refused = 0;
  job.on_pod_write = [&](const PodWrite&) {
    return refused++ == 0 ? refuse() : FakeCluster::WriteFault{};
  };
  job.run();
  EXPECT_EQ(job.writes.releases, 0);
  job.delete_pod(name);  // being deleted does not mean released
  EXPECT_TRUE(job.has_pod(name));
  job.advance(seconds(1));
  EXPECT_EQ(job.writes.releases, 1);
  EXPECT_EQ(job.status().succeeded, 1);
}

TEST(Tracking, K190_CrashAfterEveryWriteCountsExactly) {
  for (const bool indexed : {false, true}) {
    for (int crash = 1; crash < 14; ++crash) {
      JobView view = indexed ? indexed_job(3, 3) : defaulted_job(3, 3);
      EngineScenario job(view);
      for (int i = 0; i < 3; ++i) {
        job.given_index(i, Phase::succeeded);
      }
      job.given_index(0, Phase::failed, -1, hours(1));
      for (int n = 0; n < crash; ++n) {
        job.step();
      }
      job.restart_controller();
      job.run();
      EXPECT_EQ(job.status().succeeded, 3) << crash;
      EXPECT_EQ(job.status().failed, 1) << crash;
      EXPECT_TRUE(job.has(kTypeComplete)) << crash;
    }
  }
}

TEST(Tracking, K191_ReleaseNotFound) {
  EngineScenario job(defaulted_job(0, 5));
  job.given(1, Phase::succeeded);
  job.on_pod_write = [](const PodWrite&) { return FakeCluster::WriteFault{WriteError::not_found}; };
  job.check_oracle = false;
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
}

TEST(Tracking, N252_UidsOfVanishedPods) {
  EngineScenario job(defaulted_job(0, 5));
  store_counts(job, 0, 0, {{"x"}, {"y"}});
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_THAT(job.status().uncounted->succeeded, IsEmpty());
}

TEST(Tracking, N245_10_78_PodGivenToAFinishedJobIsReleased) {
  EngineScenario job(defaulted_job(1, 0));
  job.run();
  ASSERT_TRUE(job.has(kTypeComplete));
  const int statuses = job.writes.statuses;
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.writes.releases, 1);
  EXPECT_EQ(job.writes.deletes, 0);
  EXPECT_EQ(job.writes.statuses, statuses);
  EXPECT_TRUE(job.engine().at_rest());
}

TEST(Tracking, L208_MarkedCompleteByHand) {
  EngineScenario job(defaulted_job(1, 1));
  job.run();
  job.update_status([&](JobStatus& status) {
    status.conditions = {
        {std::string(kTypeSuccessCriteriaMet), ConditionStatus::is_true, job.now, job.now, "", ""},
        {std::string(kTypeComplete), ConditionStatus::is_true, job.now, job.now, "", ""}};
    status.active = 0;
    status.completion_time = job.now;
  });
  job.run();
  EXPECT_EQ(job.writes.releases, 1);
}

TEST(Tracking, N232_FinishedJobIsLeftAlone) {
  EngineScenario job(defaulted_job(1, 0));
  job.run();
  const int before = job.writes.statuses;
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.writes.statuses, before);
}

TEST(Tracking, D10_79_OutcomeSeenThenStrippedByAnotherStillCounts) {
  JobView view = defaulted_job(1, 1);
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  job.run();
  const std::string name = job.active_pods().front();
  job.fail(name);
  job.remove_finalizer(name);
  job.delete_pod(name);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_TRUE(job.has(kTypeFailed));
}

TEST(Tracking, R5_27_FinalizerRemovedFromARunningPod) {
  EngineScenario job(defaulted_job(1, 1));
  job.run();
  const std::string name = job.active_pods().front();
  job.remove_finalizer(name);
  job.succeed(name);
  job.run();
  EXPECT_EQ(job.status().succeeded, 0);
  EXPECT_EQ(job.writes.creates, 2);
}

TEST(Backoff, M217_M220_DelaysDoubleUpToTheCap) {
  JobView view = defaulted_job(1, 1);
  view.spec.backoff_limit = 100;
  EngineScenario job(view);
  job.run();
  for (const int expected : {10, 20, 40, 80, 160, 320, 600, 600}) {
    job.fail(job.active_pods().front());
    job.run();
    EXPECT_EQ(job.wakes_in(), seconds(expected));
    job.advance(seconds(expected - 1));
    EXPECT_EQ(job.status().active, 0);
    job.advance(seconds(1));
    EXPECT_EQ(job.status().active, 1);
  }
}

TEST(Backoff, W2_B1_SurvivesARestart) {
  JobView view = defaulted_job(1, 1);
  view.spec.backoff_limit = 100;
  EngineScenario job(view);
  job.run();
  for (const int expected : {10, 20, 40, 80}) {
    job.fail(job.active_pods().front());
    job.run();
    job.restart_controller();
    job.run();
    EXPECT_EQ(job.wakes_in(), seconds(expected));
    job.advance(seconds(expected));
    ASSERT_EQ(job.status().active, 1);
  }
}

TEST(Backoff, M218_7_15_SuccessResetsTheDelay) {
  JobView view = defaulted_job(2, 5);
  view.spec.backoff_limit = 100;
  EngineScenario job(view);
  job.run();
  auto pods = job.active_pods();
  job.fail(pods[0]);
  job.run();
  job.now += seconds(1);
  job.succeed(pods[1]);
  job.run();
  EXPECT_EQ(job.status().active, 2);
}

TEST(Backoff, M224_10_2_RunningPodsStayReportedInBackoff) {
  EngineScenario job(defaulted_job(2, 5));
  job.given(1, Phase::running, true);
  job.run();
  job.fail(job.active_pods().back());
  job.run();
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.status().ready, 1);
  EXPECT_EQ(job.wakes_in(), seconds(10));
}

TEST(Shell, M213_ConflictAsksForTheJobAgain) {
  EngineScenario job(defaulted_job(0, 5));
  job.given(1, Phase::succeeded);
  int n = 0;
  job.on_status = [&](const StatusWrite&) {
    return n++ == 0 ? FakeCluster::WriteFault{WriteError::conflict} : FakeCluster::WriteFault{};
  };
  job.step();
  EXPECT_FALSE(job.engine().busy());
  const Decision next = job.engine().decide(job.now);
  EXPECT_TRUE(next.refresh_job);
  EXPECT_FALSE(next.has_writes());
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
}

TEST(Shell, W8_LostStatusAnswer) {
  for (const bool applied : {false, true}) {
    EngineScenario job(defaulted_job(1, 1));
    job.given(1, Phase::succeeded);
    int n = 0;
    job.on_status = [&](const StatusWrite&) {
      return n++ == 0 ? FakeCluster::WriteFault{WriteError::unknown, applied}
                      : FakeCluster::WriteFault{};
    };
    job.run();
    EXPECT_EQ(job.status().succeeded, 1);
    EXPECT_TRUE(job.has(kTypeComplete));
    EXPECT_EQ(job.metric(Metric::pods_finished, "succeeded"), 1);
  }
}

// Neither does it wait five minutes, as an expectation would.
TEST(Shell, W8_A1_M216_LostCreateAnswerDoesNotMakeDuplicates) {
  for (const bool applied : {false, true}) {
    EngineScenario job(defaulted_job(1, 1));
    int n = 0;
    job.on_create = [&](const CreatePod&) {
      return n++ == 0 ? FakeCluster::WriteFault{WriteError::unknown, applied}
                      : FakeCluster::WriteFault{};
    };
    job.run();
    job.advance(seconds(1));
    EXPECT_EQ(job.writes.creates, 1);
    EXPECT_EQ(job.status().active, 1);
  }
}

TEST(Shell, M222_10_3_NoPodAfterTheEndEvenIfTheJobEventIsLate) {
  EngineScenario job(defaulted_job(1, 1));
  job.run();
  const JobView stale = job.job();
  job.succeed(job.active_pods().front());
  job.run();
  ASSERT_TRUE(job.has(kTypeComplete));
  job.engine().observe_job(stale);
  job.run();
  EXPECT_EQ(job.writes.creates, 1);
}

TEST(Shell, CreateAnswerAfterItsPodIsGone) {
  EngineScenario job(defaulted_job(1, 1));
  job.check_oracle = false;
  const Decision decision = job.engine().decide(job.now);
  ASSERT_EQ(decision.creates.size(), 1u);
  PodView pod = job.pod(Phase::pending);
  pod.uid = "quick";
  pod.name = "quick";
  pod.rv = 500;
  job.engine().observe_pod(pod);
  job.engine().observe_pod_gone(pod.uid);
  job.engine().pod_created(decision.creates[0].id, pod);
  EXPECT_EQ(job.engine().state().tally().active, 0);
}

TEST(Shell, N225_N229_ForeignManagerMeansNoWrites) {
  JobView view = defaulted_job(1, 1);
  view.spec.managed_by = "example.com/other";
  EngineScenario job(view);
  job.given(1, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.writes.rounds, 0);
}

TEST(Shell, N226_N227_OwnManagerOrGateOff) {
  JobView view = defaulted_job(1, 1);
  view.spec.managed_by = "kubernetes.io/job-controller";
  EngineScenario own(view);
  own.run();
  EXPECT_EQ(own.writes.creates, 1);

  view.spec.managed_by = "example.com/other";
  Options options;
  options.gates.managed_by = false;
  EngineScenario off(view, options);
  off.run();
  EXPECT_EQ(off.writes.creates, 1);
  off.succeed(off.active_pods().front());
  off.restart_controller(Options());
  off.run();
  EXPECT_EQ(off.status().succeeded, 0);

  options.gates.managed_by = true;
  options.manager = "example.com/other";
  EngineScenario custom(view, options);
  custom.run();
  EXPECT_EQ(custom.writes.creates, 1);
}

TEST(Shell, N235_W10_10_61_NamespaceTerminating) {
  EngineScenario job(defaulted_job(2, 5));
  job.on_create = [](const CreatePod&) {
    return FakeCluster::WriteFault{WriteError::namespace_terminating};
  };
  job.run();
  EXPECT_FALSE(job.has_event("FailedCreate"));
  EXPECT_EQ(job.status().active, 0);
  job.on_create = nullptr;
  job.advance(seconds(1));
  EXPECT_EQ(job.status().active, 2);
}

TEST(Shell, D10_58_W6_FailedCreationIsNotCountedAsSucceeded) {
  EngineScenario job(defaulted_job(1, 5));
  job.on_create = [](const CreatePod&) { return refuse(); };
  job.run();
  EXPECT_EQ(job.metric(Metric::pods_created, "new", "failed"), 1);
  EXPECT_EQ(job.metric(Metric::pods_created, "new", "succeeded"), 0);
}

TEST(Shell, D10_59_W5_ReadyOfAPodWhoseDeleteFailed) {
  JobView view = defaulted_job(2, 5);
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  job.given(1, Phase::running, true);
  job.given(1, Phase::failed);
  job.on_pod_write = [](const PodWrite& write) {
    return write.op == PodOp::delete_pod ? refuse() : FakeCluster::WriteFault{};
  };
  job.run();
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.status().ready, 1);
}

TEST(Shell, D10_81_FinalEventsAreEssential) {
  EngineScenario job(defaulted_job(1, 0));
  job.run();
  ASSERT_FALSE(job.events.empty());
  EXPECT_EQ(job.events.back().reason, "Completed");
  EXPECT_TRUE(job.events.back().essential);
}

}  // namespace
}  // namespace windlass::engine::testing
