// Pods that scale-down and suspension take away: what their end says, and what it does not
// (job-controller.md 10.73, 10.75, 10.79).
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

void set_parallelism(EngineScenario& job, int32_t parallelism) {
  job.update_job([parallelism](JobView& view) { view.spec.parallelism = parallelism; });
  job.run();
}

void set_suspended(EngineScenario& job, bool suspended) {
  job.update_job([suspended](JobView& view) { view.spec.suspend = suspended; });
  job.run();
}

void restart_if(EngineScenario& job, bool restarts) {
  if (restarts) {
    job.restart_controller();
  }
  job.run();
}

// Every worker that runs is done: now the queue is empty.
void finish_queue(EngineScenario& job) {
  for (const std::string& name : job.active_pods()) {
    job.succeed(name);
  }
  job.run();
}

TEST(Victims, N240_R2_47_AWorkQueueThatIsPausedIsNotCompleted) {
  for (const bool restarts : {false, true}) {
    EngineScenario job(defaulted_job(2, -1));
    const auto workers = job.given(2, Phase::running);
    set_parallelism(job, 0);
    job.succeed(workers[0]);
    restart_if(job, restarts);
    job.fail(workers[1], 143);
    restart_if(job, restarts);
    EXPECT_EQ(job.status().succeeded, 1);
    EXPECT_EQ(job.status().active, 0);
    EXPECT_EQ(job.condition_types(), "");
    set_parallelism(job, 2);
    EXPECT_EQ(job.status().active, 2);
    finish_queue(job);
    EXPECT_TRUE(job.has(kTypeComplete));
    EXPECT_EQ(job.status().succeeded, 3);
  }
}

TEST(Victims, N240_R3_3_AWorkerIsReplacedAlthoughVictimsExitedWithZero) {
  for (const bool restarts : {false, true}) {
    EngineScenario job(defaulted_job(3, -1));
    const auto workers = job.given(3, Phase::running);
    set_parallelism(job, 1);
    for (const std::string& name : workers) {
      if (job.stored_pod(name).deletion_time) {
        job.succeed(name);
      }
    }
    restart_if(job, restarts);
    ASSERT_EQ(job.active_pods().size(), 1u);
    job.fail(job.active_pods().front());
    restart_if(job, restarts);
    EXPECT_EQ(job.condition_types(), "");
    job.advance(seconds(10));
    EXPECT_EQ(job.status().active, 1);
    finish_queue(job);
    EXPECT_TRUE(job.has(kTypeComplete));
    EXPECT_EQ(job.status().succeeded, 3);
    EXPECT_EQ(job.status().failed, 1);
  }
}

TEST(Victims, N240_AVictimOfTheSuspensionEndsAfterTheResume) {
  for (const bool restarts : {false, true}) {
    for (const bool only_failed : {false, true}) {
      JobView view = defaulted_job(2, -1);
      view.spec.replace_only_failed = only_failed;
      EngineScenario job(view);
      const auto workers = job.given(2, Phase::running);
      set_suspended(job, true);
      set_suspended(job, false);
      EXPECT_EQ(job.status().active, only_failed ? 0 : 2);
      job.succeed(workers[0]);
      job.succeed(workers[1]);
      restart_if(job, restarts);
      EXPECT_EQ(job.condition_types(), "Suspended");
      EXPECT_FALSE(job.has(kTypeSuspended));
      EXPECT_EQ(job.status().active, 2);
      job.fail(job.active_pods().front());
      job.advance(seconds(10));
      EXPECT_EQ(job.status().active, 2);
      finish_queue(job);
      EXPECT_TRUE(job.has(kTypeComplete));
      EXPECT_EQ(job.status().succeeded, 4);
    }
  }
}

