// What is counted, and told, when a Job comes to its end (job-controller.md 5.6, 5.7, 5.22).
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

// 2 indexes with limits of their own; done when the first has succeeded.
JobView done_with_index_0() {
  JobView view = indexed_job(2, 2);
  view.spec.backoff_limit_per_index = 5;
  view.spec.backoff_limit = 2147483647;
  view.spec.success_policy = {{std::string("0"), std::nullopt}};
  return view;
}

TEST(Ends, I153_R5_22_DelayedPodIsCountedWhenTheJobSucceeds) {
  for (const bool is_deleted : {false, true}) {
    EngineScenario job(done_with_index_0());
    const std::string failed = job.given_index(1, Phase::failed, 0);
    const std::string other = job.given_index(0, Phase::running, 0);
    if (is_deleted) {
      job.delete_pod(failed);  // as every eviction does
    }
    job.run();
    ASSERT_TRUE(job.stored_pod(failed).has_finalizer);
    EXPECT_EQ(job.status().failed, 0);
    job.succeed(other);
    job.run();
    EXPECT_TRUE(job.has(kTypeComplete));
    EXPECT_EQ(job.status().failed, 1);
    EXPECT_EQ(job.metric(Metric::pods_finished, "failed"), 1);
  }
}

TEST(Ends, R5_22_DelayedPodIsKeptWhenTheVerdictIsNotStored) {
  EngineScenario job(done_with_index_0());
  const std::string failed = job.given_index(1, Phase::failed, 0);
  job.given_index(0, Phase::succeeded, 0);
  job.on_status = [](const StatusWrite&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  job.run();
  EXPECT_TRUE(job.stored_pod(failed).has_finalizer);
  EXPECT_EQ(held_pod(job.engine().state().pods(), 1),
            job.engine().state().find(job.stored_pod(failed).uid));
  job.on_status = nullptr;
  job.advance(minutes(1));
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().failed, 1);
}

// 5.7 against 5.6: what failed before the verdict counts, however much there is of it.
TEST(Ends, R5_6_MoreFailuresThanOneWriteTakesAreCountedBeforeTheVerdict) {
  Options options;
  options.max_uncounted = 2;
  EngineScenario job(defaulted_job(1, 1), options);
  for (const std::string& name : job.given(5, Phase::failed)) {
    job.delete_pod(name);
  }
  job.given(1, Phase::succeeded);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().failed, 5);
}

// The end takes pods away also while the Job itself is being deleted, whichever came first.
TEST(Ends, R2_41a_AFailureOfAJobThatIsBeingDeleted) {
  for (const bool fails_first : {true, false}) {
    JobView view = defaulted_job(2, 5);
    view.spec.backoff_limit = 0;
    EngineScenario job(view);
    job.given(1, Phase::running);
    job.given(1, Phase::failed);
    if (fails_first) {
      job.on_pod_write = [](const PodWrite& write) {
        return write.op == PodOp::delete_pod ? FakeCluster::WriteFault{WriteError::rejected}
                                             : FakeCluster::WriteFault{};
      };
      job.run();
      ASSERT_TRUE(job.has(kTypeFailureTarget));
      job.on_pod_write = nullptr;
    }
    job.update_job([](JobView& changed) { changed.deleting = true; });
    job.advance(minutes(1));
    EXPECT_TRUE(job.has(kTypeFailureTarget));
    EXPECT_EQ(job.writes.deletes, 1);
    EXPECT_THAT(job.active_pods(), IsEmpty());
    job.stop_terminating();
    EXPECT_TRUE(job.has(kTypeFailed));
  }
}

// A pod's end is stored in whole seconds. The back-off counts from when it was seen, in the second
// of the end; from the end of that second, when it was seen later.
TEST(Ends, R7_3_ABackOffIsNeverShorter) {
  for (const bool per_index : {false, true}) {
    for (const Duration seen_after : {milliseconds(300), milliseconds(1300)}) {
      JobView view = indexed_job(1, 1);
      view.spec.backoff_limit_per_index = per_index ? std::optional(3) : std::nullopt;
      EngineScenario job(view);
      job.run();
      const std::string name = job.active_pods().front();
      const Time ended = job.now;
      job.now += seen_after;
      job.update_pod(name, [&](PodView& pod) {
        pod.phase = Phase::failed;
        pod.containers = {job.exited("main-container", 1)};
        pod.containers[0].finished_at = ended;
      });
      job.run();
      const Duration counted = std::min<Duration>(seen_after, seconds(1) - nanoseconds(1));
      EXPECT_EQ(ended + counted + seconds(10), job.now + job.wakes_in().value());
      job.now += milliseconds(10);
      job.update_pod(name, [](PodView&) {});  // seen again, it has not ended later
      job.run();
      EXPECT_EQ(ended + counted + seconds(10), job.now + job.wakes_in().value());
      job.restart_controller();
      job.run();
      // The Job's record tells when it was seen. Per index, a new controller sees it anew.
      const Duration later = per_index && seen_after < seconds(1) ? milliseconds(10) : Duration();
      EXPECT_EQ(ended + counted + later + seconds(10), job.now + job.wakes_in().value());
    }
  }
}

