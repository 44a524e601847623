#include "cli/commands/down.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/output/captured_output_testing.h"
#include "node/shutdown/shutdown_mark.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/testing.h"
#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/cgroup/cgroups.h"
#include "virtual_world/virtual_containers.h"

namespace windlass::cli {
namespace {

// A `windlass up` that SIGPWR kills: it has no pods ended.
class KilledUp {
 public:
  explicit KilledUp(const std::string& data_dir) {
    int ready[2] = {};
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::signal(SIGPWR, SIG_DFL);
      const auto held = posix::open_data_directory(data_dir);
      [[maybe_unused]] const ssize_t said = ::write(ready[1], held ? "y" : "n", 1);
      ::pause();
      ::_exit(1);
    }
    char answer = 0;
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~KilledUp() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  KilledUp(const KilledUp&) = delete;
  KilledUp& operator=(const KilledUp&) = delete;

 private:
  pid_t pid_ = 0;
};

// With supervisors that run nothing; `ended` are the folders of those that were to end.
ExitCode take_down_and_tell(const std::string& data_dir, testing::TextOutput& output,
                            std::vector<std::string>& ended) {
  posix::PosixClock clock;
  posix::PosixFiles files;
  posix::EventLoop loop(clock);
  const auto containers = std::make_shared<virtual_world::VirtualContainers>(
      loop, clock, [](const env::ContainerRequest&) -> Result<virtual_world::VirtualProcess> {
        return virtual_world::VirtualProcess();
      });
  const plane::ContainerFactory factory = [&](const std::string& supervisor, plane::ContainerLife) {
    ended.push_back(supervisor);
    return containers;
  };
  DownOptions options;
  options.data_dir = data_dir;
  return take_down(options, {files, clock, loop, factory, output});
}

TEST(Down, WhatAProcessLeavesBehindEndsToo) {
  const posix::TemporaryDirectory directory;
  for (const char* node : {"nodes/node-1", "nodes/node-2"}) {
    std::filesystem::create_directories(directory / node);
  }
  const KilledUp up(directory.path());
  const KilledUp supervisor(directory / "nodes/node-1/supervisor");
  testing::TextOutput output;
  std::vector<std::string> ended;
  EXPECT_EQ(take_down_and_tell(directory.path(), output, ended), ExitCode::ok);
  EXPECT_EQ(ended, (std::vector<std::string>{directory / "nodes/node-1/supervisor",
                                             directory / "nodes/node-2/supervisor"}));
  posix::PosixFiles files;
  EXPECT_TRUE(node::ShutdownMark(files, directory / "nodes/node-1").read().has_value());
  EXPECT_FALSE(node::ShutdownMark(files, directory / "nodes/node-2").read().has_value())
      << "nothing of it ran any more";
  EXPECT_EQ(output.err_text, "Stopped\n");
}

TEST(Down, AProcessWhoseLockFileIsGoneEndsToo) {
  const posix::TemporaryDirectory directory;
  const KilledUp up(directory.path());
  std::filesystem::remove(directory / "lock");
  testing::TextOutput output;
  std::vector<std::string> ended;
  EXPECT_EQ(take_down_and_tell(directory.path(), output, ended), ExitCode::ok);
  EXPECT_EQ(output.err_text, "Stopped\n");
  EXPECT_FALSE(posix::data_directory_in_use(directory.path()));
}

TEST(Down, ControlGroupsOfAKilledSupervisorGo) {
  const posix::TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "nodes/node-1");
  ::chmod(directory.path().c_str(), 0700);
  const std::string name = supervisor::group_name(directory / "nodes/node-1/supervisor");
  const auto mounts =
      supervisor::find_cgroup_mounts(supervisor::read_cgroup("/proc/self/mountinfo"));
  supervisor::Isolation isolation;
  const supervisor::Cgroups groups(mounts, name, isolation);
  const auto left = [&] {
    size_t count = 0;
    for (const std::string& mount : {mounts.v2, mounts.memory, mounts.pids, mounts.cpu}) {
      count += std::filesystem::exists(mount + "/windlass/" + name) ? 1U : 0U;
    }
    return count;
  };
  if (left() == 0) {
    GTEST_SKIP() << "no control groups here";
  }
  testing::TextOutput output;
  std::vector<std::string> ended;
  EXPECT_EQ(take_down_and_tell(directory.path(), output, ended), ExitCode::ok) << output.err_text;
  EXPECT_EQ(left(), 0u);
}

// With the data directory itself, and what stands in the way of one of them.
TEST(Down, NodesThatShareTheDirectoryEndToo) {
  const posix::TemporaryDirectory directory;
  for (const char* node : {"agents/a", "agents/b", "agents/lax"}) {
    std::filesystem::create_directories(directory / node);
    ::chmod((directory / node).c_str(), 0700);
  }
  directory.write("agents/stray", "");
  ::chmod((directory / "agents/lax").c_str(), 0755);
  const KilledUp up(directory.path());
  const KilledUp a(directory / "agents/a");
  testing::TextOutput output;
  std::vector<std::string> ended;
  EXPECT_EQ(take_down_and_tell(directory.path(), output, ended), ExitCode::failed);
  EXPECT_EQ(ended, (std::vector<std::string>{directory / "agents/a/supervisor",
                                             directory / "agents/b/supervisor"}));
  EXPECT_THAT(output.err_text, ::testing::HasSubstr("agents/lax"));
  EXPECT_FALSE(posix::data_directory_in_use(directory.path()));
  EXPECT_FALSE(posix::data_directory_in_use(directory / "agents/a"));
}

// A process that has nothing to do with it: SIGPWR would end it.
class Bystander {
 public:
  Bystander() : pid_(::fork()) {
    if (pid_ == 0) {
      ::signal(SIGPWR, SIG_DFL);
      ::pause();
      ::_exit(1);
    }
  }
  ~Bystander() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  std::string number() const { return std::to_string(pid_) + "\n"; }
  // A signal that was sent has been taken by the time a later one is.
  bool is_unharmed() const {
    ::kill(pid_, SIGSTOP);
    int status = 0;
    return ::waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
  }

