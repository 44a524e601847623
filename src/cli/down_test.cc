#include "cli/down.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/testing.h"
#include "posix/data_directory.h"
#include "posix/posix_clock.h"
#include "posix/posix_files.h"
#include "posix/testing.h"
#include "sim/sim_containers.h"

namespace windlass::cli {
namespace {

// SIGPWR kills it: it has no pods ended.
TEST(Down, WhatAProcessLeavesBehindEndsToo) {
  const posix::TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "nodes/node-1");
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t up = ::fork();
  if (up == 0) {
    ::signal(SIGPWR, SIG_DFL);
    const auto held = posix::open_data_directory(directory.path());
    [[maybe_unused]] const ssize_t said = ::write(ready[1], held ? "y" : "n", 1);
    ::pause();
    ::_exit(1);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  posix::PosixClock clock;
  posix::PosixFiles files;
  posix::EventLoop loop(clock);
  testing::TextOutput output;
  std::vector<std::string> ended;
  const auto containers = std::make_shared<sim::SimContainers>(
      loop, clock,
      [](const env::ContainerRequest&) -> Result<sim::SimProcess> { return sim::SimProcess(); });
  DownOptions options;
  options.data_dir = directory.path();
  EXPECT_EQ(take_down(
                options, files, loop,
                [&](const std::string& supervisor, ContainerLife) {
                  ended.push_back(supervisor);
                  return containers;
                },
                output),
            ExitCode::ok);
  EXPECT_EQ(ended, std::vector<std::string>{directory / "nodes/node-1/supervisor"});
  EXPECT_EQ(output.err_text, "stopped\n");
  ::waitpid(up, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace windlass::cli
