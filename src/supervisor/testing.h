// For tests: a real supervisor process in a temporary directory, and a client of it. What a test
// leaves behind (processes, groups, mounts) fails it.
#pragma once

#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "posix/event_loop.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_log.h"
#include "posix/testing.h"
#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/cgroup/cgroups.h"
#include "supervisor/protocol/client.h"
#include "supervisor/server/serve.h"

namespace windlass::supervisor::testing {

struct Outcome {
  std::optional<Result<void>> started;
  std::optional<env::ContainerExit> exit;
  int starts = 0;
  int exits = 0;

  bool over() const { return exit || (started && !*started); }
};

inline env::ContainerMount bind_mount(const std::string& source, const std::string& target,
                                      bool read_only = false) {
  return {env::ContainerMount::Kind::bind, source, target, read_only, 0};
}

// What `work` returns in a process of an ordinary user, after `before` as root; 1 when a test of it
// fails. To be called by root.
inline int result_as_nobody(
    const std::function<int()>& work, const std::function<void()>& before = [] {}) {
  constexpr gid_t kNobody = 65534;
  const pid_t child = ::fork();
  if (child == 0) {
    before();
    const bool changed = ::setgroups(0, nullptr) == 0 &&
                         ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                         ::setresuid(kNobody, kNobody, kNobody) == 0 &&
                         ::prctl(PR_SET_DUMPABLE, 1) == 0;  // as after an exec
    const int result = changed ? work() : 1;
    ::_exit(::testing::Test::HasFailure() ? 1 : result);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
constexpr int kNoNamespaces = 2;

class Rig {
 public:
  explicit Rig(SupervisorOptions options = {}) : options_(std::move(options)) {
    options_.directory = directory / "sup";
    EXPECT_TRUE(posix::PosixFiles().make_directory(options_.directory));
    connect();
  }
  ~Rig() {
    if (!client) {
      connect();
    }
    bool done = false;
    client->shut_down([&] {
      done = true;
      loop.stop();
    });
    EXPECT_TRUE(wait_for([&] { return done; })) << "the supervisor does not end";
    client.reset();
    reap();
    expect_nothing_left();
  }

  void connect() {
    SupervisorClientOptions client_options;
    client_options.directory = options_.directory;
    client_options.launch = [this] { return launch(); };
    client = std::make_unique<SupervisorClient>(loop, clock, log, std::move(client_options));
  }

  // Runs the loop until it is so. Callbacks stop the loop, so this looks after each.
  template <class Predicate>
  bool wait_for(Predicate so, Duration limit = seconds(60)) {
    bool late = false;
    const env::TimerId timer = loop.schedule(limit, [&] {
      late = true;
      loop.stop();
    });
    while (!so() && !late) {
      loop.run();
    }
    loop.cancel(timer);
    return so();
  }

  env::ContainerRequest request(const std::string& id, std::vector<std::string> command) {
    env::ContainerRequest request;
    request.id = id;
    request.command = std::move(command);
    request.environment = {"PATH=/usr/bin:/bin"};
    request.log_path = directory / ("log-" + std::to_string(++logs_));
    return request;
  }
  env::ContainerRequest shell(const std::string& id, const std::string& script) {
    return request(id, {"/bin/sh", "-c", script});
  }

  Outcome& start(const env::ContainerRequest& request) {
    Outcome& outcome = outcomes[request.id];
    client->start(
        request,
        [this, &outcome](Result<void> started) {
          ++outcome.starts;
          outcome.started = std::move(started);
          loop.stop();
        },
        [this, &outcome](const env::ContainerExit& exit) {
          ++outcome.exits;
          outcome.exit = exit;
          loop.stop();
        });
    return outcome;
  }
  Outcome& run(const env::ContainerRequest& request) {
    Outcome& outcome = start(request);
    EXPECT_TRUE(wait_for([&] { return outcome.over(); })) << request.id;
    return outcome;
  }
  // How a container that starts ends. One that does not start fails the test with its reason.
  env::ContainerExit exit_of(const env::ContainerRequest& request) {
    const Outcome& outcome = run(request);
    if (!outcome.exit) {
      ADD_FAILURE() << request.id << ": "
                    << (outcome.started ? outcome.started->error().message : "no answer");
    }
    return outcome.exit.value_or(env::ContainerExit());
  }
  // What the container wrote, without the CRI prefix.
  std::string output_of(const env::ContainerRequest& request) {
    std::string text;
    std::istringstream lines(read_cgroup(request.log_path));
    for (std::string line; std::getline(lines, line);) {
      const size_t whole = line.find(" F ");
      const size_t tag = std::min(whole, line.find(" P "));
      text += tag == std::string::npos ? "?" + line : line.substr(tag + 3);
      text += tag == whole ? "\n" : "";
    }
    return text;
  }
  std::string output(const env::ContainerRequest& request) {
    const Outcome& outcome = run(request);
    if (outcome.started && !*outcome.started) {
      return "start error: " + outcome.started->error().message;
    }
    return output_of(request);
  }
  Isolation isolation() {
    std::optional<Isolation> known;
    client->isolation([&](const Isolation& isolation) {
      known = isolation;
      loop.stop();
    });
    EXPECT_TRUE(wait_for([&] { return known.has_value(); }));
    return known.value_or(Isolation());
  }
  std::vector<env::ContainerRunInfo> list() {
    std::optional<std::vector<env::ContainerRunInfo>> runs;
    client->list([&](std::vector<env::ContainerRunInfo> found) {
      runs = std::move(found);
      loop.stop();
    });
    EXPECT_TRUE(wait_for([&] { return runs.has_value(); }));
    return runs.value_or(std::vector<env::ContainerRunInfo>());
  }

  void kill_supervisor() {
    ASSERT_GT(supervisor, 0);
    ::kill(supervisor, SIGKILL);
    reap();
  }

  posix::TemporaryDirectory directory;
  posix::PosixClock clock;
  posix::PosixLog log{clock, env::LogLevel::error};
  posix::EventLoop loop{clock};
  std::unique_ptr<SupervisorClient> client;
  std::map<std::string, Outcome> outcomes;
  pid_t supervisor = 0;

 private:
  Result<void> launch() {
    reap();
    supervisor = ::fork();
    if (supervisor == 0) {
      ::setsid();
      ::close_range(STDERR_FILENO + 1, ~0U, 0);
      const Result<void> served = serve(options_);
      if (!served) {
        ::dprintf(STDERR_FILENO, "supervisor: %s\n", served.error().message.c_str());
      }
      ::_exit(served ? 0 : 1);
    }
    return {};
  }
  void reap() {
    if (supervisor > 0) {
      while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
      }
      supervisor = 0;
    }
  }
  void expect_nothing_left() {
    const std::string mountinfo = read_cgroup("/proc/self/mountinfo");
    EXPECT_EQ(mountinfo.find(directory.path()), std::string::npos);
    const CgroupMounts mounts = usable_cgroup_mounts();
    const std::string instance = fmt::format("{:016x}", stable_hash(options_.directory));
    for (const std::string& mount : {mounts.v2, mounts.memory, mounts.pids, mounts.cpu}) {
      EXPECT_FALSE(std::filesystem::exists(mount + "/windlass/" + instance)) << mount;
    }
  }

  SupervisorOptions options_;
  int logs_ = 0;
};

}  // namespace windlass::supervisor::testing
