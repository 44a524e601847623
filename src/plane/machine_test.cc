#include "plane/machine.h"

#include <gtest/gtest.h>

#include "base/quantity.h"
#include "posix/files/posix_files.h"

namespace windlass::plane {
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

TEST(Machine, TellsWhatItIs) {
  posix::PosixFiles files;
  const NodeMachine machine = this_machine(files, "/tmp");
  EXPECT_FALSE(machine.system.architecture.empty());
  EXPECT_FALSE(machine.system.kernel_version.empty());
  EXPECT_FALSE(machine.system.boot_id.empty());
  EXPECT_EQ(machine.system.version.substr(0, 1), "v");
  EXPECT_NE(machine.system.version.find("windlass"), std::string::npos);
}

TEST(Machine, ArchitecturesHaveTheNamesOfKubernetes) {
  EXPECT_EQ(go_architecture("x86_64"), "amd64");
  EXPECT_EQ(go_architecture("aarch64"), "arm64");
  EXPECT_EQ(go_architecture("riscv64"), "riscv64");
}

TEST(Machine, TheSystemsNameIsInAFile) {
  EXPECT_EQ(pretty_name("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(pretty_name("PRETTY_NAME=Alpine\n"), "Alpine");
  EXPECT_EQ(pretty_name(""), "");
}

TEST(Machine, MemoryIsWhatTheKernelSays) {
  EXPECT_EQ(total_memory("MemFree: 1 kB\nMemTotal:       24102340 kB\n"), "24102340Ki");
  EXPECT_EQ(total_memory("nothing"), "1Gi");
}

}  // namespace
}  // namespace windlass::plane
