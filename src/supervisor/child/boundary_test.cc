// The ways out of a container that are known, each tried from inside one: none may work.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using testing::bind_mount;
using ::testing::HasSubstr;
using testing::Rig;

struct BoundaryTest : ::testing::Test {
  void SetUp() override {
    if (!rig.isolation().namespaces) {
      GTEST_SKIP() << "no namespaces here";
    }
  }
  bool is_root() { return ::geteuid() == 0 && !rig.isolation().user_namespace; }
  // What the script wrote; errors of the tools are not of interest.
  std::string output(const std::string& script) {
    return rig.output(rig.shell(std::to_string(++runs), "exec 2>/dev/null; " + script));
  }

  Rig rig;
  int runs = 0;
};

TEST_F(BoundaryTest, SettingsOfTheMachineCannotBeWritten) {
  const std::string before = read_cgroup("/proc/sys/kernel/core_pattern");
  EXPECT_EQ(output("for f in sys/kernel/core_pattern sys/kernel/modprobe sys/vm/panic_on_oom "
                   "sysrq-trigger irq/default_smp_affinity sys/fs/binfmt_misc/register "
                   "bus/pci/00/00.0; do test -e /proc/$f && echo '|x' > /proc/$f && echo $f; done; "
                   "echo end"),
            "end\n");
  EXPECT_EQ(read_cgroup("/proc/sys/kernel/core_pattern"), before);
  // What is the process's own stays as it is.
  EXPECT_EQ(output("echo 500 > /proc/self/oom_score_adj && cat /proc/self/oom_score_adj"), "500\n");
}

TEST_F(BoundaryTest, FilesOfTheKernelThatTellTooMuchAreEmpty) {
  EXPECT_EQ(output("for f in kcore keys key-users kmsg kallsyms timer_list latency_stats "
                   "sched_debug interrupts; do test -e /proc/$f && head -c1 /proc/$f; done; "
                   "ls -A /proc/acpi /proc/scsi /sys/firmware | grep -v -e : -e '^$'; echo end"),
            "end\n");
}

TEST_F(BoundaryTest, SysAndItsControlGroupsCannotBeWritten) {
  EXPECT_EQ(output("find /sys -xdev -type f -writable 2>/dev/null | head -3; "
                   "for f in $(find /sys/fs/cgroup -name cgroup.procs -o -name tasks -o -name "
                   "release_agent -o -name notify_on_release); do echo $$ > $f && echo $f; done; "
                   "mkdir /sys/fs/cgroup/escape && echo made a group; echo end"),
            "end\n");
  EXPECT_EQ(output("grep -v ':/$' /proc/self/cgroup; echo end"), "end\n");
}

TEST_F(BoundaryTest, AContainersOwnLimitIsToBeSeenAndNotToBeChanged) {
  if (rig.isolation().memory == CgroupVersion::none) {
    GTEST_SKIP() << "no memory limits here";
  }
  auto request = rig.shell("1",
                           "for f in memory/memory.limit_in_bytes memory.max; do g=/sys/fs/cgroup/"
                           "$f; test -e $g && cat $g && echo 1 2>/dev/null > $g && echo changed; "
                           "done; for f in /sys/fs/cgroup/memory/tasks /sys/fs/cgroup/cgroup.procs;"
                           "do echo $$ 2>/dev/null > $f && echo left; done; echo end");
  request.limits.memory_bytes = 64 << 20;
  EXPECT_EQ(rig.output(request), "67108864\nend\n");
}

TEST_F(BoundaryTest, DevicesOfTheMachineAreNotThereAndDoNotOpen) {
  EXPECT_EQ(output("for d in mem kmem port kmsg sda vda fuse kvm net/tun loop-control; do test -e "
                   "/dev/$d && echo $d; done; for d in null zero full random urandom tty; do test "
                   "-c /dev/$d || echo no $d; done; echo a > /dev/null && head -c1 /dev/zero | wc "
                   "-c; test -p /proc/self/fd/1 && echo out > /dev/stdout; echo b > /dev/shm/f && "
                   "cat /dev/shm/f; ls /dev/pts; (exec 3<>/dev/ptmx && echo terminal)"),
            "1\nout\nb\nptmx\nterminal\n");
  if (!is_root()) {
    return;
  }
  // Even one that a container may make, or finds in a volume, is of no use.
  const std::string volume = rig.directory / "volume";
  std::filesystem::create_directory(volume);
  auto request = rig.shell("maker",
                           "exec 2>/dev/null; for d in /tmp /vol /dev/shm /dev; do mknod "
                           "$d/null c 1 3; mknod $d/n c 1 3; test -c $d/n && echo x > $d/n && echo "
                           "$d opens; done; echo end");
  request.isolation.confinement.add_capabilities = {"MKNOD"};
  request.isolation.mounts = {bind_mount(volume, "/vol")};
  EXPECT_EQ(rig.output(request), "end\n");
}