// Pod GC stores Failed first and deletes then; the status tells of no container that ended. The
// replacement waits whether the failure is ignored or counted, for the Job or for its index.
TEST(Ends, R7_3_R7_8_APodThatPodGcEndedIsReplacedAfterTheBackOff) {
  for (const bool ignored : {false, true}) {
    for (const bool per_index : {false, true}) {
      JobView view = indexed_job(1, 1);
      view.spec.backoff_limit_per_index = per_index ? std::optional(3) : std::nullopt;
      if (ignored) {
        set_policy(view, {on_condition(Action::ignore, "DisruptionTarget")});
      }
      EngineScenario job(view);
      job.run();
      const std::string name = job.active_pods().front();
      job.run_pod(name, true);
      job.advance(hours(1));
      job.update_pod(name, [&](PodView& pod) {
        pod.phase = Phase::failed;
        pod.conditions.push_back({"DisruptionTarget", ConditionStatus::is_true, job.now});
      });
      job.run();
      EXPECT_EQ(job.writes.creates, 1);
      job.update_pod(name, [&](PodView& pod) { pod.deletion_time = job.now; });
      job.run();
      EXPECT_EQ(job.writes.creates, 1);
      EXPECT_EQ(job.wakes_in(), seconds(10));
      job.advance(seconds(10));
      EXPECT_EQ(job.writes.creates, 2);
      EXPECT_EQ(job.status().failed, ignored ? 0 : 1);
    }
  }
}

// 0.2: what is answered with success and not kept is refused, however many pods end meanwhile.
TEST(Ends, R0_2_AStatusThatIsNotKeptIsTriedEverMoreSlowly) {
  for (const bool suspends : {false, true}) {
    EngineScenario job(defaulted_job(2, -1));
    job.given(2, Phase::running);
    job.run();
    int tries = 0;
    job.on_status = [&tries](const StatusWrite&) {
      ++tries;
      FakeCluster::WriteFault fault;
      fault.forgotten = true;
      return fault;
    };
    if (suspends) {
      // Of this write nothing but the record differs from what is stored.
      job.update_job([](JobView& view) { view.spec.suspend = true; });
    } else {
      job.succeed(job.active_pods().front());
    }
    job.run();
    EXPECT_EQ(tries, 1);
    EXPECT_EQ(job.wakes_in(), seconds(1));
    job.advance(seconds(1));
    job.advance(seconds(2));
    EXPECT_EQ(tries, 3);
    EXPECT_EQ(job.wakes_in(), seconds(4));
    EXPECT_EQ(job.writes.releases + job.writes.drops, 0);  // nothing is built on what is not stored
    job.on_status = nullptr;
    job.advance(seconds(4));
    EXPECT_EQ(job.condition_types(), suspends ? "Suspended" : "");
    EXPECT_EQ(job.status().succeeded, suspends ? 0 : 1);
  }
}

// 0.2: a status that is stored and then taken back is refused, too, whatever its answer said.
TEST(Ends, R0_2_AStatusThatIsUndoneLaterIsTriedEverMoreSlowly) {
  EngineScenario job(defaulted_job(1, 1));
  job.given(1, Phase::running);
  job.run();
  int tries = 0;
  job.on_status = [&tries](const StatusWrite&) {
    ++tries;
    FakeCluster::WriteFault fault;
    fault.undone = true;
    return fault;
  };
  job.succeed(job.active_pods().front());
  job.run();
  EXPECT_EQ(tries, 2) << "the first time may be a user's edit";
  EXPECT_EQ(job.wakes_in(), seconds(1));
  EXPECT_EQ(job.count_events(kReasonStatusRefused), 1);
  job.advance(seconds(1));
  job.advance(seconds(2));
  EXPECT_EQ(tries, 4);
  EXPECT_EQ(job.wakes_in(), seconds(4));
  EXPECT_EQ(job.writes.releases, 0);
  job.on_status = nullptr;
  job.advance(seconds(4));
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_TRUE(job.has(kTypeComplete));
}

}  // namespace
}  // namespace windlass::engine::testing
