#include "posix/worker_thread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "posix/posix_clock.h"

namespace windlass::posix {
namespace {

TEST(WorkerThread, RunsElsewhereInOrderAndAllOfItBeforeItEnds) {
  PosixClock clock;
  std::vector<int> order;
  std::thread::id where;
  {
    WorkerThread worker(clock, "a-name-that-is-too-long-for-a-thread");
    for (int i = 0; i < 100; ++i) {
      worker.post([&order, &where, i] {
        order.push_back(i);
        where = std::this_thread::get_id();
      });
    }
  }
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(WorkerThread, AnswersToTheExecutorThatAsked) {
  PosixClock clock;
  EventLoop loop(clock);
  WorkerThread worker(clock, "worker");
  std::thread::id answered;
  worker.post([&] {
    worker.schedule(milliseconds(1), [&] {
      loop.post([&] {
        answered = std::this_thread::get_id();
        loop.stop();
      });
    });
  });
  loop.run();
  EXPECT_EQ(answered, std::this_thread::get_id());
}

}  // namespace
}  // namespace windlass::posix