 private:
  pid_t pid_;
};

ExitCode take_down_alone(const std::string& data_dir, testing::TextOutput& output) {
  posix::PosixClock clock;
  posix::PosixFiles files;
  posix::EventLoop loop(clock);
  DownOptions options;
  options.data_dir = data_dir;
  const plane::ContainerFactory none;
  return take_down(options, {files, clock, loop, none, output});
}

TEST(Down, ANumberThatIsLeftInTheLockIsNobodys) {
  const posix::TemporaryDirectory directory;
  const Bystander bystander;
  ::chmod(directory.write("lock", bystander.number()).c_str(), 0600);
  const std::string lax = directory.write("alice.kubeconfig", "");
  ::chmod(lax.c_str(), 0644);
  testing::TextOutput output;
  EXPECT_EQ(take_down_alone(directory.path(), output), ExitCode::failed);
  EXPECT_THAT(output.err_text, ::testing::HasSubstr("chmod 600 " + lax));
  ::chmod(lax.c_str(), 0600);
  EXPECT_EQ(take_down_alone(directory.path(), output), ExitCode::ok);
  EXPECT_THAT(output.err_text, ::testing::HasSubstr("Nothing is running in"));
  EXPECT_EQ(directory.read("lock"), "") << "no reader may take this process for a `windlass up`";
  EXPECT_TRUE(bystander.is_unharmed());
}

// The directory cannot be taken after it; that matters only where something is left to be ended.
TEST(Down, AFileThatIsOpenToOthersKeepsNobodyUp) {
  const posix::TemporaryDirectory directory;
  const std::string supervisor = directory / "nodes/node-1/supervisor";
  testing::TextOutput output;
  std::string lax;
  {
    const KilledUp up(directory.path());
    lax = directory.write("alice.kubeconfig", "");
    ::chmod(lax.c_str(), 0644);
    EXPECT_EQ(take_down_alone(directory.path(), output), ExitCode::ok);
    EXPECT_EQ(output.err_text, "Stopped\n");
  }
  ::chmod(lax.c_str(), 0600);
  const KilledUp up(directory.path());
  ::chmod(lax.c_str(), 0644);
  const auto goes_on = posix::open_data_directory(supervisor);
  ASSERT_TRUE(goes_on);
  EXPECT_EQ(take_down_alone(directory.path(), output), ExitCode::failed);
  EXPECT_THAT(output.err_text, ::testing::HasSubstr("chmod 600 " + lax));
}

TEST(Down, OnlyWhoHoldsTheDirectoryIsEnded) {
  const posix::TemporaryDirectory directory;
  const Bystander bystander;
  const auto other = posix::open_data_directory(directory.path(), posix::LockName::none);
  ASSERT_TRUE(other);
  testing::TextOutput output;
  EXPECT_EQ(take_down_alone(directory.path(), output), ExitCode::failed);
  EXPECT_THAT(output.err_text, ::testing::HasSubstr("perhaps it is another `windlass down`"));
  directory.write("lock", bystander.number());
  EXPECT_EQ(take_down_alone(directory.path(), output), ExitCode::failed);
  EXPECT_TRUE(bystander.is_unharmed());
}

}  // namespace
}  // namespace windlass::cli
