// job-controller.md 12: Indexed Jobs that start with some indexes as completed.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

JobView starting_with(JobView job, std::string completed) {
  job.completed_at_start = std::move(completed);
  return job;
}

JobView with_limit_per_index(JobView job, int32_t limit) {
  job.spec.backoff_limit = 2147483647;
  job.spec.backoff_limit_per_index = limit;
  return job;
}

void succeed_all(EngineScenario& job) {
  for (const std::string& name : job.active_pods()) {
    job.succeed(name);
  }
  job.run();
}

TEST(CompletedAtStart, Rule12_2_TheFirstStatusCarriesTheIndexes) {
  EngineScenario job(starting_with(indexed_job(2, 6), "0-2,5"));
  job.step();
  EXPECT_EQ(job.writes.statuses, 1);
  EXPECT_EQ(job.status().completed_indexes, "0-2,5");
  EXPECT_EQ(job.status().succeeded, 4);
  EXPECT_TRUE(job.status().start_time);
  EXPECT_EQ(job.metric(Metric::finished_indexes, "succeeded", "global"), 0);
  EXPECT_EQ(job.metric(Metric::pods_finished, "succeeded"), 0);
}

TEST(CompletedAtStart, Rule12_3_NoPodIsCreatedForThemNorBeforeTheyAreStored) {
  EngineScenario job(starting_with(indexed_job(4, 6), "0-2,5"));
  job.on_status = [&](const StatusWrite&) {
    EXPECT_EQ(job.writes.creates, job.status().completed_indexes.empty() ? 0 : 2);
    return FakeCluster::WriteFault{};
  };
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(3, 4));
  succeed_all(job);
  EXPECT_EQ(job.status().completed_indexes, "0-5");
  EXPECT_EQ(job.status().succeeded, 6);
  EXPECT_EQ(job.reason(kTypeComplete), kReasonCompletions);
}

TEST(CompletedAtStart, Rule12_4_AllIndexesCompleteTheJobAtOnce) {
  EngineScenario job(starting_with(indexed_job(2, 3), "0-2"));
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().succeeded, 3);
  EXPECT_EQ(job.writes.creates, 0);
}

TEST(CompletedAtStart, Rule12_4_TwoThousandMillionIndexesCostWhatTheirTextCosts) {
  EngineScenario job(starting_with(indexed_job(1, 2147483647), "0-2147483645"));
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(2147483646));
  succeed_all(job);
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(CompletedAtStart, Rule12_2_AStatusThatWasRefusedIsWrittenAgain) {
  EngineScenario job(starting_with(indexed_job(2, 3), "0"));
  int refused = 0;
  job.on_status = [&](const StatusWrite&) {
    FakeCluster::WriteFault fault;
    if (refused < 3) {
      fault.error = refused == 0   ? WriteError::rejected
                    : refused == 1 ? WriteError::conflict
                                   : WriteError::unknown;
      ++refused;
    }
    return fault;
  };
  job.run();
  while (job.status().completed_indexes.empty()) {
    EXPECT_EQ(job.writes.creates, 0);
    ASSERT_TRUE(job.advance_to_wake());
  }
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_THAT(job.created_indexes(), ElementsAre(1, 2));
}

TEST(CompletedAtStart, Rule12_2_ACrashBeforeTheFirstStatusChangesNothing) {
  EngineScenario job(starting_with(indexed_job(2, 3), "0"));
  job.on_status = [](const StatusWrite&) { return FakeCluster::WriteFault{WriteError::unknown}; };
  job.step();
  job.restart_controller();
  job.on_status = nullptr;
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_THAT(job.created_indexes(), ElementsAre(1, 2));
}

TEST(CompletedAtStart, Rule12_2_AnEditBeforeTheFirstStatusCounts) {
  EngineScenario job(starting_with(indexed_job(2, 3), "0"));
  job.update_job([](JobView& view) { view.completed_at_start = "1,2"; });
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "1,2");
  EXPECT_THAT(job.created_indexes(), ElementsAre(0));
}

TEST(CompletedAtStart, Rule12_2_AnEditAfterTheFirstStatusChangesNothing) {
  for (const bool restarts : {false, true}) {
    EngineScenario job(starting_with(indexed_job(1, 4), "0"));
    job.run();
    for (const std::optional<std::string>& edited :
         {std::optional<std::string>("0-3"), std::optional<std::string>("nonsense"),
          std::optional<std::string>()}) {
      job.update_job([&](JobView& view) { view.completed_at_start = edited; });
      if (restarts) {
        job.restart_controller();
      }
      job.run();
      EXPECT_EQ(job.status().completed_indexes, "0");
      EXPECT_FALSE(job.has(kTypeComplete));
      EXPECT_FALSE(job.has_event("InvalidCompletedIndexes"));
    }
  }
}

TEST(CompletedAtStart, Rule12_2_AnAnnotationAddedToAJobThatRunsChangesNothing) {
  EngineScenario job(indexed_job(1, 2));
  job.run();
  job.update_job([](JobView& view) { view.completed_at_start = "0,1"; });
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "");
  EXPECT_FALSE(job.has(kTypeComplete));
}

