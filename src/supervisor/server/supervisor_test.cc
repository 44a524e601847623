// The supervisor with real processes. What the machine lacks is said and skipped.
#include "supervisor/server/supervisor.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <set>

#include "posix/files/data_directory.h"
#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using testing::bind_mount;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Rig;

TEST(Supervisor, ExitCodesArriveAsTheyAre) {
  Rig rig;
  for (const int code : {0, 1, 42, 255}) {
    const Outcome& outcome =
        rig.run(rig.shell("code/" + std::to_string(code), "exit " + std::to_string(code)));
    ASSERT_TRUE(outcome.exit.has_value());
    EXPECT_EQ(outcome.exit->code, code);
    EXPECT_EQ(outcome.exit->signal, 0);
    EXPECT_FALSE(outcome.exit->lost);
    EXPECT_LE(outcome.exit->started_at, outcome.exit->finished_at);
    EXPECT_GT(unix_seconds(outcome.exit->started_at), 1'600'000'000);
  }
}

// disruption.md M-12, M-20
TEST(Supervisor, M12_AFirstProcessIgnoresSigtermUnlessItHandlesIt) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no pid namespaces here";
  }
  const auto deaf = rig.request("deaf", {"sleep", "1000"});
  const auto polite =
      rig.shell("polite", "trap 'exit 42' TERM; echo ready; while :; do sleep 0.01; done");
  Outcome& first = rig.start(deaf);
  Outcome& second = rig.start(polite);
  ASSERT_TRUE(
      rig.wait_for([&] { return first.started.has_value() && second.started.has_value(); }));
  while (rig.output_of(polite) != "ready\n") {
    ASSERT_FALSE(second.over());
    std::optional<Result<env::ContainerExecResult>> looked;
    env::ContainerExec look;
    look.id = "polite";
    look.command = {"/bin/true"};
    rig.client->exec(look, [&](Result<env::ContainerExecResult> done) {
      looked = std::move(done);
      rig.loop.stop();
    });
    ASSERT_TRUE(rig.wait_for([&] { return looked.has_value(); }));
  }
  rig.client->signal("deaf", SIGTERM);
  rig.client->signal("polite", SIGTERM);
  ASSERT_TRUE(rig.wait_for([&] { return second.over(); }));
  EXPECT_EQ(second.exit->code, 42);
  EXPECT_FALSE(first.over());
  rig.client->signal("deaf", SIGKILL);
  ASSERT_TRUE(rig.wait_for([&] { return first.over(); }));
  EXPECT_EQ(first.exit->code, 137);
  EXPECT_EQ(first.exit->signal, SIGKILL);
  EXPECT_FALSE(first.exit->oom_killed);
}

TEST(Supervisor, WithoutNamespacesSigtermEndsAProcessWith143) {
  SupervisorOptions plain;
  plain.use_namespaces = false;
  Rig rig(plain);
  EXPECT_FALSE(rig.isolation().namespaces);
  EXPECT_THAT(rig.isolation().missing, ::testing::Contains(HasSubstr("plain process groups")));
  Outcome& outcome = rig.start(rig.request("a", {"sleep", "1000"}));
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  rig.client->signal("a", SIGTERM);
  ASSERT_TRUE(rig.wait_for([&] { return outcome.over(); }));
  EXPECT_EQ(outcome.exit->code, 143);
  auto volume = rig.shell("b", "true");
  volume.isolation.mounts = {bind_mount("/usr", "/data")};
  EXPECT_THAT(rig.output(volume), HasSubstr("need a mount namespace"));
}

// safety.md N4
TEST(Supervisor, N4_TheEndMeansThatNothingIsLeft) {
  for (const bool namespaces : {true, false}) {
    SupervisorOptions options;
    options.use_namespaces = namespaces;
    Rig rig(options);
    const Isolation isolation = rig.isolation();
    if (!isolation.namespaces && !isolation.kill_by_cgroup) {
      continue;  // then those who leave their process group cannot be followed
    }
    auto request = rig.shell(
        "forks",
        "setsid sleep 1007 & (sleep 1007 &) ; (setsid sh -c 'sleep 1007 & sleep 1007' &); "
        "sleep 0.05; exit 3");
    EXPECT_EQ(rig.exit_of(request).code, 3);
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string line = read_cgroup(entry.path() / "cmdline");
      EXPECT_NE(line, std::string("sleep\0001007", 11) + '\0') << entry.path();
    }
  }
}

