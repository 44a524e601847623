#include "client/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "virtual_world/world.h"

namespace windlass::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorkQueueTest : public testing::Test {
 protected:
  // Processes nothing by itself: the test says when a key is done.
  std::unique_ptr<WorkQueue> make(WorkQueue::Options options = {}) {
    return std::make_unique<WorkQueue>(world.executor(), world.clock(), options,
                                       [this](const std::string& key) { started.push_back(key); });
  }
  // Lets everything run that needs no time.
  void settle() { world.run_for(Duration::zero()); }

  virtual_world::VirtualWorld world{1};
  std::vector<std::string> started;
};

TEST_F(WorkQueueTest, Jc1_5_AKeyIsQueuedOnce) {
  const auto queue = make();
  queue->add("a");
  queue->add("a");
  EXPECT_THAT(started, IsEmpty()) << "never inside the call";
  settle();
  EXPECT_THAT(started, ElementsAre("a"));
  queue->done("a");
  settle();
  EXPECT_THAT(started, ElementsAre("a"));
  EXPECT_TRUE(queue->idle());
}

TEST_F(WorkQueueTest, Jc1_5_AKeyInWorkIsQueuedAgainWhenItIsDone) {
  const auto queue = make();
  queue->add("a");
  settle();
  queue->add("a");
  queue->add("a");
  settle();
  EXPECT_THAT(started, ElementsAre("a")) << "never two at a time";
  queue->done("a");
  settle();
  EXPECT_THAT(started, ElementsAre("a", "a"));
  queue->done("a");
  settle();
  EXPECT_THAT(started, ElementsAre("a", "a"));
}

TEST_F(WorkQueueTest, KeysComeInTheirOrderAndWorkersAreLimited) {
  const auto queue = make({.workers = 2});
  for (const char* key : {"a", "b", "c", "d"}) {
    queue->add(key);
  }
  settle();
  EXPECT_THAT(started, ElementsAre("a", "b"));
  EXPECT_EQ(queue->queued(), 2U);
  queue->done("b");
  settle();
  EXPECT_THAT(started, ElementsAre("a", "b", "c"));
}

TEST_F(WorkQueueTest, Jc1_6_ADelayHoldsAKeyBack) {
  const auto queue = make();
  queue->add_after("a", seconds(10));
  world.run_for(seconds(9));
  EXPECT_THAT(started, IsEmpty());
  EXPECT_EQ(queue->delayed(), 1U);
  world.run_for(seconds(1));
  EXPECT_THAT(started, ElementsAre("a"));
  EXPECT_EQ(queue->delayed(), 0U);
}

