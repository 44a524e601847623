// The supervisor with real processes. What the machine lacks is said and skipped.
#include "supervisor/supervisor.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <set>

#include "posix/data_directory.h"
#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Rig;
using ::testing::StartsWith;

env::ContainerMount bind_mount(const std::string& source, const std::string& target,
                               bool read_only = false) {
  return {env::ContainerMount::Kind::bind, source, target, read_only, 0};
}

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

TEST(Supervisor, NamespacesAreItsOwn) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no namespaces here";
  }
  auto request = rig.shell("own",
                           "echo $$; hostname; ls /tmp | wc -l; ls -d /proc/[0-9]* | wc -l; "
                           "for n in pid mnt ipc uts; do readlink /proc/self/ns/$n; done");
  request.isolation.hostname = "pod-7";
  std::istringstream lines(rig.output(request));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "1");
  std::getline(lines, line);
  EXPECT_EQ(line, "pod-7");
  std::getline(lines, line);
  EXPECT_EQ(line, "0") << "an empty /tmp of its own";
  std::getline(lines, line);
  EXPECT_LE(std::stoi(line), 3) << "a /proc of its own";
  for (const char* name : {"pid", "mnt", "ipc", "uts"}) {
    std::getline(lines, line);
    EXPECT_THAT(line, StartsWith(name));
    EXPECT_NE(line, std::filesystem::read_symlink(fmt::format("/proc/self/ns/{}", name)));
  }
}

TEST(Supervisor, EnvironmentDirectoryAndStreamsAreAsAsked) {
  Rig rig;
  auto request = rig.shell("env",
                           "env | sort; pwd; readlink /proc/self/fd/0; ls /proc/self/fd | wc -l; "
                           "umask; grep NoNewPrivs /proc/self/status");
  request.environment = {"PATH=/usr/bin:/bin", "B=2", "A="};
  request.working_directory = "/usr";
  EXPECT_EQ(rig.output(request),
            "A=\nB=2\nPATH=/usr/bin:/bin\nPWD=/usr\n/usr\n/dev/null\n4\n0022\nNoNewPrivs:\t1\n");
  const auto streams = rig.shell("streams", "echo out; echo err >&2");
  rig.run(streams);
  EXPECT_THAT(read_cgroup(streams.log_path), HasSubstr(" stderr F err\n"));
  EXPECT_THAT(read_cgroup(streams.log_path), HasSubstr(" stdout F out\n"));
}

TEST(Supervisor, UserAndGroupsAreAsAsked) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  Rig rig;
  auto request = rig.shell("user",
                           "id -u; id -g; id -G; echo via-dev > /dev/stdout; "
                           "grep CapEff /proc/self/status");
  request.isolation.uid = 1234;
  request.isolation.gid = 2345;
  request.isolation.groups = {2345, 77};
  EXPECT_EQ(rig.output(request), "1234\n2345\n2345 77\nvia-dev\nCapEff:\t0000000000000000\n");
  // CAP_SYS_ADMIN and its like are gone, also for root.
  EXPECT_EQ(rig.output(rig.shell("root", "id -u; grep CapEff /proc/self/status")),
            "0\nCapEff:\t00000000a00425fb\n");
}

TEST(Supervisor, AStartThatFailsSaysWhy) {
  Rig rig;
  const auto error = [&](const env::ContainerRequest& request) {
    const Outcome& outcome = rig.run(request);
    EXPECT_FALSE(outcome.exit.has_value());
    return outcome.started && !*outcome.started ? outcome.started->error().message : "it started";
  };
  EXPECT_EQ(error(rig.request("1", {"/nope"})),
            R"(exec: "/nope": stat /nope: no such file or directory)");
  EXPECT_EQ(error(rig.request("2", {"nope"})),
            R"(exec: "nope": executable file not found in $PATH)");
  EXPECT_EQ(error(rig.request("3", {"/etc/passwd"})),
            R"(exec: "/etc/passwd": stat /etc/passwd: permission denied)");
  auto lost = rig.request("4", {"true"});
  lost.working_directory = "/no/such";
  EXPECT_EQ(error(lost), "chdir /no/such: no such file or directory");
  auto mount = rig.request("5", {"true"});
  mount.isolation.mounts = {bind_mount("/no/such", "/data")};
  EXPECT_EQ(error(mount),
            rig.isolation().namespaces
                ? "mount /no/such: no such file or directory"
                : "images and volumes need a mount namespace, which is not to be had");
  auto log = rig.request("6", {"true"});
  log.log_path = "/no/such/log";
  EXPECT_EQ(error(log), "open /no/such/log: no such file or directory");
  // Asked again, the answer is the same.
  EXPECT_EQ(error(rig.request("1", {"true"})),
            R"(exec: "/nope": stat /nope: no such file or directory)");
}

