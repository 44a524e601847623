#include "env/timer_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace windlass::env {
namespace {

MonotonicTime at(int64_t second) {
  return MonotonicTime(seconds(second));
}

// Runs what is due and returns the letters the tasks wrote.
class TimerQueueTest : public testing::Test {
 protected:
  TimerId add(int64_t second, char letter) {
    return queue_.add(at(second), [this, letter] { ran_ += letter; });
  }
  std::string run(int64_t now) {
    ran_.clear();
    while (auto task = queue_.take_due(at(now))) {
      (*task)();
    }
    return ran_;
  }

  TimerQueue queue_;
  std::string ran_;
};

TEST_F(TimerQueueTest, RunsInTheOrderOfTimeThenOfAdding) {
  add(3, 'c');
  add(1, 'a');
  add(2, 'x');
  add(2, 'y');
  EXPECT_EQ(queue_.next_due(), at(1));
  EXPECT_EQ(run(0), "");
  EXPECT_EQ(run(2), "axy");
  EXPECT_EQ(run(10), "c");
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.next_due(), std::nullopt);
}

TEST_F(TimerQueueTest, CancelledTasksDoNotRun) {
  const TimerId a = add(1, 'a');
  add(1, 'b');
  queue_.cancel(a);
  queue_.cancel(a);
  queue_.cancel(TimerId::none);
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_EQ(run(1), "b");
}

TEST_F(TimerQueueTest, CancellingWhatHasRunDoesNothing) {
  const TimerId a = add(1, 'a');
  EXPECT_EQ(run(1), "a");
  add(2, 'b');
  queue_.cancel(a);
  EXPECT_EQ(run(2), "b");
}

TEST_F(TimerQueueTest, IdsAreNotUsedAgainAfterClear) {
  const TimerId a = add(1, 'a');
  queue_.clear();
  EXPECT_TRUE(queue_.empty());
  const TimerId b = add(1, 'b');
  EXPECT_NE(a, b);
  queue_.cancel(a);
  EXPECT_EQ(run(1), "b");
}

TEST_F(TimerQueueTest, ATaskMayCancelAnotherWhileItIsDestroyed) {
  const TimerId other = add(5, 'x');
  // Runs when the task that holds it is destroyed.
  std::shared_ptr<int> guard(new int(0), [this, other](int* value) {
    delete value;
    queue_.cancel(other);
  });
  const TimerId holder = queue_.add(at(1), [guard] {});
  guard.reset();
  queue_.cancel(holder);
  EXPECT_TRUE(queue_.empty());
}

TEST(DueAfter, DoesNotOverflow) {
  EXPECT_EQ(due_after(at(5), seconds(2)), at(7));
  EXPECT_EQ(due_after(at(5), -seconds(2)), at(5));
  EXPECT_EQ(due_after(at(5), Duration::max()), MonotonicTime::max());
}

RC_GTEST_PROP(TimerQueueProperty, SortsLikeAStableSort, (const std::vector<uint8_t>& dues)) {
  TimerQueue queue;
  std::vector<size_t> ran;
  for (size_t i = 0; i < dues.size(); ++i) {
    queue.add(at(dues[i]), [&ran, i] { ran.push_back(i); });
  }
  while (auto task = queue.take_due(at(255))) {
    (*task)();
  }
  std::vector<size_t> expected(dues.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = i;
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [&](size_t a, size_t b) { return dues[a] < dues[b]; });
  RC_ASSERT(ran == expected);
}

}  // namespace
}  // namespace windlass::env
