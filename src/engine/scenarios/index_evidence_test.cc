// What is known of an index follows what is stored and what its pods show, both ways (rule 5.9 and
// its neighbours): nothing that a pod once showed sticks to its index. EngineScenario holds the
// engine against the recount after every step.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

// The server applies the next status write, and its answer is lost.
void lose_next_answer(EngineScenario& job) {
  job.on_status = [&job](const StatusWrite&) {
    job.on_status = nullptr;
    return FakeCluster::WriteFault{WriteError::unknown, true};
  };
}

TEST(IndexEvidence, R5_9_StoredAsFailedByALostAnswerAPodCompletesNothing) {
  EngineScenario job(indexed_job(1, 1));
  job.step();
  const std::string name = job.active_pods().front();
  job.delete_pod(name);  // Pending and terminating: it counts as failed
  lose_next_answer(job);
  job.step();
  ASSERT_EQ(job.status().uncounted->failed.size(), 1U);
  job.succeed(name);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "");
  EXPECT_EQ(job.status().failed, 1);
  job.advance(minutes(1));
  job.succeed(job.active_pods(0).front());
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_TRUE(job.has(kTypeComplete));
}

// C4: of two pods of one index one has succeeded, and the other would end it as failed.
TEST(IndexEvidence, C4_SuccessWinsOverFailureInOneWrite) {
  JobView view = indexed_job(2, 2);
  view.spec.backoff_limit_per_index = 0;
  EngineScenario job(view);
  job.given_index(0, Phase::failed, 0);
  job.given_index(0, Phase::succeeded, 0);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_EQ(job.status().failed_indexes, "");
  EXPECT_EQ(job.status().failed, 1);
}

TEST(IndexEvidence, R5_9_AnAnswerThatComesTellsTheSame) {
  EngineScenario job(indexed_job(1, 1));
  job.step();
  const std::string name = job.active_pods().front();
  job.delete_pod(name);
  job.step();
  job.succeed(name);
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "");
  EXPECT_EQ(job.status().failed, 1);
}

TEST(IndexEvidence, R5_7_StoppedWithTheJobAPodNoLongerEndsItsIndex) {
  JobView view = indexed_job(2, 4);
  view.spec.backoff_limit_per_index = 0;
  view.spec.max_failed_indexes = 0;
  EngineScenario job(view);
  job.run();
  const std::string other = job.active_pods(1).front();
  job.run_pod(other);
  job.fail(job.active_pods(0).front());
  job.step();
  ASSERT_TRUE(job.has(kTypeFailureTarget));
  job.fail(other);  // by itself, which cannot be told once it is being deleted as well
  job.delete_pod(other);
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "0");
  EXPECT_EQ(job.status().failed, 2);
}

TEST(IndexEvidence, R3_34_ARefusedWriteIsJudgedAnew) {
  JobView view = indexed_job(1, 2);
  view.spec.backoff_limit_per_index = 0;
  EngineScenario job(view);
  job.run();
  const std::string name = job.active_pods(0).front();
  job.run_pod(name);
  job.delete_pod(name);
  bool refused = false;
  job.on_status = [&](const StatusWrite& write) {
    const bool fails = !refused && write.status.failed_indexes == "0";
    refused = refused || fails;
    if (!fails) {
      return FakeCluster::WriteFault{};
    }
    job.engine().observe_pod([&] {
      PodView& pod = job.stored_pod(name);  // it succeeds while the write is under way
      pod.phase = Phase::succeeded;
      pod.rv += 1'000;
      return pod;
    }());
    return FakeCluster::WriteFault{WriteError::rejected};
  };
  job.run();
  ASSERT_TRUE(refused);
  job.advance(seconds(2));
  EXPECT_EQ(job.status().completed_indexes, "0");
  EXPECT_EQ(job.status().failed_indexes, "");
}

TEST(IndexEvidence, D10_79_WhatWasSeenOfAPodTakenAwayIsRemembered) {
  EngineScenario job(indexed_job(2, 2));
  job.run();
  const std::string name = job.active_pods(0).front();
  job.run_pod(name);
  job.succeed(name);
  job.remove_finalizer(name);  // by another's hand, before anything is stored
  job.run();
  EXPECT_EQ(job.status().completed_indexes, "0");
}

TEST(IndexEvidence, ListsEditedByAnotherAreTakenAsTheyAre) {
  EngineScenario job(defaulted_job(1, 1));
  job.run();
  const std::string name = job.active_pods().front();
  job.fail(name);
  job.step();
  ASSERT_EQ(job.status().uncounted->failed.size(), 1U);
  job.update_status([](JobStatus& status) { status.uncounted->failed.clear(); });
  job.run();
  EXPECT_EQ(job.status().failed, 1);
}

}  // namespace
}  // namespace windlass::engine::testing