TEST_F(WorkQueueTest, Jc1_6_NoDelayAddsAtOnce) {
  const auto queue = make();
  queue->add_after("a", Duration::zero());
  queue->add_after("b", seconds(-5));
  settle();
  EXPECT_THAT(started, ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, Jc1_6_OfTwoDelaysTheEarlierWins) {
  const auto queue = make();
  queue->add_after("a", seconds(10));
  queue->add_after("a", seconds(20));
  queue->add_after("b", seconds(20));
  queue->add_after("b", seconds(10));
  world.run_for(seconds(10));
  EXPECT_THAT(started, ElementsAre("a", "b"));
  queue->done("a");
  queue->done("b");
  world.run_for(seconds(30));
  EXPECT_THAT(started, ElementsAre("a", "b")) << "the later one was dropped";
}

TEST_F(WorkQueueTest, ADelayStaysWhenTheKeyIsAddedAtOnceToo) {
  const auto queue = make();
  queue->add_after("a", seconds(10));
  queue->add("a");
  settle();
  queue->done("a");
  world.run_for(seconds(10));
  EXPECT_THAT(started, ElementsAre("a", "a"));
}

TEST_F(WorkQueueTest, Jc0_2_RetriesComeLaterEachTimeUpToAMinute) {
  const auto queue = make();
  std::vector<int64_t> delays;
  for (int i = 0; i < 8; ++i) {
    queue->add_rate_limited("a");
    const MonotonicTime before = world.clock().monotonic();
    started.clear();
    ASSERT_TRUE(world.run_until([&] { return !started.empty(); }, minutes(5)));
    delays.push_back((world.clock().monotonic() - before) / seconds(1));
    queue->done("a");
  }
  EXPECT_THAT(delays, ElementsAre(1, 2, 4, 8, 16, 32, 60, 60));
  EXPECT_EQ(queue->failures("a"), 8);
}

TEST_F(WorkQueueTest, Jc1_7_SuccessForgetsTheFailuresOfThatKeyOnly) {
  const auto queue = make();
  for (const char* key : {"a", "b"}) {
    queue->add_rate_limited(key);
    queue->add_rate_limited(key);
  }
  queue->forget("a");
  EXPECT_EQ(queue->failures("a"), 0);
  EXPECT_EQ(queue->failures("b"), 2);
}

TEST_F(WorkQueueTest, L5_AKeyAddedWhileItsRetryIsScheduledIsNotLost) {
  const auto queue = make();
  queue->add("a");
  settle();
  queue->add_rate_limited("a");
  queue->add("a");
  queue->done("a");
  settle();
  EXPECT_THAT(started, ElementsAre("a", "a"));
}

TEST_F(WorkQueueTest, NothingStartsAfterShutDown) {
  const auto queue = make();
  queue->add("a");
  queue->add_after("b", seconds(1));
  queue->shut_down();
  queue->add("c");
  queue->add_after("d", seconds(1));
  world.run_for(seconds(5));
  EXPECT_THAT(started, IsEmpty());
}

TEST_F(WorkQueueTest, MayBeDestroyedWithWorkWaiting) {
  auto queue = make();
  queue->add("a");
  queue->add_after("b", seconds(1));
  queue.reset();
  world.run_for(seconds(5));
  EXPECT_THAT(started, IsEmpty());
}

TEST_F(WorkQueueTest, TheWorkMayDestroyTheQueue) {
  std::unique_ptr<WorkQueue> queue;
  queue = std::make_unique<WorkQueue>(world.executor(), world.clock(), WorkQueue::Options(),
                                      [&](const std::string& key) {
                                        started.push_back(key);
                                        queue.reset();
                                      });
  queue->add("a");
  queue->add("b");
  settle();
  EXPECT_THAT(started, ElementsAre("a"));
}

TEST_F(WorkQueueTest, WhatCanWaitComesLastButIsNotForgotten) {
  const auto queue = make({.workers = 100});
  queue->add_patient("new-1");
  queue->add_patient("new-2");
  queue->add_patient("new-1");
  for (int i = 0; i < 10; ++i) {
    queue->add("old-" + std::to_string(i));
  }
  EXPECT_EQ(queue->queued(), 12u);
  settle();
  EXPECT_THAT(started, ElementsAre("old-0", "old-1", "old-2", "old-3", "old-4", "old-5", "old-6",
                                   "new-1", "old-7", "old-8", "old-9", "new-2"));
}

TEST_F(WorkQueueTest, Jc8_15_CountsWhatQueuesCount) {
  MetricRegistry registry;
  const auto queue =
      make({.workers = 1, .metrics = std::make_shared<QueueMetrics>(registry, "job")});
  const auto value = [&registry](const char* name) {
    return registry.counter(name, "").value({"job"});
  };
  queue->add("a");
  queue->add("a");
  queue->add("b");
  EXPECT_EQ(value("workqueue_adds_total"), 2);
  EXPECT_EQ(registry.gauge("workqueue_depth", "").value({"job"}), 2);
  settle();
  EXPECT_EQ(registry.gauge("workqueue_depth", "").value({"job"}), 1);
  queue->add("a");  // while it is in work: queued when that is done
  queue->add_after("c", seconds(1));
  queue->add_rate_limited("d");
  queue->done("a");
  EXPECT_EQ(value("workqueue_adds_total"), 3);
  EXPECT_EQ(value("workqueue_retries_total"), 2);
  EXPECT_EQ(registry.histogram("workqueue_queue_duration_seconds", "", {}).value({"job"}), 1);
  EXPECT_EQ(registry.histogram("workqueue_work_duration_seconds", "", {}).value({"job"}), 1);
}

}  // namespace
}  // namespace windlass::client
