#include "posix/event_loop.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "posix/posix_clock.h"

namespace windlass::posix {
namespace {

class EventLoopTest : public testing::Test {
 protected:
  PosixClock clock_;
  EventLoop loop_{clock_};
};

struct Pipe {
  Pipe() {
    std::array<int, 2> fds;
    EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC | O_NONBLOCK), 0);
    read = FileDescriptor(fds[0]);
    write = FileDescriptor(fds[1]);
  }
  void put(char c) const { EXPECT_EQ(::write(write.get(), &c, 1), 1); }
  std::optional<char> take() const {
    char c = 0;
    return ::read(read.get(), &c, 1) == 1 ? std::optional(c) : std::nullopt;
  }
  FileDescriptor read, write;
};

TEST_F(EventLoopTest, RunsPostedTasksInOrder) {
  std::string order;
  loop_.post([&] {
    order += 'a';
    loop_.post([&] {
      order += 'c';
      loop_.stop();
    });
    order += 'b';
  });
  loop_.run();
  EXPECT_EQ(order, "abc");
}

// A loop in a thread of its own, asleep when the constructor returns unless something is posted.
class SleepingLoop {
 public:
  explicit SleepingLoop(EventLoop& loop) : loop_(loop), thread_([this] { loop_.run(); }) {
    run([] {});
  }
  ~SleepingLoop() {
    loop_.stop();
    thread_.join();
  }
  // Until the loop falls asleep there is nothing to wait for but trying again.
  void run(const env::Task& task) {
    while (!loop_.try_run(task)) {
      std::this_thread::yield();
    }
  }

 private:
  EventLoop& loop_;
  std::thread thread_;
};

TEST_F(EventLoopTest, AnIdleLoopRunsATaskOnTheThreadThatAsks) {
  SleepingLoop sleeping(loop_);
  std::thread::id ran_on;
  sleeping.run([&] { ran_on = std::this_thread::get_id(); });
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST_F(EventLoopTest, ALoopThatDoesNotRunRunsNothing) {
  EXPECT_FALSE(loop_.try_run([] { FAIL(); }));
  loop_.post([this] {
    EXPECT_FALSE(loop_.try_run([] { FAIL(); }));  // it is busy
    loop_.stop();
  });
  loop_.run();
  EXPECT_FALSE(loop_.try_run([] { FAIL(); }));
}

TEST_F(EventLoopTest, ATimerThatAVisitorSetsComesInTime) {
  SleepingLoop sleeping(loop_);
  std::promise<void> rang;
  sleeping.run([&] { loop_.schedule(milliseconds(1), [&] { rang.set_value(); }); });
  EXPECT_EQ(rang.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST_F(EventLoopTest, TurnsDoNotOverlapAndWhatWasPostedComesFirst) {
  constexpr int kEach = 2'000;
  int64_t in_order = 0;  // without a lock of its own
  {
    SleepingLoop sleeping(loop_);
    std::vector<std::thread> visitors;
    for (int i = 0; i < 2; ++i) {
      visitors.emplace_back([&] {
        int posted = 0;
        int ran = 0;  // only in turns
        for (int n = 0; n < kEach; ++n) {
          const auto count = [&in_order, &ran] {
            ++in_order;
            ++ran;
          };
          if (n % 2 == 0 || !loop_.try_run([&] {
                EXPECT_EQ(ran, posted);
                count();
              })) {
            loop_.post(count);
          }
          ++posted;
        }
        std::promise<void> done;
        loop_.post([&done] { done.set_value(); });
        done.get_future().wait();
      });
    }
    for (std::thread& visitor : visitors) {
      visitor.join();
    }
  }
  EXPECT_EQ(in_order, 2 * kEach);
}

TEST_F(EventLoopTest, WhatWasPostedBeforeStopStillRuns) {
  int ran = 0;
  loop_.post([&] { ++ran; });
  loop_.stop();
  loop_.run();
  EXPECT_EQ(ran, 1);
  loop_.post([&] {
    ++ran;
    loop_.stop();
  });
  loop_.run();
  EXPECT_EQ(ran, 2) << "it can be run again";
}

TEST_F(EventLoopTest, TimersRunInTheOrderTheyAreDue) {
  std::string order;
  loop_.schedule(milliseconds(20), [&] {
    order += 'c';
    loop_.stop();
  });
  loop_.schedule(milliseconds(2), [&] { order += 'b'; });
  loop_.schedule(-seconds(1), [&] { order += 'a'; });
  const env::TimerId cancelled = loop_.schedule(milliseconds(1), [&] { order += 'x'; });
  loop_.cancel(cancelled);
  const MonotonicTime start = clock_.monotonic();
  loop_.run();
  EXPECT_EQ(order, "abc");
  EXPECT_GE(clock_.monotonic() - start, milliseconds(19));
}

TEST_F(EventLoopTest, ATimerOfZeroDoesNotRunInsideSchedule) {
  bool inside = true;
  bool ran_inside = false;
  loop_.post([&] {
    loop_.schedule(Duration::zero(), [&] {
      ran_inside = inside;
      loop_.stop();
    });
    inside = false;
  });
  loop_.run();
  EXPECT_FALSE(ran_inside);
}

TEST_F(EventLoopTest, TimersThatKeepComingDoNotStarveDescriptors) {
  const Pipe pipe;
  pipe.put('x');
  std::function<void()> again = [&] { loop_.schedule(Duration::zero(), again); };
  again();
  loop_.watch(pipe.read.get(), EPOLLIN, [&](uint32_t) { loop_.stop(); });
  loop_.run();
  EXPECT_EQ(pipe.take(), 'x');
}

TEST_F(EventLoopTest, PostsFromManyThreadsAllRun) {
  constexpr int kThreads = 8;
  constexpr int kTasks = 2000;
  std::vector<std::vector<int>> seen(kThreads);  // written on the loop's thread only
  int done = 0;
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kTasks; ++i) {
        loop_.post([&, thread, i] {
          seen[thread].push_back(i);
          if (++done == kThreads * kTasks) {
            loop_.stop();
          }
        });
      }
    });
  }
  loop_.run();
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<int>& order : seen) {
    ASSERT_EQ(order.size(), size_t{kTasks});
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "in the order of each thread";
  }
}

