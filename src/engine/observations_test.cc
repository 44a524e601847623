// Observations may come in any order, more than once, or not at all in between; and they may be
// hostile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/engine.h"
#include "engine/status/conditions.h"
#include "verify/engine/fake_cluster.h"

namespace windlass::engine::testing {
namespace {

constexpr const char* kUid = "00000000-0000-4000-8000-00000000000";

// Everything that decisions are made from.
std::string fingerprint(const Engine& engine, const std::vector<std::string>& uids) {
  const State& state = engine.state();
  const Tally& tally = state.tally();
  std::string text;
  for (const int64_t number :
       {tally.active, tally.ready, tally.terminating, tally.tracked, tally.new_succeeded,
        tally.new_failed, tally.restarts, state.succeeded(), state.failed()}) {
    text += std::to_string(number) + " ";
  }
  text += "completed " + state.indexes().completed.found().text();
  text += " failed " + state.indexes().failed.found().text();
  text += " verdict " + (state.fail_job() ? state.fail_job()->message : "none");
  for (const std::string& uid : uids) {
    const Slot slot = state.find(uid);
    const PodRecord& pod = state.pods().at(slot);
    text += " | " + uid.substr(35) + " " + std::to_string(static_cast<int>(pod.todo)) +
            (pod.held ? " held" : "") + (pod.condemned ? " condemned" : "");
  }
  return text;
}

// The versions a pod goes through, each newer than the one before.
std::vector<PodView> any_life(int number, uint64_t& rv) {
  PodView pod;
  pod.uid = kUid + std::to_string(number);
  pod.name = "pod-" + std::to_string(number);
  pod.created = time_from_unix(1000 + number);
  pod.has_finalizer = true;
  pod.completion_index = std::to_string(*rc::gen::inRange(0, 3));
  pod.failure_count = std::to_string(*rc::gen::inRange(0, 3));
  std::vector<PodView> life;
  const auto add = [&] {
    pod.rv = ++rv;
    life.push_back(pod);
  };
  add();
  if (*rc::gen::arbitrary<bool>()) {
    pod.phase = Phase::running;
    pod.has_node = true;
    add();
  }
  if (*rc::gen::inRange(0, 4) == 0) {
    pod.deletion_time = time_from_unix(2000 + number);
    add();
  }
  if (*rc::gen::inRange(0, 3) != 0) {
    pod.phase = *rc::gen::arbitrary<bool>() ? Phase::succeeded : Phase::failed;
    ContainerView container;
    container.name = "main";
    container.terminated = true;
    container.exit_code = pod.phase == Phase::failed ? *rc::gen::inRange(1, 6) : 0;
    container.finished_at = time_from_unix(3000 + *rc::gen::inRange(0, 4));
    pod.containers = {container};
    add();
  }
  return life;
}

RC_GTEST_PROP(Observations, AnyOrderRepetitionOrOmissionEndsInTheSameState, ()) {
  JobView job = *rc::gen::arbitrary<bool>() ? indexed_job(3, 3) : defaulted_job(3, 5);
  if (job.spec.mode == CompletionMode::indexed) {
    job.spec.backoff_limit_per_index = 1;
  }
  set_policy(job, {on_codes(Action::ignore, {1}), on_codes(Action::fail_job, {5})});
  job.rv = 1;
  uint64_t rv = 10;
  std::vector<std::string> uids;
  std::vector<PodView> in_order;
  std::vector<PodView> last;
  for (int i = 0; i < *rc::gen::inRange(1, 7); ++i) {
    const auto life = any_life(i, rv);
    in_order.insert(in_order.end(), life.begin(), life.end());
    last.push_back(life.back());
    uids.push_back(life.back().uid);
  }
  Engine first({}, job);
  for (const PodView& pod : in_order) {
    first.observe_pod(pod);
  }
  // Some versions lost, some twice, all in any order; the newest of each pod comes at some point.
  std::vector<PodView> scrambled = last;
  for (const PodView& pod : in_order) {
    for (int n = *rc::gen::inRange(0, 3); n > 0; --n) {
      scrambled.push_back(pod);
    }
  }
  for (size_t i = scrambled.size(); i > 1; --i) {
    std::swap(scrambled[i - 1], scrambled[*rc::gen::inRange<size_t>(0, i)]);
  }
  Engine second({}, job);
  for (const PodView& pod : scrambled) {
    second.observe_pod(pod);
  }
  RC_ASSERT(fingerprint(second, uids) == fingerprint(first, uids));
  // Twice is once.
  for (const PodView& pod : last) {
    second.observe_pod(pod);
  }
  RC_ASSERT(fingerprint(second, uids) == fingerprint(first, uids));
}

// api.md P73: the answer to a release that removes the pod carries the version before it, so old
// news of that version, with the finalizer on, may still come.
// The only pod of the first list: tracked, on a node, and being deleted.
PodView list_deleted_pod(Engine& engine, Phase phase) {
  PodView pod;
  pod.uid = kUid + std::string("1");
  pod.name = "pod-1";
  pod.rv = 5;
  pod.phase = phase;
  pod.has_finalizer = pod.has_node = true;
  pod.deletion_time = pod.created = time_from_unix(1000);
  engine.begin_list();
  engine.observe_pod(pod);
  engine.end_list();
  return pod;
}

// 5.7: the Job has succeeded, and its last pod is being deleted; it succeeds while it is let go.
TEST(Observations, C1_WhatIsLetGoUncountedIsNotCountedWhenItsEndIsSeenFirst) {
  const Time now = time_from_unix(1001);
  JobView job = defaulted_job(2, 1);
  job.rv = 1;
  job.status.start_time = time_from_unix(900);
  job.status.succeeded = 1;
  job.status.uncounted.emplace();
  set_condition(job.status, kTypeSuccessCriteriaMet, ConditionStatus::is_true, kReasonCompletions,
                "done", now);
  Engine engine({}, job);
  PodView pod = list_deleted_pod(engine, Phase::running);
  const auto store = [&](const Decision& decision) {
    job.status = decision.status->status;
    ++job.rv;
    engine.status_written(job);
  };
  const Decision first = engine.decide(now);
  ASSERT_EQ(first.pod_writes.size(), 1u);
  EXPECT_EQ(first.pod_writes[0].op, PodOp::release);
  if (first.status) {
    store(first);
  }
  pod.phase = Phase::succeeded;
  pod.rv = 6;
  engine.observe_pod(pod);
  engine.observe_pod_gone(pod.uid);
  engine.pod_written(pod.uid, nullptr);
  const Decision last = engine.decide(now);
  ASSERT_TRUE(last.status);
  store(last);
  EXPECT_EQ(job.status.succeeded, 1);
  EXPECT_TRUE(has_true(job.status, kTypeComplete));
}

TEST(Observations, C1_OldNewsOfTheSameVersionDoNotUndoARelease) {
  JobView job = defaulted_job(1, 1);
  job.rv = 1;
  Engine engine({}, job);
  PodView pod = list_deleted_pod(engine, Phase::failed);
  const auto store = [&](const Decision& decision) {
    job.status = decision.status->status;
    job.record = decision.status->record.value_or(job.record);
    ++job.rv;
    engine.status_written(job);
  };
  const Time now = time_from_unix(1001);
  store(engine.decide(now));
  ASSERT_EQ(job.status.uncounted->failed.size(), 1u);
  ASSERT_EQ(engine.decide(now).pod_writes.size(), 1u);
  PodView after = pod;
  after.has_finalizer = false;
  engine.pod_written(pod.uid, &after);
  engine.observe_pod(pod);
  store(engine.decide(now));
  EXPECT_EQ(job.status.failed, 1);
  EXPECT_FALSE(job.status.uncounted && !job.status.uncounted->failed.empty());
  EXPECT_FALSE(engine.decide(now).has_writes());
}

TEST(Hostile, O2_ForeignJobUidIsIgnored) {
  JobView job = defaulted_job(1, 1);
  job.rv = 1;
  Engine engine({}, job);
  JobView other = job;
  other.uid = "another";
  other.rv = 99;
  other.spec.parallelism = 500;
  engine.observe_job(other);
  engine.begin_list();
  engine.end_list();
  EXPECT_EQ(engine.decide(time_from_unix(1)).creates.size(), 1u);
  EXPECT_EQ(engine.state().job().spec.parallelism, 1);
}

TEST(Hostile, AnnotationsOfAnyShape) {
  for (const char* text : {"-1", "2147483647", "99999999999999999999", "abc", "", "0x1", " 1"}) {
    JobView job = indexed_job(2, 3);
    job.spec.backoff_limit_per_index = 1;
    FakeCluster cluster(job);
    for (const Phase phase : {Phase::running, Phase::failed, Phase::succeeded}) {
      PodView pod;
      pod.phase = phase;
      pod.has_node = pod.has_finalizer = true;
      pod.completion_index = pod.failure_count = pod.ignored_failure_count = text;
      cluster.add_pod(pod);
    }
    cluster.run();
    EXPECT_THAT(cluster.broken, ::testing::IsEmpty()) << text;
    EXPECT_LE(cluster.writes.creates, 3) << text;
    EXPECT_EQ(cluster.status().failed, 0) << text;
  }
}

TEST(Hostile, StatusOfAnyShape) {
  for (const char* text : {"5-3", "1-x-2", "0-2147483646", ",,,", "-", "9223372036854775808"}) {
    JobView job = indexed_job(2, 3);
    job.spec.backoff_limit_per_index = 1;
    job.status.completed_indexes = text;
    job.status.failed_indexes = text;
    job.record = text;
    job.status.uncounted = UncountedPods{{"x", "x"}, {"x"}};
    FakeCluster cluster(job);
    cluster.check_oracle = false;
    cluster.run();
    EXPECT_THAT(cluster.broken, ::testing::IsEmpty()) << text;
  }
}

TEST(Hostile, NegativeNumbersInTheSpec) {
  JobView job = indexed_job(-5, -1);
  job.spec.completions = -7;
  job.spec.backoff_limit = -3;
  job.spec.active_deadline_seconds = -1;
  FakeCluster cluster(job);
  cluster.run();
  EXPECT_EQ(cluster.writes.creates, 0);
}

TEST(Hostile, HugeDeadlineDoesNotOverflow) {
  JobView job = defaulted_job(1, 1);
  job.spec.active_deadline_seconds = 9'223'372'036'854'775'807;
  FakeCluster cluster(job);
  cluster.run();
  EXPECT_EQ(cluster.status().active, 1);
  EXPECT_GT(cluster.last().wake_at.value(), cluster.now);
}

TEST(Hostile, ManyPodsOfOneIndexStayBounded) {
  FakeCluster cluster(indexed_job(2, 2));
  cluster.check_oracle = false;
  for (int i = 0; i < 700; ++i) {
    PodView pod;
    pod.has_finalizer = pod.has_node = true;
    pod.phase = Phase::running;
    pod.completion_index = "0";
    cluster.add_pod(pod);
  }
  cluster.run();
  EXPECT_EQ(cluster.writes.deletes, 699);
  EXPECT_LE(cluster.writes.most_at_once, 500);
}

TEST(Hostile, TerminalPhaseThatFlips) {
  FakeCluster cluster(defaulted_job(1, 2));
  cluster.run();
  const std::string name = cluster.active_pods().front();
  cluster.fail(name);
  cluster.step();
  for (const Phase phase : {Phase::succeeded, Phase::running, Phase::failed}) {
    cluster.update_pod(name, [phase](PodView& pod) { pod.phase = phase; });
  }
  cluster.run();
  EXPECT_EQ(cluster.status().failed, 1);
  EXPECT_EQ(cluster.status().succeeded, 0);
}

}  // namespace
}  // namespace windlass::engine::testing
