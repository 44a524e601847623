// What containers and the machine do to a supervisor that means no good: "Faults".
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/child/clone.h"
#include "supervisor/server/leftovers.h"
#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using testing::bind_mount;
using testing::Outcome;
using testing::Rig;

// By its words, which nothing else on the machine has.
pid_t process_with(const std::string& words) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0 &&
        read_cgroup(entry.path() / "cmdline") == words) {
      return std::atoi(name.c_str());
    }
  }
  return -1;
}

// A v1 freezer keeps even SIGKILL waiting, as a disk that does not answer would.
class Freezer {
 public:
  Freezer() : path_(fmt::format("/sys/fs/cgroup/freezer/windlass-test-{}", ::getpid())) {
    usable_ =
        ::mkdir(path_.c_str(), 0755) == 0 && std::filesystem::exists(path_ + "/freezer.state");
  }
  ~Freezer() {
    set("THAWED");
    ::rmdir(path_.c_str());
  }
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;

  bool usable() const { return usable_; }
  bool take(pid_t pid) const {
    return write_cgroup(path_ + "/cgroup.procs", fmt::format("{}", pid)).has_value();
  }
  void set(const char* state) const {
    [[maybe_unused]] const auto done = write_cgroup(path_ + "/freezer.state", state);
  }

 private:
  std::string path_;
  bool usable_ = false;
};

TEST(HostileContainers, N4_OneThatTheKernelDoesNotKillIsNotOver) {
  const Freezer freezer;
  if (!freezer.usable()) {
    GTEST_SKIP() << "no v1 freezer here: nothing that SIGKILL does not end at once";
  }
  Rig rig;
  Outcome& stuck = rig.start(rig.request("stuck", {"sleep", "1013"}));
  ASSERT_TRUE(rig.wait_for([&] { return stuck.started.has_value(); }));
  ASSERT_TRUE(freezer.take(process_with(std::string("sleep\0001013\0", 11))));
  freezer.set("FROZEN");
  rig.client->signal("stuck", SIGKILL);
  for (const char* other : {"1", "2", "3"}) {
    EXPECT_EQ(rig.exit_of(rig.shell(other, "sleep 0.1; exit 4")).code, 4) << "others go on";
  }
  EXPECT_FALSE(stuck.over());
  freezer.set("THAWED");
  ASSERT_TRUE(rig.wait_for([&] { return stuck.over(); }));
  EXPECT_EQ(stuck.exit->code, 137);
}

TEST(HostileContainers, OneThatClosesItsStreamsRunsOn) {
  Rig rig;
  const auto request = rig.shell("silent", "echo first; exec >&- 2>&-; sleep 0.2; exit 6");
  EXPECT_EQ(rig.exit_of(request).code, 6);
  EXPECT_EQ(rig.output_of(request), "first\n");
}

// Its child has the streams, and lives on for a while.
TEST(HostileContainers, OneWhoseChildHoldsTheStreamsEndsAllTheSame) {
  Rig rig;
  const auto request = rig.shell("daemon", "(setsid sleep 1000 &); echo last; exit 7");
  EXPECT_EQ(rig.exit_of(request).code, 7);
  EXPECT_EQ(rig.output_of(request), "last\n");
}

// As with a disk that is full: nothing may run that is not on record.
TEST(HostileMachine, WhatCannotBeRecordedIsNoFailureOfTheContainer) {
  Rig rig;
  EXPECT_EQ(rig.exit_of(rig.shell("before", "exit 3")).code, 3);
  rlimit before = {};
  ASSERT_EQ(::prlimit(rig.supervisor, RLIMIT_FSIZE, nullptr, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::prlimit(rig.supervisor, RLIMIT_FSIZE, &none, nullptr), 0);
  auto request = rig.shell("again", "exit 4");
  request.log_path = "";
  const Outcome& refused = rig.run(request);
  ASSERT_TRUE(refused.started && !*refused.started);
  EXPECT_TRUE(env::is_not_created(refused.started->error())) << refused.started->error().message;
  ASSERT_EQ(::prlimit(rig.supervisor, RLIMIT_FSIZE, &before, nullptr), 0);
  rig.outcomes.erase("again");
  EXPECT_EQ(rig.exit_of(request).code, 4);
}

// A container that is not root may put a link into its volume, and the next one is made by root.
TEST(HostileContainers, ALinkInAVolumeLeadsNoMountOutOfIt) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  for (const char* name : {"data", "data/inner", "outside"}) {
    std::filesystem::create_directory(rig.directory / name);
  }
  rig.directory.write("file", "words\n");
  std::filesystem::create_symlink(rig.directory / "outside", rig.directory / "data/away");
  std::filesystem::create_symlink("../etc", rig.directory / "data/up");
  std::filesystem::create_symlink("inner", rig.directory / "data/within");
  const auto with = [&](const std::string& id, const std::string& target) {
    auto request = rig.shell(id, "cat " + target);
    request.isolation.private_tmp = false;  // what is outside is in /tmp
    request.isolation.mounts = {bind_mount(rig.directory / "data", "/windlass-test"),
                                bind_mount(rig.directory / "file", target)};
    return request;
  };
  EXPECT_EQ(rig.output(with("1", "/windlass-test/away/new")),
            "start error: /windlass-test/away leads out of /windlass-test");
  EXPECT_EQ(rig.output(with("2", "/windlass-test/up/windlass-new/deep")),
            "start error: /windlass-test/up leads out of /windlass-test");
  EXPECT_TRUE(std::filesystem::is_empty(rig.directory / "outside"));
  EXPECT_FALSE(std::filesystem::exists("/etc/windlass-new"));
  EXPECT_EQ(rig.output(with("3", "/windlass-test/within//./new")), "words\n");
  EXPECT_TRUE(std::filesystem::exists(rig.directory / "data/inner/new"));
  EXPECT_EQ(rig.output(with("4", "/windlass-test/made/deep/new")), "words\n");
  EXPECT_TRUE(std::filesystem::exists(rig.directory / "data/made/deep/new"));
}

TEST(HostileContainers, AMountWhosePathLeadsUpIsRefused) {
  Rig rig;
  rig.directory.write("file", "words\n");
  auto request = rig.shell("up", "true");
  request.isolation.mounts = {bind_mount(rig.directory / "file", "/tmp/../etc/windlass-hostile")};
  EXPECT_EQ(rig.output(request),
            "start error: mount at \"/tmp/../etc/windlass-hostile\": .. is not allowed");
  EXPECT_FALSE(std::filesystem::exists("/etc/windlass-hostile"));
}

TEST(Leftovers, N5_ANumberThatChangedHandsIsLeftAlone) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::pause();
    ::_exit(0);
  }
  const uint64_t ticks = process_start_ticks(pid);
  EXPECT_TRUE(end_marked_process({pid, ticks + 1}, seconds(1)));
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << "another one with the same number lives";
  EXPECT_TRUE(end_marked_process({pid, ticks}, seconds(10)));
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(end_marked_process({pid, ticks}, seconds(1))) << "it is gone";
}

}  // namespace
}  // namespace windlass::supervisor