TEST_F(EventLoopTest, StopFromAnotherThreadWakesIt) {
  std::atomic<bool> started = false;
  loop_.post([&] { started = true; });
  std::thread other([&] {
    while (!started) {
      std::this_thread::yield();
    }
    loop_.stop();
  });
  // It ends the loop when stop() does not.
  bool overslept = false;
  loop_.schedule(minutes(2), [&] {
    overslept = true;
    loop_.stop();
  });
  loop_.run();
  other.join();
  EXPECT_FALSE(overslept);
}

TEST_F(EventLoopTest, WatchesDescriptors) {
  const Pipe pipe;
  std::string got;
  const WatchId watch = loop_.watch(pipe.read.get(), EPOLLIN, [&](uint32_t events) {
    EXPECT_TRUE(events & EPOLLIN);
    got += pipe.take().value_or('?');
    got.size() == 2 ? loop_.stop() : pipe.put('b');
  });
  pipe.put('a');
  loop_.run();
  EXPECT_EQ(got, "ab");
  loop_.unwatch(watch);
  loop_.unwatch(watch);
  loop_.unwatch(WatchId::none);
}

TEST_F(EventLoopTest, ChangesWhatItWatchesFor) {
  const Pipe pipe;
  uint32_t seen = 0;
  const WatchId watch = loop_.watch(pipe.write.get(), 0, [&](uint32_t events) {
    seen = events;
    loop_.stop();
  });
  loop_.schedule(milliseconds(1), [&] {
    EXPECT_EQ(seen, 0U);
    loop_.change(watch, EPOLLOUT);
  });
  loop_.run();
  EXPECT_TRUE(seen & EPOLLOUT);
}

// The loop reports both in one turn, and the first callback takes the second one's watch away.
TEST_F(EventLoopTest, AnEventForWhatWasUnwatchedMeanwhileIsDropped) {
  const Pipe pipes[2];
  WatchId watches[2];
  int called = 0;
  for (size_t i = 0; i < 2; ++i) {
    pipes[i].put('x');
    watches[i] = loop_.watch(pipes[i].read.get(), EPOLLIN, [&, i](uint32_t) {
      ++called;
      loop_.unwatch(watches[i]);
      loop_.unwatch(watches[1 - i]);
      loop_.schedule(milliseconds(1), [&] { loop_.stop(); });
    });
  }
  loop_.run();
  EXPECT_EQ(called, 1);
}

// A new descriptor gets the old number; events of the old watch must not reach the new one.
TEST_F(EventLoopTest, ANumberUsedAgainIsAnotherWatch) {
  std::string got;
  auto first = std::make_unique<Pipe>();
  const int number = first->read.get();
  WatchId watch = loop_.watch(number, EPOLLIN, [&](uint32_t) { got += '1'; });
  loop_.unwatch(watch);
  first.reset();
  const Pipe second;
  ASSERT_EQ(second.read.get(), number);
  watch = loop_.watch(number, EPOLLIN, [&](uint32_t) {
    got += '2';
    loop_.stop();
  });
  second.put('x');
  loop_.run();
  EXPECT_EQ(got, "2");
  loop_.unwatch(watch);
}

TEST_F(EventLoopTest, ACallbackMayDestroyItself) {
  const Pipe pipe;
  pipe.put('x');
  auto payload = std::make_shared<std::string>("alive");
  const std::weak_ptr<std::string> seen = payload;
  WatchId watch = WatchId::none;
  watch = loop_.watch(pipe.read.get(), EPOLLIN, [&, payload](uint32_t) {
    loop_.unwatch(watch);
    EXPECT_EQ(*payload, "alive") << "kept until the callback has returned";
    loop_.stop();
  });
  payload.reset();
  loop_.run();
  EXPECT_TRUE(seen.expired());
}

TEST(EventLoopDeathTest, TimersFromAForeignThreadAreABug) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  PosixClock clock;
  EXPECT_DEATH(
      {
        EventLoop loop(clock);
        loop.post([&] { std::thread([&] { loop.schedule(seconds(1), [] {}); }).join(); });
        loop.run();
      },
      "own thread");
}

}  // namespace
}  // namespace windlass::posix