TEST(CompletedAtStart, Rule12_5_AJobWithABadListDoesNotStartAndSaysWhy) {
  for (const std::string bad : {"", "x", "1,0", "0-1", "0,5", "3", "0 ", "-1", "+1", "00"}) {
    EngineScenario job(starting_with(indexed_job(1, 3), bad));
    job.run();
    EXPECT_EQ(job.writes.statuses + job.writes.creates, 0) << bad;
    ASSERT_EQ(job.count_events("InvalidCompletedIndexes"), 1) << bad;
    EXPECT_TRUE(job.events[0].warning);
    job.update_job([](JobView& view) { view.completed_at_start = "1"; });
    job.run();
    EXPECT_THAT(job.created_indexes(), ElementsAre(0)) << bad;
  }
}

TEST(CompletedAtStart, Rule12_5_TheWarningNamesTheReason) {
  EngineScenario job(starting_with(indexed_job(1, 3), "0,5"));
  job.run();
  ASSERT_EQ(job.events.size(), 1u);
  EXPECT_EQ(job.events[0].message,
            "The Job does not start: annotation windlass.dev/completed-indexes too large index: "
            "\"5\"");
}

TEST(CompletedAtStart, Rule12_5_AJobWithoutIndexesDoesNotStart) {
  EngineScenario job(starting_with(defaulted_job(1, 3), "0"));
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.count_events("InvalidCompletedIndexes"), 1);
}

TEST(CompletedAtStart, Rule12_5_ADeletedJobWithABadListGivesItsPodsFree) {
  EngineScenario job(starting_with(indexed_job(1, 3), "9"));
  const std::string pod = job.given_index(0, Phase::succeeded);
  job.update_job([](JobView& view) { view.deleting = true; });
  job.run();
  EXPECT_FALSE(job.stored_pod(pod).has_finalizer);
}

TEST(CompletedAtStart, Rule12_4_TheSuccessPolicyCountsThem) {
  JobView view = starting_with(indexed_job(2, 4), "0,1");
  view.spec.success_policy = {{std::string("1-3"), 2}};
  EngineScenario job(view);
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(2, 3));
  job.succeed(job.active_pods(3)[0]);
  job.run();
  EXPECT_EQ(job.reason(kTypeSuccessCriteriaMet), kReasonSuccessPolicy);
}

TEST(CompletedAtStart, Rule12_4_LimitsPerIndexBeginAnew) {
  EngineScenario job(starting_with(with_limit_per_index(indexed_job(2, 4), 1), "0,1"));
  job.run();
  EXPECT_EQ(annotation(job.plans[0], kIndexFailureCountKey), "0");
  job.succeed(job.active_pods(2)[0]);
  job.fail(job.active_pods(3)[0]);
  job.advance(seconds(30));
  job.fail(job.active_pods(3)[0]);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), kReasonFailedIndexes);
  EXPECT_EQ(job.status().completed_indexes, "0-2");
  EXPECT_EQ(job.status().failed_indexes, "3");
}

TEST(CompletedAtStart, Rule12_6_AnUnsignedRecordPassesOnFailuresOfIndexes) {
  JobView view = starting_with(with_limit_per_index(indexed_job(2, 3), 2), "0");
  view.record = "v1;counts=1:1|2:2";
  EngineScenario job(view);
  job.run();
  ASSERT_THAT(job.created_indexes(), ElementsAre(1, 2));
  EXPECT_EQ(annotation(job.plans[0], kIndexFailureCountKey), "1");
  EXPECT_EQ(annotation(job.plans[1], kIndexFailureCountKey), "2");
  job.fail(job.active_pods(2)[0]);
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "2");
}

TEST(CompletedAtStart, Rule12_4_MaxFailedIndexesCountsOnlyThoseOfThisJob) {
  JobView view = starting_with(with_limit_per_index(indexed_job(2, 4), 0), "0,1");
  view.spec.max_failed_indexes = 0;
  EngineScenario job(view);
  job.run();
  EXPECT_FALSE(job.has(kTypeFailureTarget));
  job.fail(job.active_pods(2)[0]);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailureTarget), kReasonMaxFailedIndexes);
}

TEST(CompletedAtStart, Rule12_2_ASuspendedJobKeepsThemUntilItIsResumed) {
  JobView view = starting_with(indexed_job(2, 3), "1");
  view.spec.suspend = true;
  EngineScenario job(view);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "1");
  EXPECT_TRUE(job.has(kTypeSuspended));
  job.restart_controller();
  job.update_job([](JobView& changed) { changed.spec.suspend = false; });
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 2));
}

TEST(CompletedAtStart, Rule12_4_AnElasticJobForgetsWhatItWasCutTo) {
  EngineScenario job(starting_with(indexed_job(4, 4), "0,3"));
  job.run();
  const auto resize = [&job](int32_t size) {
    job.update_job([size](JobView& view) { view.spec.completions = view.spec.parallelism = size; });
    job.run();
    job.stop_terminating();
  };
  resize(3);
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_EQ(job.status().succeeded, 1);
  resize(4);
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_THAT(job.active_pods(3), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace windlass::engine::testing
