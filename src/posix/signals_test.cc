#include "posix/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "posix/posix_clock.h"

namespace windlass::posix {
namespace {

bool is_blocked(int signal_number) {
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal_number) == 1;
}

TEST(Signals, ArriveAsCallbacksOnTheLoop) {
  PosixClock clock;
  EventLoop loop(clock);
  std::vector<int> seen;
  Signals signals(loop, {SIGUSR1, SIGTERM}, [&](int number) {
    seen.push_back(number);
    if (seen.size() == 2) {
      loop.stop();
    }
  });
  ::kill(::getpid(), SIGUSR1);
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(seen.empty()) << "not before the loop runs";
  loop.run();
  EXPECT_THAT(seen, testing::UnorderedElementsAre(SIGUSR1, SIGTERM));
}

TEST(Signals, RestoresTheMaskAndDropsWhatWasNotRead) {
  PosixClock clock;
  EventLoop loop(clock);
  ASSERT_FALSE(is_blocked(SIGTERM));
  {
    const Signals signals(loop, {SIGTERM}, [](int) { FAIL(); });
    EXPECT_TRUE(is_blocked(SIGTERM));
    ::kill(::getpid(), SIGTERM);
  }
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(Signals, WhatIsIgnoredStaysIgnored) {
  PosixClock clock;
  EventLoop loop(clock);
  ::signal(SIGHUP, SIG_IGN);
  std::vector<int> seen;
  {
    const Signals signals(loop, {SIGHUP, SIGUSR1}, [&](int number) {
      seen.push_back(number);
      loop.stop();
    });
    EXPECT_FALSE(is_blocked(SIGHUP));
    ::kill(::getpid(), SIGHUP);
    ::kill(::getpid(), SIGUSR1);
    loop.run();
  }
  ::signal(SIGHUP, SIG_DFL);
  EXPECT_THAT(seen, testing::ElementsAre(SIGUSR1));
}

TEST(Signals, TheCallbackMayDestroyIt) {
  PosixClock clock;
  EventLoop loop(clock);
  int seen = 0;
  std::unique_ptr<Signals> signals;
  signals = std::make_unique<Signals>(loop, std::initializer_list<int>{SIGUSR1}, [&](int) {
    signals.reset();
    ++seen;
    loop.stop();
  });
  ::kill(::getpid(), SIGUSR1);
  loop.run();
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace windlass::posix
