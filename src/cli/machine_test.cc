#include "cli/machine.h"

#include <gtest/gtest.h>

#include "base/quantity.h"
#include "posix/posix_files.h"

namespace windlass::cli {
namespace {

TEST(Machine, OffersWhatPodsAskFor) {
  posix::PosixFiles files;
  const NodeMachine machine = this_machine(files, "/tmp/not/there/yet");
  for (const char* resource : {"cpu", "memory", "ephemeral-storage", "pods"}) {
    const auto amount = Quantity::parse(machine.capacity.at(resource));
    ASSERT_TRUE(amount) << resource;
    EXPECT_GT(amount->sign(), 0) << resource;
  }
  EXPECT_EQ(machine.capacity.at("ephemeral-storage"), disk_size("/tmp"));
}

TEST(Machine, MemoryIsWhatTheKernelSays) {
  EXPECT_EQ(total_memory("MemFree: 1 kB\nMemTotal:       24102340 kB\n"), "24102340Ki");
  EXPECT_EQ(total_memory("nothing"), "1Gi");
}

}  // namespace
}  // namespace windlass::cli
