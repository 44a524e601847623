#include "posix/process/run_program.h"

#include <gtest/gtest.h>

#include "posix/testing.h"

namespace windlass::posix {
namespace {

TEST(RunProgram, SaysHowItEnded) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(run_program({"sh", "-c", "echo \"$1\" > \"$0\"", directory / "f", "a b"}));
  EXPECT_EQ(directory.read("f"), "a b\n");
  EXPECT_EQ(run_program({"sh", "-c", "exit 3"}).error().message, "sh ended with 3");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).error().message, "sh was killed by signal 9");
  EXPECT_EQ(run_program({"/nowhere/x"}).error().message,
            "run /nowhere/x: no such file or directory");
}

}  // namespace
}  // namespace windlass::posix
