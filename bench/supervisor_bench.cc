// Containers per second through the supervisor, durable, beside a bare clone3, exec and wait in the
// same namespaces; and what a running container costs the supervisor in memory.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "bare_clones.h"
#include "posix/event_loop.h"
#include "posix/posix_clock.h"
#include "posix/posix_log.h"
#include "posix/testing.h"
#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/protocol/client.h"
#include "supervisor/server/serve.h"

namespace windlass::supervisor {
namespace {

constexpr int kRuns = 500;

void BM_BareCloneAndWait(benchmark::State& state) {
  for (auto _ : state) {
    run_bare_clones(kRuns, static_cast<size_t>(state.range(0)));
  }
  state.counters["runs/s"] =
      benchmark::Counter(kRuns, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_BareCloneAndWait)->Arg(1)->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();

struct Setup {
  Setup() {
    SupervisorClientOptions options;
    options.directory = directory.path();
    options.end_with_me = true;
    options.launch = [this]() -> Result<void> {
      pid = ::fork();
      if (pid == 0) {
        ::close_range(STDERR_FILENO + 1, ~0U, 0);
        SupervisorOptions server;
        server.directory = directory.path();
        ::_exit(serve(server) ? 0 : 1);
      }
      return {};
    };
    client = std::make_unique<SupervisorClient>(loop, clock, log, options);
  }
  ~Setup() {
    client.reset();
    ::waitpid(pid, nullptr, 0);
  }
  env::ContainerRequest request(std::vector<std::string> command) {
    env::ContainerRequest request;
    request.id = fmt::format("run/{}", ++runs);
    request.command = std::move(command);
    request.environment = {"PATH=/usr/bin:/bin"};
    request.log_path = logs / "log";
    return request;
  }
  // What belongs to the supervisor alone, from the kernel's account of it.
  uint64_t memory_bytes() const {
    const std::string text = read_cgroup(fmt::format("/proc/{}/smaps_rollup", pid));
    const size_t at = text.find("Private_Dirty:");
    return at == std::string::npos ? 0 : 1024 * std::stoull(text.substr(at + 14));
  }

  posix::TemporaryDirectory directory;
  posix::TemporaryDirectory logs;
  posix::PosixClock clock;
  posix::PosixLog log{clock, env::LogLevel::error};
  posix::EventLoop loop{clock};
  pid_t pid = 0;
  std::unique_ptr<SupervisorClient> client;
  int runs = 0;
};

void BM_Supervisor(benchmark::State& state) {
  const int window = static_cast<int>(state.range(0));
  Setup setup;
  for (auto _ : state) {
    int started = 0;
    int ended = 0;
    std::function<void()> next = [&] {
      const env::ContainerRequest request = setup.request({"/bin/true"});
      ++started;
      setup.client->start(
          request, [](const Result<void>&) {},
          [&, id = request.id](const env::ContainerExit& exit) {
            if (exit.code != 0) {
              state.SkipWithError("a container failed");
            }
            setup.client->forget(id);
            if (++ended == kRuns) {
              setup.loop.stop();
            } else if (started < kRuns) {
              next();
            }
          });
    };
    for (int i = 0; i < window; ++i) {
      next();
    }
    setup.loop.run();
  }
  state.counters["runs/s"] =
      benchmark::Counter(kRuns, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_Supervisor)->Arg(1)->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_MemoryPerRunningContainer(benchmark::State& state) {
  Setup setup;
  const auto run = [&](int count) {
    int started = 0;
    for (int i = 0; i < count; ++i) {
      setup.client->start(
          setup.request({"/bin/sleep", "1000"}),
          [&](const Result<void>&) {
            if (++started == count) {
              setup.loop.stop();
            }
          },
          [](const env::ContainerExit&) {});
    }
    setup.loop.run();
  };
  for (auto _ : state) {
    run(10);
    const uint64_t before = setup.memory_bytes();
    run(200);
    state.counters["bytes"] = static_cast<double>(setup.memory_bytes() - before) / 200;
    state.counters["supervisor"] = static_cast<double>(setup.memory_bytes());
  }
}
BENCHMARK(BM_MemoryPerRunningContainer)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace windlass::supervisor

BENCHMARK_MAIN();