// safety.md N1
TEST(Supervisor, N1_TheSameIdRunsOnce) {
  Rig rig;
  std::filesystem::create_directory(rig.directory / "out");
  auto request = rig.shell("once", "echo run >> /out/ledger; exit 4");
  request.isolation.mounts = {bind_mount(rig.directory / "out", "/out")};
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  EXPECT_EQ(rig.exit_of(request).code, 4);
  rig.client.reset();
  rig.connect();
  rig.outcomes.clear();
  const Outcome& again = rig.run(request);
  EXPECT_TRUE(again.started->has_value());
  EXPECT_EQ(again.exit->code, 4);
  rig.kill_supervisor();
  rig.outcomes.clear();
  EXPECT_EQ(rig.exit_of(request).code, 4) << "the record outlives the supervisor";
  EXPECT_EQ(rig.directory.read("out/ledger"), "run\n");
  rig.client->forget("once");
  EXPECT_TRUE(rig.list().empty());
}

TEST(Supervisor, AnExitWhileNoAgentLooksIsKept) {
  Rig rig;
  Outcome& outcome = rig.start(rig.shell("kept", "sleep 0.2; exit 9"));
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  rig.client.reset();
  rig.connect();
  std::optional<env::ContainerExit> exit;
  std::optional<env::ContainerExit> unknown;
  rig.client->attach("kept", [&](const env::ContainerExit& seen) {
    exit = seen;
    rig.loop.stop();
  });
  rig.client->attach("never heard of", [&](const env::ContainerExit& seen) {
    unknown = seen;
    rig.loop.stop();
  });
  ASSERT_TRUE(rig.wait_for([&] { return exit.has_value() && unknown.has_value(); }));
  EXPECT_EQ(exit->code, 9);
  EXPECT_FALSE(exit->lost);
  EXPECT_TRUE(unknown->lost);
  EXPECT_EQ(unknown->code, 137);
}

// safety.md N3
TEST(Supervisor, N3_ContainersDieWithTheirSupervisorAndAreLost) {
  for (const bool namespaces : {true, false}) {
    SupervisorOptions options;
    options.use_namespaces = namespaces;
    Rig rig(options);
    Outcome& outcome = rig.start(rig.shell("lost", "sleep 1009 & echo $$ ; sleep 1009"));
    ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
    rig.kill_supervisor();
    ASSERT_TRUE(rig.wait_for([&] { return outcome.over(); }));
    EXPECT_TRUE(outcome.exit->lost);
    EXPECT_EQ(outcome.exit->code, 137);
    EXPECT_EQ(outcome.exits, 1);
    const Isolation isolation = rig.isolation();
    if (isolation.namespaces || isolation.kill_by_cgroup) {
      for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string line = read_cgroup(entry.path() / "cmdline");
        EXPECT_NE(line, std::string("sleep\0001009", 11) + '\0') << entry.path();
      }
    }
    const auto runs = rig.list();
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_TRUE(runs[0].exit.lost);
  }
}

TEST(Supervisor, N3_OneThatComesBackWithoutItsRecordHasLostWhatRan) {
  Rig rig;
  Outcome& outcome = rig.start(rig.request("lost", {"sleep", "1011"}));
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  rig.kill_supervisor();
  for (const auto& entry : std::filesystem::directory_iterator(rig.directory / "sup")) {
    std::filesystem::remove_all(entry.path());
  }
  ASSERT_TRUE(rig.wait_for([&] { return outcome.over(); }));
  EXPECT_TRUE(outcome.exit->lost);
  EXPECT_EQ(outcome.exit->code, 137);
  EXPECT_EQ(outcome.starts, 1);
  EXPECT_EQ(outcome.exits, 1);
}

TEST(Supervisor, ASecondOneForTheDirectoryIsRefused) {
  Rig rig;
  rig.isolation();
  SupervisorOptions second;
  second.directory = rig.directory / "sup";
  const Result<void> served = serve(second);
  ASSERT_FALSE(served.has_value());
  EXPECT_THAT(served.error().message,
              HasSubstr(fmt::format("is in use by process {}", rig.supervisor)));
}

TEST(Supervisor, ADirectoryThatIsGoneIsNotMadeAgain) {
  const posix::TemporaryDirectory directory;
  SupervisorOptions options;
  options.directory = directory / "removed";
  const Result<void> served = serve(options);
  ASSERT_FALSE(served.has_value());
  EXPECT_THAT(served.error().message, HasSubstr("no such file or directory"));
  EXPECT_FALSE(std::filesystem::exists(options.directory));
}

