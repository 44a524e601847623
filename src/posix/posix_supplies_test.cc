#include "posix/posix_supplies.h"

#include <gtest/gtest.h>

namespace windlass::posix {
namespace {

constexpr const char* kMeminfo =
    "MemTotal:       24102340 kB\n"
    "MemFree:         1000000 kB\n"
    "MemAvailable:    2048 kB\n";

TEST(PosixSupplies, ReadsWhatTheKernelSays) {
  EXPECT_EQ(memory_supply(kMeminfo), (env::Supply{2048 * 1024, 24102340ULL * 1024}));
  EXPECT_EQ(memory_supply("MemTotal: 5 kB\n"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("XMemTotal: 5 kB\nMemTotal: 7 kB\n", "MemTotal"), 7 * 1024u);
  EXPECT_EQ(meminfo_bytes("MemTotal: many\n", "MemTotal"), std::nullopt);
  EXPECT_EQ(pid_supply("0.00 0.01 0.05 1/123 4567\n", "32768\n"), (env::Supply{32645, 32768}));
  EXPECT_EQ(pid_supply("0.00 0.01 0.05 1/123 4567\n", "100"), (env::Supply{0, 100}));
  EXPECT_EQ(pid_supply("", "100"), std::nullopt);
}

TEST(PosixSupplies, LooksAtThisMachine) {
  const env::MachineSupplies supplies = PosixSupplies().look("/proc/..");
  ASSERT_TRUE(supplies.memory && supplies.disk && supplies.pids);
  EXPECT_GT(supplies.memory->available, 0u);
  EXPECT_GT(supplies.memory->capacity, supplies.memory->available);
  EXPECT_GE(supplies.disk->capacity, supplies.disk->available);
  EXPECT_GT(supplies.pids->capacity, supplies.pids->available);
  EXPECT_EQ(PosixSupplies().look("/nowhere").disk, std::nullopt);
}

}  // namespace
}  // namespace windlass::posix
