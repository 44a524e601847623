// Scenarios of sections E, M and N, and defects, that are about the engine as a whole: answers that
// are still out, gates that come and go, Jobs that take another's name.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

TEST(Misc, E58_M215_NothingIsDecidedWhileAnAnswerIsOut) {
  JobView view = defaulted_job(3, 3);
  view.rv = 1;
  Engine engine({}, view);
  engine.begin_list();
  engine.end_list();
  const Time now = time_from_unix(1'800'000'000);
  const Decision first = engine.decide(now);
  ASSERT_EQ(first.creates.size(), 1U);
  view.spec.suspend = true;
  view.generation = 2;
  view.rv = 2;
  engine.observe_job(view);
  PodView pod;  // the watch is quicker than the answer
  pod.uid = "00000000-0000-4000-8000-000000000001";
  pod.name = "work-xxxxx";
  pod.rv = 3;
  pod.has_finalizer = true;
  engine.observe_pod(pod);
  EXPECT_FALSE(engine.decide(now).has_writes());
  engine.pod_created(first.creates[0].id, pod);
  if (first.status) {
    engine.status_failed(WriteError::conflict);
  }
  EXPECT_EQ(engine.state().tally().active, 1);
  const Decision next = engine.decide(now);
  EXPECT_TRUE(next.creates.empty());
  ASSERT_EQ(next.pod_writes.size(), 1U);
  EXPECT_EQ(next.pod_writes[0].uid, pod.uid);
}

TEST(Misc, M212_ABurstOfPodEventsIsOneDecision) {
  EngineScenario job(indexed_job(3, 3));
  job.run();
  for (const std::string& name : job.active_pods()) {
    job.run_pod(name, true);
    job.succeed(name);
  }
  const int before = job.writes.statuses;
  job.step();
  EXPECT_EQ(job.writes.statuses, before + 1);
  EXPECT_EQ(job.status().completed_indexes, "0-2");
}

TEST(Misc, M214_ARefusalIsForgottenAfterASuccess) {
  EngineScenario job(defaulted_job(1, 1));
  int refusals = 3;
  job.on_create = [&](const CreatePod&) {
    return refusals-- > 0 ? FakeCluster::WriteFault{WriteError::rejected}
                          : FakeCluster::WriteFault{};
  };
  job.run();
  for (const int wait : {1, 2, 4}) {
    EXPECT_EQ(job.wakes_in(), seconds(wait));
    job.advance_to_wake();
  }
  ASSERT_EQ(job.active_pods().size(), 1U);
  refusals = 1;
  job.fail(job.active_pods().front());
  job.run();
  job.advance(seconds(10));
  EXPECT_EQ(job.wakes_in(), seconds(1)) << "from the shortest wait again";
}

TEST(Misc, M213_R0_2_ConflictsAndLostAnswersInARowAreWaitedFor) {
  for (const WriteError error : {WriteError::conflict, WriteError::unknown}) {
    EngineScenario job(defaulted_job(0, 5));
    job.given(1, Phase::succeeded);
    int tries = 0;
    job.on_status = [&](const StatusWrite&) {
      ++tries;
      return FakeCluster::WriteFault{error};
    };
    job.run();
    EXPECT_EQ(tries, 3);
    EXPECT_EQ(job.wakes_in(), seconds(1));
    job.run();  // for whatever reason
    EXPECT_EQ(tries, 3);
    for (const Duration wait : {seconds(1), seconds(2), seconds(4)}) {
      EXPECT_EQ(job.wakes_in(), wait);
      job.advance_to_wake();
    }
    EXPECT_EQ(tries, 6);
    job.on_status = nullptr;
    job.advance_to_wake();
    EXPECT_EQ(job.status().succeeded, 1);
    // One that is written begins anew.
    job.given(1, Phase::succeeded);
    int later = 0;
    job.on_status = [&](const StatusWrite&) {
      return later++ == 0 ? FakeCluster::WriteFault{error} : FakeCluster::WriteFault{};
    };
    job.run();
    EXPECT_EQ(job.status().succeeded, 2);
  }
}

TEST(Misc, M223_SlowStartCountsWhatWasReallyCreated) {
  EngineScenario job(defaulted_job(20, 20));
  int calls = 0;
  job.on_create = [&](const CreatePod&) {
    return ++calls == 5 ? FakeCluster::WriteFault{WriteError::rejected} : FakeCluster::WriteFault{};
  };
  job.run();
  EXPECT_EQ(job.writes.creates, 6) << "1, 2, and 3 of 4";
  EXPECT_EQ(job.status().active, 6);
  job.advance(seconds(1));
  EXPECT_EQ(job.status().active, 20);
}

TEST(Misc, M221_W3_AJobThatTakesTheNameOfAnotherStartsAnew) {
  EngineScenario job(defaulted_job(1, 1));
  job.run();
  job.fail(job.active_pods().front());
  job.run();
  ASSERT_EQ(job.wakes_in(), seconds(10));
  JobView other = defaulted_job(1, 1);
  other.uid = "7e57ab1e-0000-4000-8000-000000000002";
  other.rv = 1'000;
  job.engine().observe_job(other);
  EXPECT_EQ(job.engine().state().job().uid, job.job().uid) << "news of another Job";
  EngineScenario fresh(other);
  fresh.run();
  EXPECT_EQ(fresh.active_pods().size(), 1U) << "no back-off is inherited";
}

TEST(Misc, R2_10_R8_16_WhatIsASync) {
  const auto is_sync = [](JobView view) {
    EngineScenario job(std::move(view));
    job.step();
    return job.last().is_sync;
  };
  EXPECT_TRUE(is_sync(defaulted_job(1, 1)));
  JobView foreign = defaulted_job(1, 1);
  foreign.spec.managed_by = "example.com/other";
  EXPECT_FALSE(is_sync(foreign));
  JobView odd = defaulted_job(1, 1);
  odd.spec.mode = CompletionMode::unknown;
  EXPECT_FALSE(is_sync(odd));

  EngineScenario finished(defaulted_job(1, 0));
  finished.run();
  ASSERT_TRUE(finished.has(kTypeComplete));
  finished.given(1, Phase::failed);
  EXPECT_TRUE(finished.step());
  EXPECT_EQ(finished.writes.releases, 1);
  EXPECT_FALSE(finished.last().is_sync);
}

TEST(Misc, D10_70_AStatusWithoutUncountedListsIsAsGoodAsEmptyOnes) {
  EngineScenario job(defaulted_job(1, 2));
  job.run();
  job.update_status([](JobStatus& status) { status.uncounted.reset(); });
  job.fail(job.active_pods().front());
  job.run();
  job.update_status([](JobStatus& status) { status.uncounted.reset(); });
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_TRUE(job.status().uncounted.has_value());
}

// Each gate off, on and off again in the middle of a Job that uses all of them: whatever is stored
// stays readable, and the Job ends.
TEST(Misc, N239_EveryGateOffAndOnAndOff) {
  bool Gates::*const gates[] = {&Gates::pod_failure_policy,
                                &Gates::backoff_limit_per_index,
                                &Gates::pod_replacement_policy,
                                &Gates::pod_failure_policy_name,
                                &Gates::success_policy,
                                &Gates::managed_by,
                                &Gates::clear_start_time_on_suspend};
  for (bool Gates::*const gate : gates) {
    JobView view = indexed_job(2, 4);
    view.spec.backoff_limit = 100;
    view.spec.backoff_limit_per_index = 1;
    view.spec.max_failed_indexes = 3;
    view.spec.success_policy = {{std::string("0-3"), std::nullopt}};
    set_policy(view, {on_codes(Action::ignore, {7}), on_codes(Action::fail_index, {3})});
    EngineScenario job(view);
    job.check_oracle = false;  // what was decided under a gate outlives it
    job.run();
    for (const bool on : {false, true, false}) {
      Options options;
      options.gates.*gate = on;
      job.restart_controller(options);
      const auto active = job.active_pods();
      ASSERT_FALSE(active.empty());
      job.run_pod(active.front());
      job.fail(active.front(), on ? 3 : 7);
      job.run();
      job.advance(minutes(11));
    }
    for (int round = 0; round < 20 && !is_finished(job.status()); ++round) {
      for (const std::string& name : job.active_pods()) {
        job.succeed(name);
      }
      job.advance(minutes(11));
    }
    EXPECT_TRUE(is_finished(job.status()));
  }
}

}  // namespace
}  // namespace windlass::engine::testing
