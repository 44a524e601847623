#include "posix/process/stoppable_programs.h"

#include <gtest/gtest.h>

#include <thread>

#include "posix/testing.h"

namespace windlass::posix {
namespace {

TEST(StoppablePrograms, RunToTheirEnd) {
  StoppablePrograms programs;
  EXPECT_TRUE(programs.run({"true"}));
  EXPECT_EQ(programs.run({"sh", "-c", "exit 3"}).error().message, "sh ended with 3");
  EXPECT_FALSE(programs.run({"no-such-program-anywhere"}));
}

TEST(StoppablePrograms, AreKilledFromAnotherThread) {
  StoppablePrograms programs;
  const TemporaryDirectory directory;
  const std::string began = directory / "began";
  const std::string never = directory / "never";
  ASSERT_TRUE(programs.run({"mkfifo", began, never}));
  Result<void> result;
  std::thread runner([&] {
    // Nothing writes into the second pipe: the program waits until it is killed.
    result = programs.run({"sh", "-c", "echo >\"$1\"; exec cat \"$2\"", "sh", began, never});
  });
  EXPECT_TRUE(programs.run({"sh", "-c", "read line <\"$1\"", "sh", began}));
  programs.stop();
  runner.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "sh was killed by signal 9");
  EXPECT_EQ(programs.run({"true"}).error().message, "true was stopped");
}

}  // namespace
}  // namespace windlass::posix
