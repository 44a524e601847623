#include "supervisor/child/clone.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/server/container.h"

namespace windlass::supervisor {
namespace {

// What marks a process for the supervisor that comes after this one: it must be found again, and no
// other for it (safety.md N5).
TEST(Clone, KnowsTheStartOfAProcessAsTheKernelTellsIt) {
  for (int i = 0; i < 100; ++i) {
    const Cloned child = clone_process({});
    ASSERT_GE(child.pid, 0);
    if (child.pid == 0) {
      ::pause();
    }
    EXPECT_EQ(child.start_ticks, process_start_ticks(child.pid));
    EXPECT_NE(child.start_ticks, 0U);
    ::kill(child.pid, SIGKILL);
    EXPECT_TRUE(wait_for_end(child.pidfd.get(), WEXITED).known);
  }
}

TEST(Clone, ThereIsNoStartOfAProcessThatIsNot) {
  EXPECT_EQ(process_start_ticks(0), 0U);
}

}  // namespace
}  // namespace windlass::supervisor
