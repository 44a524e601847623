#include "posix/process/parent_watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posix/posix_clock.h"

namespace windlass::posix {
namespace {

class ParentWatchTest : public ::testing::Test {
 protected:
  // Ends the loop when the parent is gone.
  void run(ParentWatch& watch) {
    watch.start([this] {
      ++gone_;
      loop_.stop();
    });
    loop_.run();
  }

  PosixClock clock_;
  EventLoop loop_{clock_};
  int gone_ = 0;
};

TEST_F(ParentWatchTest, AProcessThatEnds) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto watch = ParentWatch::of_process(loop_, child);
  ASSERT_TRUE(watch.has_value()) << watch.error().message;
  loop_.post([child] { ::kill(child, SIGKILL); });
  run(**watch);
  EXPECT_EQ(gone_, 1);
  ::waitpid(child, nullptr, 0);
  const auto missing = ParentWatch::of_process(loop_, child);
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, ::testing::HasSubstr("no such process"));
}

TEST_F(ParentWatchTest, APipeWhoseOtherEndIsClosedAlthoughNobodyReadsIt) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  ASSERT_EQ(::write(pipe[1], "x", 1), 1);
  const auto watch = ParentWatch::of_input(loop_, pipe[0]);
  ASSERT_NE(watch, nullptr);
  loop_.post([&pipe] { ::close(pipe[1]); });
  run(*watch);
  EXPECT_EQ(gone_, 1);
  ::close(pipe[0]);
}

TEST_F(ParentWatchTest, ASocketWhoseOtherEndIsClosed) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  const auto watch = ParentWatch::of_input(loop_, pair[0]);
  ASSERT_NE(watch, nullptr);
  loop_.post([&pair] { ::close(pair[1]); });
  run(*watch);
  EXPECT_EQ(gone_, 1);
  ::close(pair[0]);
}

TEST_F(ParentWatchTest, WhatHasNoOtherEndIsNotWatched) {
  const FileDescriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(ParentWatch::of_input(loop_, null.get()), nullptr);
}

}  // namespace
}  // namespace windlass::posix
