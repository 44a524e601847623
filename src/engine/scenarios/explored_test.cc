// Faults that the explorer found, as scenarios: each failed before its fix.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

// KEP-3850: the delay of an index counts from when its pod ended. A pod that took its time to stop
// moves that end after the engine has begun to wait; the index must not wait for ever.
TEST(Explored, L1_AnIndexWhosePodStopsLateIsStartedAgain) {
  JobView job = indexed_job(1, 1);
  job.spec.backoff_limit_per_index = 1;
  EngineScenario cluster(job);
  cluster.run();
  const std::string first = cluster.active_pods(0).at(0);
  cluster.run_pod(first);
  cluster.delete_pod(first);
  cluster.run();
  EXPECT_EQ(cluster.wakes_in(), seconds(10));
  cluster.now += seconds(10);
  cluster.fail(first, 143);
  cluster.run();
  EXPECT_EQ(cluster.wakes_in(), seconds(10));
  cluster.advance(seconds(10));
  EXPECT_EQ(cluster.active_pods(0).size(), 1u);
}

// B2: also when the wait was over by the earlier end, and the creation is held up by a refused one.
TEST(Explored, B2_AnIndexWhosePodStopsLateWaitsFromItsEnd) {
  JobView job = indexed_job(2, 2);
  job.spec.backoff_limit_per_index = 1;
  EngineScenario cluster(job);
  cluster.step();
  const std::string first = cluster.active_pods(0).at(0);
  cluster.run_pod(first);
  cluster.delete_pod(first);
  cluster.on_create = [](const CreatePod&) {
    return FakeCluster::WriteFault{WriteError::rejected};
  };
  cluster.step();
  cluster.now += seconds(10);
  cluster.step();
  cluster.on_create = nullptr;
  cluster.fail(first, 143);
  cluster.advance(seconds(1));
  EXPECT_EQ(cluster.active_pods(1).size(), 1u);
  EXPECT_THAT(cluster.active_pods(0), IsEmpty());
  cluster.advance(seconds(9));
  EXPECT_EQ(cluster.active_pods(0).size(), 1u);
}

// C1: a pod that is on its way into the status as failed is a failure, even if it succeeds in its
// grace period before that status is stored.
TEST(Explored, C1_APodIsNotBothAFailureAndTheSuccessOfItsIndex) {
  EngineScenario cluster(indexed_job(1, 1));
  cluster.run();
  const std::string first = cluster.active_pods(0).at(0);
  cluster.run_pod(first);
  cluster.delete_pod(first);
  bool sent = false;
  cluster.check_oracle = false;  // in the middle of a write the two see different statuses
  cluster.on_status = [&](const StatusWrite&) {
    if (!std::exchange(sent, true)) {
      cluster.succeed(first);
    }
    return FakeCluster::WriteFault{};
  };
  cluster.run();
  EXPECT_EQ(cluster.status().failed, 1);
  EXPECT_EQ(cluster.status().succeeded, 0);
  EXPECT_EQ(cluster.status().completed_indexes, "");
  cluster.advance(seconds(10));
  EXPECT_EQ(cluster.active_pods(0).size(), 1u);
}

// The same when that status is refused: then it is the success that counts.
TEST(Explored, C1_ASuccessCountsWhenTheStatusThatSaidFailedIsRefused) {
  EngineScenario cluster(indexed_job(1, 1));
  cluster.run();
  const std::string first = cluster.active_pods(0).at(0);
  cluster.run_pod(first);
  cluster.delete_pod(first);
  bool sent = false;
  cluster.check_oracle = false;
  cluster.on_status = [&](const StatusWrite&) {
    if (std::exchange(sent, true)) {
      return FakeCluster::WriteFault{};
    }
    cluster.succeed(first);
    return FakeCluster::WriteFault{WriteError::rejected};
  };
  cluster.step();
  cluster.step();  // the wait begins with the first decision after the refusal
  cluster.advance(seconds(5));
  EXPECT_EQ(cluster.status().failed, 0);
  EXPECT_EQ(cluster.status().completed_indexes, "0");
}

