#include "posix/process/posix_host_resources.h"

#include <gtest/gtest.h>

namespace windlass::posix {
namespace {

constexpr const char* kMeminfo =
    "MemTotal:       24102340 kB\n"
    "MemFree:         1000000 kB\n"
    "MemAvailable:    2048 kB\n";

TEST(PosixHostResources, ReadsWhatTheKernelSays) {
  EXPECT_EQ(memory_level(kMeminfo), (env::ResourceLevel{2048 * 1024, 24102340ULL * 1024}));
  EXPECT_EQ(memory_level("MemTotal: 5 kB\n"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("XMemTotal: 5 kB\nMemTotal: 7 kB\n", "MemTotal"), 7 * 1024u);
  EXPECT_EQ(meminfo_bytes("MemTotal: many\n", "MemTotal"), std::nullopt);
  EXPECT_EQ(pid_level("0.00 0.01 0.05 1/123 4567\n", "32768\n"),
            (env::ResourceLevel{32645, 32768}));
  EXPECT_EQ(pid_level("0.00 0.01 0.05 1/123 4567\n", "100"), (env::ResourceLevel{0, 100}));
  EXPECT_EQ(pid_level("", "100"), std::nullopt);
}

TEST(PosixHostResources, LooksAtThisMachine) {
  const env::HostResourceLevels levels = PosixHostResources().look("/proc/..");
  ASSERT_TRUE(levels.memory && levels.disk && levels.pids);
  EXPECT_GT(levels.memory->available, 0u);
  EXPECT_GT(levels.memory->capacity, levels.memory->available);
  EXPECT_GE(levels.disk->capacity, levels.disk->available);
  EXPECT_GT(levels.pids->capacity, levels.pids->available);
  EXPECT_EQ(PosixHostResources().look("/nowhere").disk, std::nullopt);
}

}  // namespace
}  // namespace windlass::posix