TEST(Supervisor, VolumesAppearAtTheirPathsAndLeaveNoTrace) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  std::filesystem::create_directory(rig.directory / "data");
  rig.directory.write("data/in", "hello");
  rig.directory.write("file", "config");
  auto request =
      rig.shell("volumes",
                "cat /windlass-test/data/in; echo; cat /etc/windlass-test.conf; echo; "
                "echo out > /windlass-test/data/out; touch /windlass-test/ro/x 2>&1; "
                "df --output=fstype /windlass-test/mem | tail -1; ls /usr/bin/env /etc/passwd; "
                "echo x > /dev/null; ls /windlass-test");
  request.isolation.mounts = {
      bind_mount(rig.directory / "data", "/windlass-test/data"),
      bind_mount(rig.directory / "data", "/windlass-test/ro", true),
      bind_mount(rig.directory / "file", "/etc/windlass-test.conf", true),
      {env::ContainerMount::Kind::tmpfs, "", "/windlass-test/mem", false, 1 << 20}};
  const std::string output = rig.output(request);
  EXPECT_THAT(output, StartsWith("hello\nconfig\n"));
  EXPECT_THAT(output, HasSubstr("Read-only file system"));
  EXPECT_THAT(output, HasSubstr("\ntmpfs\n/etc/passwd\n/usr/bin/env\ndata\nmem\nro\n"));
  EXPECT_EQ(rig.directory.read("data/out"), "out\n");
  EXPECT_FALSE(std::filesystem::exists("/windlass-test"));
  EXPECT_FALSE(std::filesystem::exists("/etc/windlass-test.conf"));
}

TEST(Supervisor, ARootOfItsOwn) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  const std::string root = rig.directory / "root";
  std::filesystem::create_directories(root + "/etc");
  for (const char* name : {"usr", "lib", "lib64", "bin"}) {
    std::filesystem::create_directories(root + "/" + name);
  }
  rig.directory.write("root/etc/only-here", "");
  auto request =
      rig.shell("root", "ls /etc; ls /; ls /dev; echo $$; test -c /dev/null && echo null; pwd");
  request.isolation.root = root;
  for (const char* name : {"/usr", "/lib", "/lib64", "/bin"}) {
    request.isolation.mounts.push_back(bind_mount(name, name, true));
  }
  EXPECT_EQ(rig.output(request),
            "only-here\nbin\ndev\netc\nlib\nlib64\nproc\ntmp\nusr\n"
            "fd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\n1\nnull\n/\n");
}

TEST(Supervisor, WhatIsWrittenToARootGoesToALayerThatIsNewEachTime) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  const std::string root = rig.directory / "a:b/image";
  std::filesystem::create_directories(root + "/etc");
  rig.directory.write("a:b/image/etc/kept", "as it was\n");
  for (const char* id : {"first", "second"}) {
    auto request = rig.shell(id,
                             "cat /etc/kept; echo new > /etc/kept; cat /etc/kept; ls /made; mkdir "
                             "/made; test -e /etc/hosts && echo hosts; rm -r /etc 2> /dev/null");
    request.isolation.root = root;
    request.isolation.layer = rig.directory / "layers/c";
    for (const char* name : {"/usr", "/lib", "/lib64", "/bin"}) {
      request.isolation.mounts.push_back(bind_mount(name, name, true));
    }
    const std::string output = rig.output(request);
    EXPECT_THAT(output, StartsWith("as it was\nnew\n"));
    EXPECT_THAT(output, HasSubstr("'/made'"));
    EXPECT_EQ(output.ends_with("hosts\n"), std::filesystem::exists("/etc/hosts"));
  }
  EXPECT_EQ(rig.directory.read("a:b/image/etc/kept"), "as it was\n");
  EXPECT_FALSE(std::filesystem::exists(root + "/made"));
  EXPECT_TRUE(std::filesystem::exists(rig.directory / "layers/c/upper/made"));
}

