// job-controller.md sections 11F, 11G: Indexed Jobs and podReplacementPolicy.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

TEST(Indexed, F66_Start) {
  EngineScenario job(indexed_job(2, 5));
  job.run();
  ASSERT_THAT(job.created_indexes(), ElementsAre(0, 1));
  const PodPlan& plan = job.plans[1];
  EXPECT_EQ(plan.generate_name, "work-1-");
  EXPECT_EQ(plan.hostname, "work-1");
  EXPECT_TRUE(plan.add_index_env);
  EXPECT_EQ(annotation(plan, kCompletionIndexKey), "1");
  EXPECT_EQ(annotation(plan, kIndexFailureCountKey), "absent");
  ASSERT_EQ(plan.labels.size(), 1u);
  EXPECT_EQ(plan.labels[0], std::pair(kCompletionIndexKey, std::string("1")));
}

TEST(Indexed, F67_CompletedWithARepeatedFailure) {
  EngineScenario job(indexed_job(3, 3));
  for (int i = 0; i < 3; ++i) {
    job.given_index(i, Phase::succeeded);
  }
  job.given_index(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0-2");
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(Indexed, F68_RepeatedCompletedIndexCountsOnce) {
  EngineScenario job(indexed_job(3, 3));
  job.given_index(0, Phase::succeeded);
  job.given_index(1, Phase::succeeded);
  job.given_index(1, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.status().succeeded, 2);
  EXPECT_EQ(job.status().completed_indexes, "0,1");
  EXPECT_THAT(job.created_indexes(), ElementsAre(2));
}

TEST(Indexed, F69_Mixed) {
  EngineScenario job(indexed_job(8, 20));
  job.given_index(0, Phase::running);
  job.given_index(3, Phase::pending);
  for (const int i : {2, 4, 5, 7, 8, 9}) {
    job.given_index(i, Phase::succeeded);
  }
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(1, 6, 10, 11, 12, 13));
  EXPECT_EQ(job.status().completed_indexes, "2,4,5,7-9");
}

TEST(Indexed, F70_FailedPodsAreReplaced) {
  EngineScenario job(indexed_job(3, 3));
  job.given_index(0, Phase::failed, -1, minutes(30));
  job.given_index(2, Phase::failed, -1, minutes(30));
  job.given_index(1, Phase::pending);
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 2));
}

TEST(Indexed, F71_PodsWithoutIndex) {
  EngineScenario job(indexed_job(1, 3));
  const auto active = job.given(1, Phase::running);
  job.given(1, Phase::succeeded);
  job.given(1, Phase::failed);
  job.run();
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_EQ(job.writes.releases, 3);
  EXPECT_EQ(job.status().succeeded, 0);
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_THAT(job.created_indexes(), ElementsAre(0));
}

TEST(Indexed, F72_OfDuplicatesTheLowerRankedGoes) {
  EngineScenario job(indexed_job(2, 2));
  const std::string running = job.given_index(0, Phase::running);
  const std::string pending = job.given_index(0, Phase::pending);
  job.given_index(1, Phase::running);
  job.run();
  EXPECT_FALSE(job.stored_pod(running).deletion_time);
  EXPECT_FALSE(job.has_pod(pending));
  EXPECT_EQ(job.writes.creates, 0);
}

TEST(Indexed, F73_OutOfRange) {
  EngineScenario job(indexed_job(5, 5));
  job.given_index(5, Phase::succeeded);
  job.given_index(6, Phase::failed);
  job.given_index(7, Phase::running);
  job.given_index(8, Phase::pending);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "");
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.writes.deletes, 2);
  EXPECT_EQ(job.writes.releases, 4);
  EXPECT_EQ(job.status().active, 5);
}

TEST(Indexed, F77_CorruptedIntervalInStatusIsIgnored) {
  JobView view = indexed_job(5, 5);
  view.status.completed_indexes = "0,5-3,x,1-x-2,2";
  view.status.succeeded = 2;
  EngineScenario job(view);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0,2");
  EXPECT_THAT(job.created_indexes(), ElementsAre(1, 3, 4));
}

TEST(Indexed, F78_StatusIntervalPartlyOutOfRangeIsCut) {
  JobView view = indexed_job(3, 3);
  view.status.completed_indexes = "1-7,9";
  EngineScenario job(view);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "1,2");
}

void resize(EngineScenario& job, int32_t size) {
  job.update_job([&](JobView& view) { view.spec.parallelism = *(view.spec.completions = size); });
  job.run();
}

TEST(Indexed, F79_ElasticUp) {
  EngineScenario job(indexed_job(3, 3));
  job.run();
  resize(job, 4);
  for (const std::string& name : job.active_pods()) {
    job.succeed(name);
  }
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0-3");
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(Indexed, F80_ElasticDown) {
  EngineScenario job(indexed_job(3, 3));
  job.run();
  job.succeed(job.active_pods(1).front());
  job.fail(job.active_pods(2).front());
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  resize(job, 1);
  EXPECT_EQ(job.status().completed_indexes, "");
  job.succeed(job.active_pods(0).front());
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(Indexed, F81_DownThenUpRunsTheIndexAgain) {
  EngineScenario job(indexed_job(3, 3));
  job.run();
  job.succeed(job.active_pods(2).front());
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "2");
  resize(job, 2);
  EXPECT_EQ(job.status().completed_indexes, "");
  EXPECT_EQ(job.status().succeeded, 0);
  resize(job, 3);
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 1, 2, 2));
}

TEST(Indexed, F82_ScaleToZero) {
  EngineScenario job(indexed_job(3, 3));
  job.run();
  resize(job, 0);
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().active, 0);
}