TEST_F(BoundaryTest, HiddenDirectoriesAreEmptyButForTheContainersOwn) {
  const std::string top = "/var/tmp/windlass-hidden-" + std::to_string(::getpid());
  std::filesystem::create_directories(top + "/pods/own");
  std::filesystem::create_directories(top + "/pods/other");
  std::ofstream(top + "/admin") << "secret";
  auto request = rig.shell("1", "cd " + top +
                                    " && find . | sort; touch pods/own/f && echo wrote; "
                                    "touch x 2>/dev/null || echo closed");
  request.working_directory = top + "/pods/own";
  request.isolation.mounts = {bind_mount(top + "/pods", top + "/pods/own")};
  request.isolation.mounts[0].sub_path = "own";
  request.isolation.boundary.hidden = {top, "/not/there"};
  EXPECT_EQ(rig.output(request), ".\n./pods\n./pods/own\nwrote\nclosed\n");
  EXPECT_TRUE(std::filesystem::exists(top + "/pods/own/f"));
  std::filesystem::remove_all(top);
}

TEST_F(BoundaryTest, SocketsOfTheMachinesServicesAreNotThere) {
  EXPECT_EQ(output("find /run /var/run/ -type s; echo end"), "end\n");
}

TEST_F(BoundaryTest, OtherProcessesAreNotThere) {
  const std::string supervisor = std::to_string(rig.supervisor);
  EXPECT_EQ(output("ls /proc | grep -c '^[0-9]' | { read n; test $n -lt 6 || echo $n; }; "
                   "(cd /proc/1/root && ls ." +
                   rig.directory.path() + "); test -e /proc/" + supervisor +
                   " && echo supervisor; readlink /proc/1/ns/pid /proc/self/ns/pid | uniq -d | wc "
                   "-l"),
            "1\n");
}

TEST_F(BoundaryTest, NothingIsMountedOrUnmounted) {
  EXPECT_EQ(output("mount -t tmpfs none /mnt && echo mounted; umount /proc/sys && echo unmounted; "
                   "mount -o remount,rw /proc/sys && echo writable; "
                   "mount -t proc proc /tmp && echo proc; "
                   "unshare -m true && echo unshared; nsenter -t 1 -m true && echo entered; "
                   "echo end"),
            "end\n");
}

TEST_F(BoundaryTest, SystemCallsAreFilteredUnlessAskedOtherwise) {
  const std::string mode = "grep ^Seccomp: /proc/self/status | cut -f2";
  EXPECT_EQ(output(mode), "2\n");
  auto open = rig.shell("open", mode);
  open.isolation.boundary.unfiltered = true;
  EXPECT_EQ(rig.output(open), "0\n");
  auto privileged = rig.shell("privileged", mode);
  privileged.isolation.privileged = true;
  EXPECT_EQ(rig.output(privileged), "0\n");
  // A namespace of one's own is where most ways out of a kernel begin.
  EXPECT_EQ(output("unshare -U true && echo users; unshare -r true && echo root; echo end"),
            "end\n");
}

TEST_F(BoundaryTest, CommandsInAContainerAreFilteredToo) {
  const auto& outcome = rig.start(rig.shell("1", "exec sleep 1000"));
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  env::ContainerExec exec;
  exec.id = "1";
  exec.command = {"/bin/sh", "-c",
                  "grep ^Seccomp: /proc/self/status | cut -f2; sed 's/.*://' /proc/self/cgroup | "
                  "sort -u; test -w /proc/sys/kernel/core_pattern && echo writable"};
  exec.timeout = seconds(20);
  std::optional<Result<env::ContainerExecResult>> done;
  rig.client->exec(exec, [&](Result<env::ContainerExecResult> result) {
    done = std::move(result);
    rig.loop.stop();
  });
  ASSERT_TRUE(rig.wait_for([&] { return done.has_value(); }));
  ASSERT_TRUE(*done);
  EXPECT_EQ((*done)->output, "2\n/\n");
}

// A core_pattern that is a program runs as root, outside.
TEST_F(BoundaryTest, NothingLeavesACoreDump) {
  EXPECT_EQ(output("ulimit -c unlimited; grep '^Max core' /proc/self/limits | tr -s ' '"),
            "Max core file size 1 1 bytes \n");
}

TEST_F(BoundaryTest, AnUnfilteredContainerHasKeysOfItsOwn) {
  const auto session = [this](const std::string& id) {
    auto request = rig.shell(id, "grep 'keyring *_ses:' /proc/keys | cut -d' ' -f1");
    request.isolation.boundary.unfiltered = true;
    request.isolation.boundary.unmasked_proc = true;
    return rig.output(request);
  };
  const std::string first = session("1");
  EXPECT_NE(first, "");
  EXPECT_NE(session("2"), first);
}

TEST_F(BoundaryTest, AnUnmaskedProcIsOnlyForWhoAsks) {
  auto request = rig.shell("1", "test -w /proc/sys/kernel/core_pattern && echo writable");
  request.isolation.boundary.unmasked_proc = true;
  EXPECT_EQ(rig.output(request), is_root() ? "writable\n" : "");
}

}  // namespace
}  // namespace windlass::supervisor