// reliability.md N4
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
    EXPECT_EQ(rig.run(request).exit->code, 3);
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string line = read_cgroup(entry.path() / "cmdline");
      EXPECT_NE(line, std::string("sleep\0001007", 11) + '\0') << entry.path();
    }
  }
}

TEST(Supervisor, AForkBombStaysWithinItsLimit) {
  Rig rig;
  if (rig.isolation().pids == Controller::none) {
    GTEST_SKIP() << "no pids controller here";
  }
  auto request =
      rig.shell("bomb", "i=0; while [ $i -lt 60 ]; do sleep 1000 & i=$((i+1)); done; exit 0");
  request.limits.pids = 20;
  const Outcome& outcome = rig.run(request);
  ASSERT_TRUE(outcome.exit.has_value());
  EXPECT_EQ(outcome.exit->code, 2);
  EXPECT_THAT(rig.output_of(request), HasSubstr("Cannot fork"));
}

// disruption.md K-50, K-51, M-21
TEST(Supervisor, M21_MemoryLimitsEndTheWholeContainer) {
  Rig rig;
  if (rig.isolation().memory == Controller::none) {
    GTEST_SKIP() << "no memory controller here";
  }
  auto hog = rig.request("hog", {"tail", "-n1", "/dev/zero"});
  hog.limits.memory_bytes = 32 << 20;
  const Outcome& outcome = rig.run(hog);
  ASSERT_TRUE(outcome.exit.has_value());
  EXPECT_EQ(outcome.exit->code, 137);
  EXPECT_TRUE(outcome.exit->oom_killed);

  auto parent = rig.shell("parent", "tail -n1 /dev/zero; sleep 1000");
  parent.limits.memory_bytes = 32 << 20;
  const Outcome& group = rig.run(parent);
  ASSERT_TRUE(group.exit.has_value());
  EXPECT_EQ(group.exit->code, 137);
  EXPECT_TRUE(group.exit->oom_killed);
}

TEST(Supervisor, CpuLimitsAreAccepted) {
  Rig rig;
  if (rig.isolation().cpu == Controller::none) {
    GTEST_SKIP() << "no cpu controller here";
  }
  auto request = rig.shell("cpu", "cat /proc/self/cgroup");
  request.limits.cpu_millis = 500;
  request.limits.cpu_request = 250;
  EXPECT_THAT(rig.output(request), HasSubstr("/windlass/"));
}

TEST(Supervisor, AFloodOfOutputIsBounded) {
  SupervisorOptions options;
  options.logs = {100 * 1024, 3};
  Rig rig(options);
  auto request = rig.shell("flood",
                           "yes | head -c 600000; head -c 100000 /dev/zero | tr '\\0' x; "
                           "echo; exec >&- 2>&-; exit 5");
  const Outcome& outcome = rig.run(request);
  EXPECT_EQ(outcome.exit->code, 5);
  size_t bytes = 0;
  for (const std::string suffix : {"", ".1", ".2"}) {
    ASSERT_TRUE(std::filesystem::exists(request.log_path + suffix));
    bytes += std::filesystem::file_size(request.log_path + suffix);
  }
  EXPECT_FALSE(std::filesystem::exists(request.log_path + ".3"));
  EXPECT_LE(bytes, 3 * 100 * 1024 + 64 * 1024u);
  EXPECT_THAT(read_cgroup(request.log_path) + read_cgroup(request.log_path + ".1"),
              HasSubstr(" stdout P xxxx"));
}