TEST(Supervisor, WithoutAgentAndContainersItEndsByItself) {
  SupervisorOptions impatient;
  impatient.end_when_idle_for = seconds(1);  // longer than a client waits between two looks
  Rig rig(impatient);
  EXPECT_EQ(rig.exit_of(rig.shell("a", "exit 7")).code, 7);
  rig.client.reset();
  int status = 0;
  ASSERT_EQ(::waitpid(rig.supervisor, &status, 0), rig.supervisor);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  rig.supervisor = 0;
  rig.connect();
  const std::vector<env::ContainerRunInfo> runs = rig.list();
  ASSERT_EQ(runs.size(), 1u) << "the next one knows what the first one did";
  EXPECT_EQ(runs[0].exit.code, 7);
}

TEST(Supervisor, ShuttingDownWaitsForOneThatComesUpOrEnds) {
  const posix::TemporaryDirectory directory;
  posix::PosixClock clock;
  posix::PosixLog log(clock, env::LogLevel::error);
  posix::EventLoop loop(clock);
  auto held = posix::open_data_directory(directory.path());
  ASSERT_TRUE(held.has_value());
  SupervisorClientOptions options;
  options.directory = directory.path();
  options.launch = []() -> Result<void> { return fail(plain_error("none is to be started")); };
  SupervisorClient client(loop, clock, log, options);
  client.shut_down([&] {
    EXPECT_FALSE(*held) << "another process held the directory";
    loop.stop();
  });
  loop.schedule(milliseconds(20), [&] { held->reset(); });
  loop.run();
}

TEST(Supervisor, ItEndsWithAClientThatWantsIt) {
  const posix::TemporaryDirectory directory;
  posix::PosixClock clock;
  posix::PosixLog log(clock, env::LogLevel::error);
  posix::EventLoop loop(clock);
  pid_t supervisor = 0;
  SupervisorClientOptions options;
  options.directory = directory.path();
  options.end_with_me = true;
  options.launch = [&]() -> Result<void> {
    supervisor = ::fork();
    if (supervisor == 0) {
      ::close_range(STDERR_FILENO + 1, ~0U, 0);
      SupervisorOptions server;
      server.directory = directory.path();
      ::_exit(serve(server) ? 0 : 1);
    }
    return {};
  };
  bool started = false;
  {
    SupervisorClient client(loop, clock, log, options);
    env::ContainerRequest request;
    request.id = "a";
    request.command = {"/bin/sleep", "1000"};
    client.start(
        request,
        [&](Result<void> result) {
          started = result.has_value();
          loop.stop();
        },
        [](const env::ContainerExit&) {});
    loop.run();
  }
  EXPECT_TRUE(started);
  int status = 0;
  ASSERT_EQ(::waitpid(supervisor, &status, 0), supervisor);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Supervisor, WithoutASupervisorAStartFailsInTheEnd) {
  const posix::TemporaryDirectory directory;
  posix::PosixClock clock;
  posix::PosixLog log(clock, env::LogLevel::error, -1);
  posix::EventLoop loop(clock);
  SupervisorClientOptions options;
  options.directory = directory.path();
  options.give_up_after = milliseconds(20);
  options.launch = []() -> Result<void> { return fail(plain_error("no such program")); };
  SupervisorClient client(loop, clock, log, options);
  env::ContainerRequest request;
  request.id = "a";
  request.command = {"true"};
  Result<void> started;
  client.start(
      request,
      [&](Result<void> result) {
        started = std::move(result);
        loop.stop();
      },
      [](const env::ContainerExit&) {});
  loop.run();
  ASSERT_FALSE(started.has_value());
  EXPECT_TRUE(env::is_not_created(started.error()));
  EXPECT_EQ(started.error().message, "the supervisor cannot be reached: no such program");
}

TEST(Supervisor, TheLedgerAgreesAfterManyRunsAndLostConnections) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  constexpr int kRuns = 200;
  std::filesystem::create_directory(rig.directory / "out");
  std::minstd_rand random(7);
  std::map<int, env::ContainerRequest> requests;
  for (int i = 0; i < kRuns; ++i) {
    auto request = rig.shell(fmt::format("run/{}", i),
                             fmt::format("echo {} >> /out/ledger; exit {}", i, i % 100));
    request.isolation.mounts = {bind_mount(rig.directory / "out", "/out")};
    requests.emplace(i, request);
  }
  int next = 0;
  const auto finished = [&] {
    return std::count_if(rig.outcomes.begin(), rig.outcomes.end(),
                         [](const auto& each) { return each.second.over(); });
  };
  while (finished() < kRuns) {
    for (int burst = static_cast<int>(random() % 8); burst > 0 && next < kRuns; --burst) {
      rig.start(requests.at(next++));
    }
    if (random() % 6 == 0) {
      // The agent dies; a new one asks for all that the old one did not see end.
      rig.client.reset();
      rig.connect();
      for (int i = 0; i < next; ++i) {
        if (!rig.outcomes[requests.at(i).id].over()) {
          rig.start(requests.at(i));
        }
      }
    }
    const auto before = finished();
    if (before < next) {
      ASSERT_TRUE(rig.wait_for([&] { return finished() > before; }));
    }
  }
  std::multiset<int> ran;
  std::ifstream ledger(rig.directory / "out/ledger");
  for (int number = 0; ledger >> number;) {
    ran.insert(number);
  }
  EXPECT_EQ(ran.size(), static_cast<size_t>(kRuns));
  for (int i = 0; i < kRuns; ++i) {
    EXPECT_EQ(ran.count(i), 1u) << i;
    EXPECT_EQ(rig.outcomes.at(requests.at(i).id).exit->code, i % 100) << i;
  }
  EXPECT_EQ(rig.list().size(), static_cast<size_t>(kRuns));
}

