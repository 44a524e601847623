// What a container finds and gets: namespaces, users, mounts, limits, commands in it. With real
// processes; what the machine lacks is said and skipped.
#include "supervisor/server/container.h"

#include <gmock/gmock.h>

#include <sstream>

#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using testing::bind_mount;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Rig;
using ::testing::StartsWith;

// Whatever signals the parent of the supervisor ignores.
TEST(Container, IgnoresAndBlocksNoSignal) {
  ::signal(SIGUSR1, SIG_IGN);
  Rig rig;
  ::signal(SIGUSR1, SIG_DFL);
  const auto request = rig.request("heeds", {"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"});
  rig.run(request);
  EXPECT_EQ(rig.output_of(request), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Container, NamespacesAreItsOwn) {
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

TEST(Container, AMountIsSeenInAnotherHoweverTheyAreOrdered) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  for (const char* name : {"outer", "inner"}) {
    std::filesystem::create_directory(rig.directory / name);
    rig.directory.write(std::string(name) + "/" + name, "");
  }
  auto request = rig.shell("nested", "ls /srv/in /srv");
  request.isolation.mounts = {bind_mount(rig.directory / "inner", "/srv/in/"),
                              bind_mount(rig.directory / "outer", "/srv")};
  EXPECT_EQ(rig.output(request), "/srv:\nin\nouter\n\n/srv/in:\ninner\n");
}

// A pod's directory: made when it is not there, and mounted only where it could not be seen.
TEST(Container, ADirectoryOfTheHostCanStayInItsPlace) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  const std::string place =
      "/var/tmp/" + std::filesystem::path(rig.directory.path()).filename().string();
  std::filesystem::create_directory(place);
  for (const std::string& folder : {place, rig.directory.path()}) {
    auto request = rig.shell(folder, "pwd; echo text >file; grep -c /own /proc/self/mountinfo");
    request.isolation.mounts = {
        {env::ContainerMount::Kind::bind, folder, folder + "/own", false, 0, "own"},
        bind_mount("/usr", "/windlass-new-place")};  // which takes another root
    request.working_directory = folder + "/own";
    EXPECT_EQ(rig.output(request), folder + "/own\n" + (folder == place ? "0" : "1") + "\n");
    EXPECT_TRUE(std::filesystem::exists(folder + "/own/file"));
  }
  std::filesystem::remove_all(place);
}

TEST(Container, EnvironmentDirectoryAndStreamsAreAsAsked) {
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

TEST(Container, UserAndGroupsAreAsAsked) {
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
            "0\nCapEff:\t00000000a00405fb\n");
}

TEST(Container, VolumesAppearAtTheirPathsAndLeaveNoTrace) {
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
      {env::ContainerMount::Kind::tmpfs, "m", "/windlass-test/mem", false, 1 << 20}};
  const std::string output = rig.output(request);
  EXPECT_THAT(output, StartsWith("hello\nconfig\n"));
  EXPECT_THAT(output, HasSubstr("Read-only file system"));
  EXPECT_THAT(output, HasSubstr("\ntmpfs\n/etc/passwd\n/usr/bin/env\ndata\nmem\nro\n"));
  EXPECT_EQ(rig.directory.read("data/out"), "out\n");
  EXPECT_FALSE(std::filesystem::exists("/windlass-test"));
  EXPECT_FALSE(std::filesystem::exists("/etc/windlass-test.conf"));
}

TEST(Container, ARootOfItsOwn) {
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
            "only-here\nbin\ndev\netc\nlib\nlib64\nproc\nsys\ntmp\nusr\n"
            "fd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\n1\n"
            "null\n/\n");
}

TEST(Container, WhatIsWrittenToARootGoesToALayerThatIsNewEachTime) {
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

void expect_fork_bomb_is_limited(Rig& rig) {
  auto request =
      rig.shell("bomb", "i=0; while [ $i -lt 60 ]; do sleep 1000 & i=$((i+1)); done; exit 0");
  request.limits.pids = 20;
  const Outcome& outcome = rig.run(request);
  ASSERT_TRUE(outcome.exit.has_value());
  EXPECT_EQ(outcome.exit->code, 2);
  EXPECT_THAT(rig.output_of(request), HasSubstr("Cannot fork"));
}

TEST(Container, AForkBombStaysWithinItsLimit) {
  Rig rig;
  if (rig.isolation().pids == CgroupVersion::none) {
    GTEST_SKIP() << "no pids controller here";
  }
  expect_fork_bomb_is_limited(rig);
}

// Without any control group.
TEST(Container, AForkBombOfAnOrdinaryUserStaysWithinItsLimitToo) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  const int result = testing::result_as_nobody([] {
    SupervisorOptions options;
    options.use_cgroups = false;
    Rig rig(options);
    if (!rig.isolation().user_namespace) {
      return testing::kNoNamespaces;
    }
    EXPECT_THAT(rig.isolation().missing, Not(Contains(HasSubstr("process limits"))));
    expect_fork_bomb_is_limited(rig);
    return 0;
  });
  if (result == testing::kNoNamespaces) {
    GTEST_SKIP() << "ordinary users have no namespaces here";
  }
  EXPECT_EQ(result, 0);
}

// disruption.md K-50, K-51, M-21
TEST(Container, M21_MemoryLimitsEndTheWholeContainer) {
  Rig rig;
  if (rig.isolation().memory == CgroupVersion::none) {
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

TEST(Container, CpuLimitsAreAccepted) {
  Rig rig;
  if (rig.isolation().cpu == CgroupVersion::none) {
    GTEST_SKIP() << "no cpu controller here";
  }
  auto request = rig.shell("cpu", "cat /proc/self/cgroup");
  request.isolation.privileged = true;  // others see their own group as the top
  request.limits.cpu_millis = 500;
  request.limits.cpu_request = 250;
  EXPECT_THAT(rig.output(request), HasSubstr("/windlass/"));
}

TEST(Container, AFloodOfOutputIsBounded) {
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

TEST(Container, CommandsRunInsideTheContainer) {
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

TEST(Container, CommandsHaveTheGroupsAndPowersOfTheirContainer) {
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

}  // namespace
}  // namespace windlass::supervisor