// Nothing shows a worker any more that was taken away before it had a node. That there was one is
// stored before it goes: neither a restart in between nor a resume before the condition is stored
// makes a success from before complete the queue.
TEST(Victims, N240_10_73_WorkersTakenAwayWithoutATrace) {
  for (const bool resumes_early : {false, true}) {
    EngineScenario job(defaulted_job(2, -1));
    job.given(1, Phase::succeeded);
    job.given(1, Phase::pending);
    job.run();
    EXPECT_EQ(job.status().succeeded, 1);
    job.update_job([](JobView& view) { view.spec.suspend = true; });
    while (!job.active_pods().empty()) {
      ASSERT_TRUE(job.step());
      job.restart_controller();
    }
    EXPECT_EQ(job.condition_types(), "");
    if (!resumes_early) {
      job.run();
      EXPECT_EQ(job.condition_types(), "Suspended");
      EXPECT_FALSE(job.engine().state().record().suspending);
    }
    set_suspended(job, false);
    EXPECT_FALSE(job.has(kTypeComplete));
    EXPECT_FALSE(job.engine().state().record().suspending);
    EXPECT_EQ(job.status().active, 2);
    finish_queue(job);
    EXPECT_TRUE(job.has(kTypeComplete));
    EXPECT_EQ(job.status().succeeded, 3);
  }
}

TEST(Victims, N240_TheSuccessOfAVictimThatAnotherStripped) {
  EngineScenario job(defaulted_job(1, -1));
  const auto workers = job.given(1, Phase::running);
  set_parallelism(job, 0);
  job.succeed(workers[0]);
  job.remove_finalizer(workers[0]);
  job.run();
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.condition_types(), "");
  set_parallelism(job, 1);
  EXPECT_EQ(job.status().active, 1);
}

// Neither are victims forgotten for which the resume's own write has no room, nor counted twice.
TEST(Victims, N240_MoreVictimsThanOneWriteTakes) {
  Options options;
  options.max_uncounted = 1;
  EngineScenario job(defaulted_job(3, -1), options);
  const auto workers = job.given(3, Phase::running);
  set_suspended(job, true);
  for (const std::string& name : workers) {
    job.succeed(name);
  }
  set_suspended(job, false);
  EXPECT_EQ(job.status().succeeded, 3);
  EXPECT_EQ(job.engine().state().record().baseline, 3);
  EXPECT_EQ(job.status().active, 3);
  finish_queue(job);
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().succeeded, 6);
}

// What a victim did before it was marked counts for the Job, however the engine hears of it: by
// the watch, or by the answer to its mark.
TEST(Victims, N242_R2_30_R2_31_AFailureJustBeforeTheMarkCounts) {
  for (const bool is_told : {true, false}) {
    for (const int32_t exit_code : {42, 1}) {
      JobView view = defaulted_job(1, 1);
      view.spec.backoff_limit = 0;
      set_policy(view, {on_codes(Action::fail_job, {42})});
      EngineScenario job(view);
      const std::string name = job.given(1, Phase::running).front();
      bool marked = false;
      job.on_pod_write = [&](const PodWrite& write) {
        EXPECT_EQ(write.op, PodOp::drop);
        if (!std::exchange(marked, true) && is_told) {
          job.fail(name, exit_code);
        } else if (!is_told) {
          job.check_oracle = false;  // the store is ahead of what the engine was told
          PodView& pod = job.stored_pod(name);
          pod.phase = Phase::failed;
          pod.containers = {job.exited("main-container", exit_code)};
          ++pod.rv;
        }
        return FakeCluster::WriteFault{};
      };
      job.update_job([](JobView& changed) { changed.spec.suspend = true; });
      while (!marked) {
        ASSERT_TRUE(job.step());
      }
      job.on_pod_write = nullptr;
      job.update_pod(name, [](PodView&) {});
      job.check_oracle = true;
      job.run();
      EXPECT_EQ(job.writes.drops, 0);
      EXPECT_EQ(job.reason(kTypeFailed),
                exit_code == 42 ? "PodFailurePolicy_0" : "BackoffLimitExceeded");
      EXPECT_EQ(job.status().failed, 1);
    }
  }
}

}  // namespace
}  // namespace windlass::engine::testing