// Which control group it ran in, and whatever else `script` prints.
std::string group_of(Rig& rig, const std::string& id, const std::string& script = "",
                     const env::ContainerLimits& limits = {}) {
  auto request = rig.shell(id, "sed -n s/^0:://p /proc/self/cgroup; " + script);
  request.limits = limits;
  request.isolation.privileged = true;  // others see none of their groups above their own
  return rig.output(request);
}

TEST(SupervisorGroups, AnEmptyOneWithoutLimitsIsUsedAgain) {
  Rig rig;
  if (!rig.isolation().kill_by_cgroup) {
    GTEST_SKIP() << "no control groups of version 2 here";
  }
  const std::string first = group_of(rig, "1");
  EXPECT_NE(first, "");
  EXPECT_EQ(group_of(rig, "2"), first);
  EXPECT_NE(group_of(rig, "3", "", {.memory_bytes = 64 << 20}), first)
      << "one with limits is its own";
  EXPECT_EQ(group_of(rig, "4"), first);
}

// It costs as much as no limit: every container of a node has the same.
TEST(SupervisorGroups, OneWithTheSameLimitOfProcessesIsUsedAgainAndHasIt) {
  Rig rig;
  const Isolation isolation = rig.isolation();
  if (!isolation.kill_by_cgroup || isolation.pids == CgroupVersion::none) {
    GTEST_SKIP() << "no control groups of version 2 here, or none for processes";
  }
  const std::string first = group_of(rig, "1", "", {.pids = 50});
  const CgroupMounts mounts = find_cgroup_mounts(read_cgroup("/proc/self/mountinfo"));
  const std::string file = (isolation.pids == CgroupVersion::v1 ? mounts.pids : mounts.v2) +
                           first.substr(0, first.size() - 1) + "/pids.max";
  ASSERT_TRUE(write_cgroup(file, "max")) << "as a privileged container can";
  EXPECT_EQ(group_of(rig, "2", "", {.pids = 50}), first);
  EXPECT_EQ(read_cgroup(file), "50\n");
  EXPECT_NE(group_of(rig, "3", "", {.pids = 51}), first);
  EXPECT_NE(group_of(rig, "4"), first);
}

// Whatever a privileged container does to its group.
TEST(SupervisorGroups, OneThatIsNotAsNewIsNot) {
  Rig rig;
  if (!rig.isolation().kill_by_cgroup || ::geteuid() != 0) {
    GTEST_SKIP() << "needs root, and control groups of version 2";
  }
  const std::string mount = find_cgroup_mounts(read_cgroup("/proc/self/mountinfo")).v2;
  const std::string own = mount + "$(sed -n s/^0:://p /proc/self/cgroup)";
  const std::string first = group_of(rig, "1", "mkdir " + own + "/inner");
  const std::string second = group_of(rig, "2");
  EXPECT_NE(second, first) << "there was another in it";
  EXPECT_FALSE(std::filesystem::exists(mount + first.substr(0, first.size() - 1)));
  auto freezing = rig.shell("3", "echo 1 >" + own + "/cgroup.freeze");
  freezing.isolation.privileged = true;
  rig.start(freezing);
  const std::string events = mount + second.substr(0, second.size() - 1) + "/cgroup.events";
  std::function<void()> look = [&] {
    rig.loop.stop();
    rig.loop.schedule(milliseconds(2), look);
  };
  look();
  ASSERT_TRUE(
      rig.wait_for([&] { return read_cgroup(events).find("frozen 1") != std::string::npos; }));
  look = [] {};
  rig.client->signal("3", SIGKILL);
  ASSERT_TRUE(rig.wait_for([&] { return rig.outcomes["3"].exit.has_value(); }));
  EXPECT_NE(group_of(rig, "4"), second) << "it was frozen";
}

}  // namespace
}  // namespace windlass::supervisor