TEST(Indexed, F84_UnknownCompletionMode) {
  JobView view = defaulted_job(1, 1);
  view.spec.mode = CompletionMode::unknown;
  EngineScenario job(view);
  job.run();
  job.step();
  EXPECT_EQ(job.writes.creates + job.writes.statuses, 0);
  EXPECT_EQ(job.count_events("UnknownCompletionMode"), 1);
}

TEST(Indexed, N244_10_77_RedundantPodOfASucceededIndexGoesFirst) {
  EngineScenario job(indexed_job(2, 2));
  job.given_index(0, Phase::succeeded);
  const std::string redundant = job.given_index(0, Phase::running);
  const std::string needed = job.given_index(1, Phase::pending);
  job.run();
  EXPECT_TRUE(job.stored_pod(redundant).deletion_time);
  EXPECT_FALSE(job.stored_pod(needed).deletion_time);
}

TEST(Indexed, N243_10_76_CompletionsRaisedAfterTheVerdict) {
  EngineScenario job(indexed_job(2, 2));
  job.given_index(0, Phase::succeeded);
  const std::string stuck = job.given_index(1, Phase::running);
  job.delete_pod(stuck);
  resize(job, 1);
  EXPECT_TRUE(job.has(kTypeSuccessCriteriaMet));
  resize(job, 4);
  job.fail(stuck);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().succeeded, 1);
}

JobView replacing_failed_only(JobView view) {
  view.spec.replace_only_failed = true;
  return view;
}

std::string given_terminating(EngineScenario& job) {
  const std::string name = job.given(1, Phase::running).front();
  job.delete_pod(name);
  return name;
}

TEST(Replacement, G85_FailedPolicyIndexedTerminatingWithoutIndex) {
  EngineScenario job(replacing_failed_only(indexed_job(2, 2)));
  given_terminating(job);
  job.run();
  EXPECT_EQ(job.writes.creates, 1);
}

TEST(Replacement, G86_TerminatingOrFailedSame) {
  EngineScenario job(indexed_job(2, 2));
  given_terminating(job);
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 1));
  EXPECT_EQ(job.writes.releases, 1);
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.status().terminating, 1);
}

TEST(Replacement, G87_G88_MoreTerminatingThanWanted) {
  for (const bool policy : {false, true}) {
    JobView view = replacing_failed_only(defaulted_job(1, 5));
    if (policy) {
      set_policy(view, {});
    }
    EngineScenario job(view);
    for (int i = 0; i < 4; ++i) {
      given_terminating(job);
    }
    job.given(2, Phase::running);
    job.run();
    EXPECT_EQ(job.writes.deletes, 1);
    EXPECT_EQ(job.status().terminating, 5);
    EXPECT_EQ(job.writes.creates, 0);
  }
}

TEST(Replacement, G90_DeleteAllUnderFailedPolicy) {
  EngineScenario job(replacing_failed_only(defaulted_job(2, 5)));
  job.run();
  for (const std::string& name : job.active_pods()) {
    job.run_pod(name);
    job.delete_pod(name);
  }
  job.run();
  EXPECT_EQ(job.status().active, 0);
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.status().terminating, 2);
  job.stop_terminating();
  EXPECT_TRUE(job.advance_to_wake());
  EXPECT_EQ(job.status().active, 2);
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.metric(Metric::pods_created, "recreate_failed", "succeeded"), 2);
}

TEST(Replacement, G89_G91_DeleteAllUnderTerminatingOrFailed) {
  EngineScenario job(defaulted_job(2, 5));
  job.run();
  for (const std::string& name : job.active_pods()) {
    job.run_pod(name);
    job.delete_pod(name);
  }
  job.run();
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.status().terminating, 2);
  EXPECT_TRUE(job.advance_to_wake());
  EXPECT_EQ(job.status().active, 2);
  EXPECT_EQ(job.metric(Metric::pods_created, "recreate_terminating_or_failed", "succeeded"), 2);
  job.stop_terminating();
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.status().terminating, 0);
}

TEST(Replacement, G92_TerminatingEndsSucceededUnderFailedPolicy) {
  EngineScenario job(replacing_failed_only(defaulted_job(1, 1)));
  const std::string name = given_terminating(job);
  job.run();
  job.succeed(name);
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(Replacement, G93_CountedAsTerminatingStaysFailed) {
  EngineScenario job(defaulted_job(1, 2));
  const std::string name = given_terminating(job);
  job.step();  // its UID is stored
  job.succeed(name);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().succeeded, 0);
}

TEST(Replacement, G94_OnlyTheTerminatingCountChanges) {
  EngineScenario job(replacing_failed_only(defaulted_job(0, 5)));
  const std::string name = job.add_pod([&] {
    PodView pod = job.pod(Phase::running);
    pod.has_finalizer = false;
    pod.deletion_time = job.now;
    return pod;
  }());
  job.run();
  EXPECT_EQ(job.status().terminating, 1);
  const int before = job.writes.statuses;
  job.fail(name);
  job.run();
  EXPECT_EQ(job.status().terminating, 0);
  EXPECT_EQ(job.writes.statuses, before + 1);
}

TEST(Replacement, N246_UnscheduledPodDeletedUnderFailedPolicy) {
  EngineScenario job(replacing_failed_only(defaulted_job(1, 1)));
  job.run();
  const std::string name = job.active_pods().front();
  job.delete_pod(name);
  job.run();
  EXPECT_EQ(job.status().terminating, 1);
  EXPECT_EQ(job.writes.creates, 1);
  job.update_pod(name, [](PodView& pod) { pod.phase = Phase::failed; });  // pod garbage collector
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_TRUE(job.advance_to_wake());
  EXPECT_EQ(job.writes.creates, 2);
}

}  // namespace
}  // namespace windlass::engine::testing