// A deadline that has passed is no reason to wake up: the verdict waits for the retry.
TEST(Explored, L2_ARefusedVerdictAfterTheDeadlineWaitsForItsRetry) {
  JobView job = defaulted_job(1, 1);
  job.spec.active_deadline_seconds = 15;
  EngineScenario cluster(job);
  cluster.run();
  cluster.on_status = [](const StatusWrite&) {
    return FakeCluster::WriteFault{WriteError::rejected};
  };
  cluster.now += seconds(16);
  cluster.step();
  cluster.step();
  EXPECT_EQ(cluster.wakes_in(), seconds(1));
  cluster.on_status = nullptr;
  cluster.advance(seconds(1));
  EXPECT_EQ(cluster.reason(kTypeFailureTarget), "DeadlineExceeded");
  EXPECT_EQ(cluster.wakes_in(), std::nullopt);
}

// 10.79, A1: the success of a pod whose finalizer another client took is on its way into the status
// while pods are created; it is one completion less to go.
TEST(Explored, A1_ASuccessThatNothingShowsAnyMoreIsNotReplaced) {
  EngineScenario cluster(defaulted_job(2, 3));
  cluster.run();
  const auto pods = cluster.active_pods();
  ASSERT_EQ(pods.size(), 2u);
  cluster.succeed(pods[0]);
  cluster.remove_finalizer(pods[0]);
  cluster.succeed(pods[1]);
  cluster.run();
  EXPECT_EQ(cluster.status().succeeded, 2);
  EXPECT_EQ(cluster.active_pods().size(), 1u);
  EXPECT_EQ(cluster.writes.creates, 3);
}

// C10, 10.79: the Job has failed, but an evicted pod has its grace period and uses it well.
TEST(Explored, C10_AnIgnoredPodOfAFailingJobIsKeptUntilItHasEnded) {
  JobView view = defaulted_job(2, 2);
  set_policy(view,
             {on_condition(Action::ignore, "DisruptionTarget"), on_codes(Action::fail_job, {42})});
  EngineScenario cluster(view);
  cluster.run();
  const auto pods = cluster.active_pods();
  ASSERT_EQ(pods.size(), 2u);
  cluster.run_pod(pods[1]);
  cluster.update_pod(pods[1], [](PodView& pod) {
    pod.conditions.push_back({"DisruptionTarget", ConditionStatus::is_true, std::nullopt});
  });
  cluster.delete_pod(pods[1]);
  cluster.fail(pods[0], 42);
  cluster.run();
  EXPECT_TRUE(cluster.has(kTypeFailureTarget));
  ASSERT_TRUE(cluster.has_pod(pods[1]));
  EXPECT_TRUE(cluster.stored_pod(pods[1]).has_finalizer);
  cluster.succeed(pods[1]);
  cluster.run();
  EXPECT_EQ(cluster.status().succeeded, 1);
  EXPECT_EQ(cluster.status().failed, 1);
  EXPECT_TRUE(cluster.has(kTypeFailed));
}

// C9: whether a pod beyond the completions was let go is not known; before completions that are
// raised again make it count, it is looked at.
TEST(Explored, C9_APodThatMayHaveBeenLetGoIsLookedAtBeforeItCounts) {
  JobView view = indexed_job(1, 1);
  view.rv = 1;
  PodView beyond;
  beyond.uid = "00000000-0000-4000-8000-000000000001";
  beyond.name = "work-1-xxxxx";
  beyond.rv = 2;
  beyond.completion_index = "1";
  beyond.phase = Phase::failed;
  beyond.has_finalizer = true;
  Engine engine({}, view);
  const auto list = [&] {
    engine.begin_list();
    engine.observe_pod(beyond);
    engine.end_list();
  };
  list();
  const Time now = time_from_unix(1'800'000'000);
  const Decision first = engine.decide(now);
  ASSERT_EQ(first.pod_writes.size(), 1u);
  engine.pod_write_failed(beyond.uid, WriteError::unknown, "no answer");
  if (first.status) {
    view.status = first.status->status;
    view.rv = 3;
    engine.status_written(view);
  }
  for (const CreatePod& create : first.creates) {
    engine.create_failed(create.id, WriteError::rejected, "quota");
  }
  view.spec.completions = view.spec.parallelism = 2;
  view.generation = 2;
  view.rv = 4;
  engine.observe_job(view);
  const Decision looks = engine.decide(now);
  EXPECT_TRUE(looks.relist_pods);
  EXPECT_FALSE(looks.has_writes());
  beyond.has_finalizer = false;
  beyond.rv = 5;
  list();
  const Decision next = engine.decide(now + seconds(1));
  EXPECT_FALSE(next.relist_pods);
  EXPECT_EQ(engine.state().failed(), 0);
}

}  // namespace
}  // namespace windlass::engine::testing
