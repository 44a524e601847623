// What a container's security context takes from it, and the namespaces of the host that it keeps.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using testing::bind_mount;
using ::testing::HasSubstr;
using testing::Rig;

struct ConfinementTest : ::testing::Test {
  void SetUp() override {
    if (!rig.isolation().namespaces) {
      GTEST_SKIP() << "no namespaces here";
    }
  }
  bool is_root() { return ::geteuid() == 0 && !rig.isolation().user_namespace; }

  Rig rig;
};

TEST_F(ConfinementTest, NothingOfAReadOnlyRootCanBeWritten) {
  const std::string volume = rig.directory / "volume";
  std::filesystem::create_directory(volume);
  std::filesystem::permissions(volume, std::filesystem::perms::all);
  auto request = rig.shell(
      "1",
      "for d in / /etc /usr /var/tmp /windlass-new; do touch $d/windlass-x 2>/dev/null && echo "
      "wrote to $d; done; echo a > /windlass-new/vol/f && echo volume; echo b > /tmp/f && echo "
      "tmp; echo c > /dev/null && echo null; cat /proc/self/comm");
  request.isolation.mounts = {bind_mount(volume, "/windlass-new/vol")};
  request.isolation.confinement.read_only_root = true;
  EXPECT_EQ(rig.output(request), "volume\ntmp\nnull\ncat\n");
  EXPECT_EQ(::access(volume.c_str(), W_OK), 0) << "the machine's own stays as it was";
}

TEST_F(ConfinementTest, TheRootOfAnImageIsReadOnlyToo) {
  const std::string root = rig.directory / "image";
  std::filesystem::create_directories(root + "/etc");
  auto request = rig.shell(
      "1",
      "for d in / /etc; do touch $d/x 2>/dev/null && echo wrote to $d; done; touch /tmp/x && "
      "echo tmp");
  request.isolation.root = root;
  request.isolation.layer = rig.directory / "layer";
  for (const char* name : {"/usr", "/lib", "/lib64", "/bin"}) {
    request.isolation.mounts.push_back(bind_mount(name, name, true));
  }
  request.isolation.confinement.read_only_root = true;
  EXPECT_EQ(rig.output(request), "tmp\n");
}

TEST_F(ConfinementTest, ADirectoryThatStaysInItsPlaceCanStillBeWritten) {
  auto request = rig.shell("1", "touch here && echo wrote");
  request.working_directory = rig.directory / "pods/work";
  request.isolation.mounts = {bind_mount(rig.directory / "pods", request.working_directory)};
  request.isolation.mounts[0].sub_path = "work";
  request.isolation.confinement.read_only_root = true;
  std::filesystem::create_directory(rig.directory / "pods");
  EXPECT_EQ(rig.output(request), "wrote\n");
}

TEST_F(ConfinementTest, CapabilitiesAreAddedAndDropped) {
  if (!is_root()) {
    GTEST_SKIP() << "not root";
  }
  const auto effective = [this](const std::string& id, std::vector<std::string> add,
                                std::vector<std::string> drop) {
    auto request = rig.shell(id, "grep CapEff /proc/self/status | cut -f2");
    request.isolation.confinement.add_capabilities = std::move(add);
    request.isolation.confinement.drop_capabilities = std::move(drop);
    return rig.output(request);
  };
  EXPECT_EQ(effective("1", {}, {"ALL"}), "0000000000000000\n");
  EXPECT_EQ(effective("2", {"NET_BIND_SERVICE"}, {"ALL"}), "0000000000000400\n");
  EXPECT_NE(effective("3", {}, {"KILL"}), effective("4", {}, {}));
  EXPECT_EQ(effective("5", {}, {"NOPE"}), "start error: unknown capability \"NOPE\"");
}

TEST_F(ConfinementTest, CommandsInAContainerHaveNoMoreThanIt) {
  if (!is_root()) {
    GTEST_SKIP() << "not root";
  }
  auto request = rig.shell("1", "exec sleep 1000");
  request.isolation.confinement.drop_capabilities = {"ALL"};
  const auto& outcome = rig.start(request);
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  env::ContainerExec exec;
  exec.id = "1";
  exec.command = {"/bin/sh", "-c", "grep CapEff /proc/self/status"};
  exec.timeout = seconds(20);
  std::optional<Result<env::ContainerExecResult>> done;
  rig.client->exec(exec, [&](Result<env::ContainerExecResult> result) {
    done = std::move(result);
    rig.loop.stop();
  });
  ASSERT_TRUE(rig.wait_for([&] { return done.has_value(); }));
  ASSERT_TRUE(*done);
  EXPECT_THAT((*done)->output, HasSubstr("0000000000000000"));
}

TEST_F(ConfinementTest, SettingsOfItsOwnNamespaceAreSetThereAlone) {
  if (!is_root()) {
    GTEST_SKIP() << "not root";
  }
  const std::string before = read_cgroup("/proc/sys/kernel/msgmax");
  auto request = rig.shell("1", "cat /proc/sys/kernel/msgmax");
  request.isolation.confinement.sysctls = {"kernel.msgmax=4242"};
  EXPECT_EQ(rig.output(request), "4242\n");
  EXPECT_EQ(read_cgroup("/proc/sys/kernel/msgmax"), before);
  auto bad = rig.shell("2", "true");
  bad.isolation.confinement.sysctls = {"kernel.shm_not_there=1"};
  EXPECT_THAT(rig.output(bad), HasSubstr("/proc/sys/kernel/shm_not_there"));
}

TEST_F(ConfinementTest, WithTheHostsProcessesItSeesThemAndEndsAsAWhole) {
  auto request = rig.shell("1", "readlink /proc/self/ns/pid; setsid sleep 1000 & true");
  request.isolation.confinement.host_pid = true;
  if (!rig.isolation().kill_by_cgroup) {
    EXPECT_THAT(rig.output(request), HasSubstr("hostPID needs a cgroup of version 2"));
    return;
  }
  EXPECT_EQ(rig.output(request),
            std::filesystem::read_symlink("/proc/self/ns/pid").string() + "\n");
  const auto runs = rig.list();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].state,
            env::ContainerRunInfo::State::ended);  // its group is gone, with all in it
}

TEST_F(ConfinementTest, TheHostsIpcNamespaceIsKeptOnRequest) {
  const std::string own = std::filesystem::read_symlink("/proc/self/ns/ipc").string() + "\n";
  auto request = rig.shell("1", "readlink /proc/self/ns/ipc");
  EXPECT_NE(rig.output(request), own);
  auto shared = rig.shell("2", "readlink /proc/self/ns/ipc");
  shared.isolation.confinement.host_ipc = true;
  EXPECT_EQ(rig.output(shared), own);
}

}  // namespace
}  // namespace windlass::supervisor
