#include "supervisor/cgroup/cgroups.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <future>

#include "posix/testing.h"
#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using ::testing::HasSubstr;

TEST(CgroupMounts, AHybridMachineHasEachControllerWhereItIs) {
  const CgroupMounts mounts = find_cgroup_mounts(
      "20 19 0:1 / /proc rw - proc proc rw\n"
      "30 25 0:26 / /sys/fs/cgroup/cpu rw,relatime shared:4 - cgroup cgroup rw,cpu,cpuacct\n"
      "31 25 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(mounts, (CgroupMounts{"/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory", "",
                                  "/sys/fs/cgroup/cpu"}));
}

TEST(CgroupMounts, AMachineWithoutAnyHasNone) {
  EXPECT_EQ(find_cgroup_mounts("nonsense\n\n20 19 0:1 / / rw - ext4 /dev/vda rw\n"),
            CgroupMounts());
}

class DelegatedGroup : public ::testing::Test {
 protected:
  void make(const std::string& path, const std::string& processes) {
    std::filesystem::create_directories(mount_.path() + path);
    mount_.write(path.substr(1) + "/cgroup.procs", processes);
    mount_.write(path.substr(1) + "/cgroup.subtree_control", "");
  }

  posix::TemporaryDirectory mount_;
};

// As a terminal of a desktop has it, whose group is in that of a user.
TEST_F(DelegatedGroup, IsTheNearestWithoutProcesses) {
  make("/user/app", "");
  make("/user/app/terminal", "1\n");
  EXPECT_EQ(delegated_group(mount_.path(), "3:cpu:/x\n0::/user/app/terminal\n"),
            mount_.path() + "/user/app");
  EXPECT_EQ(delegated_group(mount_.path(), "0::/user/app\n"), mount_.path() + "/user/app");
}

// As a service has it: nothing above its own group belongs to its user.
TEST_F(DelegatedGroup, ItsProcessesMoveWhereThereIsNoOther) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  const CgroupMounts mounts = find_cgroup_mounts(read_cgroup("/proc/self/mountinfo"));
  if (mounts.v2.empty()) {
    GTEST_SKIP() << "no control groups of version 2 here";
  }
  const std::string name = fmt::format("/windlass-test-service-{}", ::getpid());
  const std::string group = mounts.v2 + name;
  ASSERT_TRUE(std::filesystem::create_directory(group));
  constexpr uid_t kNobody = 65534;
  for (const char* file : {"", "/cgroup.procs", "/cgroup.subtree_control"}) {
    ASSERT_EQ(::chown((group + file).c_str(), kNobody, kNobody), 0);
  }
  const std::string before = read_cgroup("/proc/self/cgroup");
  EXPECT_EQ(windlass::supervisor::testing::result_as_nobody(
                [&] {
                  EXPECT_EQ(usable_cgroup_mounts().v2, group);
                  EXPECT_THAT(read_cgroup("/proc/self/cgroup"),
                              HasSubstr("0::" + name + "/windlass/main\n"));
                  EXPECT_EQ(usable_cgroup_mounts().v2, group) << "the next one finds the same";
                  windlass::supervisor::testing::Rig rig;
                  EXPECT_TRUE(rig.isolation().kill_by_cgroup);
                  auto request = rig.shell("1", "sleep 1000 & sleep 1000");
                  const windlass::supervisor::testing::Outcome& outcome = rig.start(request);
                  EXPECT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
                  rig.client->signal("1", SIGKILL);
                  EXPECT_TRUE(rig.wait_for([&] { return outcome.over(); }));
                  return 0;
                },
                [&] { EXPECT_TRUE(write_cgroup(group + "/cgroup.procs", "0")); }),
            0);
  EXPECT_EQ(read_cgroup("/proc/self/cgroup"), before);
  EXPECT_TRUE(remove_cgroup(group));
}

TEST_F(DelegatedGroup, OthersDoNotMakeGroups) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  make("/system/other", "1\n");
  std::filesystem::permissions(mount_.path(), std::filesystem::perms::others_all,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(windlass::supervisor::testing::result_as_nobody([&] {
              EXPECT_EQ(delegated_group(mount_.path(), "0::/system/other\n"), "");
              EXPECT_EQ(delegated_group(mount_.path(), ""), "");
              return 0;
            }),
            0);
}

// A kill of the supervisor and of all who would start it again.
TEST(CgroupLeftovers, AreRemovedWithoutASupervisor) {
  const CgroupMounts mounts = find_cgroup_mounts(read_cgroup("/proc/self/mountinfo"));
  Isolation isolation;
  const std::string directory = "/windlass-test/leftovers";
  Cgroups groups(mounts, group_name(directory), isolation);
  if (!isolation.kill_by_cgroup && isolation.pids == CgroupVersion::none) {
    GTEST_SKIP() << "no control groups here";
  }
  env::ContainerLimits limits;
  limits.pids = 10;
  ASSERT_TRUE(groups.make("1", limits));
  const std::string place = (isolation.pids == CgroupVersion::v1 ? mounts.pids : mounts.v2) +
                            "/windlass/" + group_name(directory);
  ASSERT_TRUE(std::filesystem::exists(place + "/1"));
  EXPECT_TRUE(remove_leftover_groups(mounts, "/windlass-test/another", seconds(1)));
  EXPECT_TRUE(std::filesystem::exists(place + "/1"));
  EXPECT_TRUE(remove_leftover_groups(mounts, directory, seconds(60)));
  EXPECT_FALSE(std::filesystem::exists(place));
}

// Two programs on one machine share the group above theirs, and the last to end removes it. One
// that lost this race made no container any more: "mkdir: no such file or directory".
TEST(CgroupLeftovers, ASupervisorThatEndsTakesNothingFromOneThatStarts) {
  const CgroupMounts found = find_cgroup_mounts(read_cgroup("/proc/self/mountinfo"));
  CgroupMounts mounts;  // one hierarchy: only its folders matter here
  (found.v2.empty() ? mounts.pids : mounts.v2) = found.v2.empty() ? found.pids : found.v2;
  if (mounts == CgroupMounts()) {
    GTEST_SKIP() << "no control groups here";
  }
  constexpr int kLives = 300;
  const auto live = [&](const std::string& directory) {
    int broken = 0;
    for (int i = 0; i < kLives; ++i) {
      Isolation isolation;
      Cgroups groups(mounts, group_name(directory), isolation);
      groups.clear_leftovers(seconds(60));
      env::ContainerLimits limits;
      limits.pids = 10;
      Result<std::unique_ptr<ContainerGroup>> group = groups.make("1", limits);
      // In a group of either version.
      const bool inside = group && ((*group)->directory() >= 0 || !(*group)->task_files().empty());
      broken += inside ? 0 : 1;
      if (group) {
        (*group)->remove();
      }
      groups.remove();
    }
    return broken;
  };
  std::future<int> other =
      std::async(std::launch::async, [&] { return live("/windlass-test/other"); });
  EXPECT_EQ(live("/windlass-test/one"), 0);
  EXPECT_EQ(other.get(), 0);
}

TEST(CgroupCpu, SharesAndWeightsAreThoseOfKubernetes) {
  EXPECT_EQ(cpu_shares(0), 2u);
  EXPECT_EQ(cpu_shares(1000), 1024u);
  EXPECT_EQ(cpu_shares(10'000'000), 262'144u);
  EXPECT_EQ(cpu_weight(0), 1u);
  EXPECT_EQ(cpu_weight(1000), 39u);
  EXPECT_EQ(cpu_weight(10'000'000), 10'000u);
}

}  // namespace
}  // namespace windlass::supervisor