TEST(Supervisor, CommandsRunInsideTheContainer) {
  Rig rig;
  auto request = rig.request("target", {"sleep", "1000"});
  request.isolation.hostname = "inside";
  Outcome& outcome = rig.start(request);
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  const auto exec = [&](std::vector<std::string> command, Duration timeout = seconds(30)) {
    env::ContainerExec order;
    order.id = "target";
    order.command = std::move(command);
    order.environment = {"PATH=/usr/bin:/bin", "X=1"};
    order.timeout = timeout;
    order.max_output_bytes = 100;
    std::optional<Result<env::ContainerExecResult>> result;
    rig.client->exec(order, [&](Result<env::ContainerExecResult> done) {
      result = std::move(done);
      rig.loop.stop();
    });
    EXPECT_TRUE(rig.wait_for([&] { return result.has_value(); }));
    return *result;
  };
  const bool namespaces = rig.isolation().namespaces;
  const auto inside = exec({"sh", "-c", "hostname; echo $X >&2; cat /proc/1/comm; exit 7"});
  ASSERT_TRUE(inside.has_value()) << inside.error().message;
  EXPECT_EQ(inside->code, 7);
  if (namespaces) {
    EXPECT_EQ(inside->output, "inside\n1\nsleep\n");
  }
  EXPECT_EQ(exec({"sh", "-c", "yes | head -c 100000"})->output.size(), 100u);
  const auto slow = exec({"sleep", "1000"}, milliseconds(50));
  ASSERT_TRUE(slow.has_value());
  EXPECT_TRUE(slow->timed_out);
  // What it started goes with it: a probe that hangs every few seconds must not pile up.
  ASSERT_TRUE(exec({"sh", "-c", "sleep 12321; true"}, milliseconds(200))->timed_out);
  if (namespaces) {
    const auto left =
        exec({"sh", "-c", "while grep -qs '1232[1]' /proc/[0-9]*/cmdline; do sleep 0.01; done"});
    EXPECT_EQ(left->code, 0);
  }
  EXPECT_EQ(exec({"/nope"}).error().message,
            R"(exec: "/nope": stat /nope: no such file or directory)");
  rig.client->signal("target", SIGKILL);
  ASSERT_TRUE(rig.wait_for([&] { return outcome.over(); }));
  EXPECT_EQ(exec({"true"}).error().message, "the container is not running");
}

TEST(Supervisor, CommandsHaveTheGroupsAndPowersOfTheirContainer) {
  Rig rig;
  if (::geteuid() != 0 || !rig.isolation().namespaces) {
    GTEST_SKIP() << "needs root and namespaces";
  }
  for (const bool privileged : {false, true}) {
    const std::string id = privileged ? "privileged" : "plain";
    auto request = rig.request(id, {"sleep", "1000"});
    request.isolation.groups = {77, 78};
    request.isolation.privileged = privileged;
    const Outcome& outcome = rig.start(request);
    ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
    env::ContainerExec order;
    order.id = id;
    order.command = {"sh", "-c",
                     "id -G; grep -h CapEff /proc/1/status /proc/self/status | uniq | wc -l"};
    order.environment = {"PATH=/usr/bin:/bin"};
    order.timeout = seconds(30);
    std::optional<Result<env::ContainerExecResult>> result;
    rig.client->exec(order, [&](Result<env::ContainerExecResult> done) {
      result = std::move(done);
      rig.loop.stop();
    });
    ASSERT_TRUE(rig.wait_for([&] { return result.has_value(); }));
    ASSERT_TRUE(result->has_value()) << result->error().message;
    EXPECT_EQ((*result)->output, "0 77 78\n1\n") << id;
    rig.client->signal(id, SIGKILL);
    ASSERT_TRUE(rig.wait_for([&] { return outcome.over(); }));
  }
}

// reliability.md N1
TEST(Supervisor, N1_TheSameIdRunsOnce) {
  Rig rig;
  std::filesystem::create_directory(rig.directory / "out");
  auto request = rig.shell("once", "echo run >> /out/ledger; exit 4");
  request.isolation.mounts = {bind_mount(rig.directory / "out", "/out")};
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  EXPECT_EQ(rig.run(request).exit->code, 4);
  rig.client.reset();
  rig.connect();
  rig.outcomes.clear();
  const Outcome& again = rig.run(request);
  EXPECT_TRUE(again.started->has_value());
  EXPECT_EQ(again.exit->code, 4);
  rig.kill_supervisor();
  rig.outcomes.clear();
  EXPECT_EQ(rig.run(request).exit->code, 4) << "the record outlives the supervisor";
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

// reliability.md N3
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
  EXPECT_EQ(rig.run(rig.shell("a", "exit 7")).exit->code, 7);
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
  ClientOptions options;
  options.directory = directory.path();
  options.launch = []() -> Result<void> { return fail(plain_error("none is to be started")); };
  SupervisorClient client(loop, clock, log, options);
  client.shut_down([&] {
    EXPECT_FALSE(*held) << "somebody held the directory";
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
  ClientOptions options;
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
  ClientOptions options;
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
  EXPECT_TRUE(env::is_unreachable(started.error()));
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

}  // namespace
}  // namespace windlass::supervisor
