// Commands with streams of their own in containers that run: what they find there, how they end,
// and that nothing of them stays. With real processes.
#include "supervisor/server/container_sessions.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/ioctl.h>

#include "supervisor/protocol/session_client.h"
#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using ::testing::HasSubstr;
using testing::Rig;

// A client that collects what a command writes.
class TestSession {
 public:
  TestSession(Rig& rig, OpenSession order, const std::string& directory) : rig_(rig) {
    auto opened = SessionClient::open(rig.loop, directory, order,
                                      {[this](std::vector<posix::FileDescriptor> got) {
                                         streams = std::move(got);
                                         rig_.loop.stop();
                                       },
                                       [this](const SessionEnded& how) {
                                         ended = how;
                                         rig_.loop.stop();
                                       }});
    EXPECT_TRUE(opened) << opened.error().message;
    client = *std::move(opened);
  }

  bool started() {
    return rig_.wait_for([&] { return !streams.empty() || ended; }) && !streams.empty();
  }
  SessionEnded end() {
    EXPECT_TRUE(rig_.wait_for([&] { return ended.has_value(); }));
    return ended.value_or(SessionEnded());
  }
  // Until its end, or until it says so.
  std::string read(size_t stream, const std::string& until = "") {
    std::string text;
    while (until.empty() || text.find(until) == std::string::npos) {
      pollfd waits = {streams.at(stream).get(), POLLIN, 0};
      EXPECT_EQ(::poll(&waits, 1, 60'000), 1);
      char buffer[4096];
      const ssize_t got = ::read(streams[stream].get(), buffer, sizeof buffer);
      if (got <= 0) {
        break;
      }
      text.append(buffer, static_cast<size_t>(got));
    }
    return text;
  }
  void write(size_t stream, std::string_view text) {
    EXPECT_EQ(::write(streams.at(stream).get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  std::unique_ptr<SessionClient> client;
  std::vector<posix::FileDescriptor> streams;
  std::optional<SessionEnded> ended;

 private:
  Rig& rig_;
};

class ContainerSessionsTest : public ::testing::Test {
 protected:
  // A container that waits to be killed.
  void run_container(const std::string& id = "pod/main/0") {
    auto request = rig.shell(id, "sleep 1000 & wait");
    request.environment.push_back("COLOR=blue");
    request.working_directory = "/usr";
    request.isolation.hostname = "pod-9";
    auto& outcome = rig.start(request);
    ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
    ASSERT_TRUE(*outcome.started) << outcome.started->error().message;
  }
  TestSession open(OpenSession order) { return {rig, std::move(order), rig.directory / "sup"}; }
  TestSession shell(const std::string& script, bool input = false, bool terminal = false) {
    return open({"pod/main", {"sh", "-c", script}, input, terminal});
  }
  std::string processes(const std::string& mark) {
    std::string found;
    for (const auto& each : std::filesystem::directory_iterator("/proc")) {
      const std::string line = read_cgroup(each.path().string() + "/cmdline");
      found += line.find(mark) != std::string::npos ? each.path().string() + " " : "";
    }
    return found;
  }

  Rig rig;
};

TEST_F(ContainerSessionsTest, ACommandHasTheContainersEnvironmentAndItsOwnStreams) {
  run_container();
  auto session = shell("echo $COLOR; pwd; hostname; echo bad >&2; exit 3");
  ASSERT_TRUE(session.started());
  const std::string host = rig.isolation().namespaces ? "pod-9\n" : "";
  EXPECT_THAT(session.read(0), HasSubstr("blue\n/usr\n" + host));
  EXPECT_EQ(session.read(1), "bad\n");
  EXPECT_EQ(session.end(), (SessionEnded{"", 3, false}));
}

TEST_F(ContainerSessionsTest, ItReadsItsInputToTheEnd) {
  run_container();
  auto session = shell("cat; echo end", true);
  ASSERT_TRUE(session.started());
  ASSERT_EQ(session.streams.size(), 3U);
  session.write(2, "said");
  session.streams[2].reset();
  EXPECT_EQ(session.read(0), "saidend\n");
  EXPECT_EQ(session.end().code, 0);
}

// Commands that are started at the same time do not hold each other's streams.
TEST_F(ContainerSessionsTest, TheEndOfAnInputArrivesWhileOthersRun) {
  run_container();
  auto first = shell("cat", true);
  auto second = shell("sleep 1000", true);
  auto third = shell("cat", true);
  ASSERT_TRUE(first.started() && second.started() && third.started());
  first.streams[2].reset();
  third.streams[2].reset();
  EXPECT_EQ(first.end().code, 0);
  EXPECT_EQ(third.end().code, 0);
}

TEST_F(ContainerSessionsTest, WithoutInputItsInputIsEmpty) {
  run_container();
  auto session = shell("cat; echo end");
  ASSERT_TRUE(session.started());
  EXPECT_EQ(session.streams.size(), 2U);
  EXPECT_EQ(session.read(0), "end\n");
}

TEST_F(ContainerSessionsTest, NoDescriptorOfTheSupervisorComesWithIt) {
  run_container();
  for (const bool terminal : {false, true}) {
    auto session = open({"pod/main", {"ls", "-1", "/proc/self/fd"}, true, terminal});
    ASSERT_TRUE(session.started());
    const std::string listed = session.read(0);
    // Its streams, and the directory that it reads.
    EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 4) << listed;
  }
}

TEST_F(ContainerSessionsTest, ATerminalIsItsOwnAndHasASize) {
  run_container();
  auto session =
      shell("tty -s && echo terminal; echo $TERM; read x; stty size; exit 5", true, true);
  ASSERT_TRUE(session.started());
  ASSERT_EQ(session.streams.size(), 1U);
  const winsize size = {33, 77, 0, 0};
  ASSERT_EQ(::ioctl(session.streams[0].get(), TIOCSWINSZ, &size), 0);
  EXPECT_EQ(session.read(0, "xterm\r\n"), "terminal\r\nxterm\r\n");
  session.write(0, "\n");
  EXPECT_THAT(session.read(0), HasSubstr("33 77\r\n"));
  EXPECT_EQ(session.end().code, 5);
}

TEST_F(ContainerSessionsTest, CtrlCOfATerminalReachesTheCommand) {
  run_container();
  auto session =
      shell("trap 'echo caught; exit 4' INT; echo up; while :; do sleep 0.1; done", true, true);
  ASSERT_TRUE(session.started());
  session.read(0, "up\r\n");
  session.write(0, "\x03");
  EXPECT_THAT(session.read(0), HasSubstr("caught"));
  EXPECT_EQ(session.end().code, 4);
}

TEST_F(ContainerSessionsTest, WhatCannotBeRunIsSaid) {
  run_container();
  auto session = open({"pod/main", {"no-such-program"}, false, false});
  EXPECT_THAT(session.end().error, HasSubstr("no-such-program"));
  EXPECT_FALSE(session.end().refused);
  auto other = open({"pod/other", {"true"}, false, false});
  EXPECT_EQ(other.end(), (SessionEnded{"the container is not running", 0, true}));
}

TEST_F(ContainerSessionsTest, ACommandEndsWithItsContainer) {
  run_container();
  auto session = shell("echo up; sleep 1000");
  auto on_terminal = shell("echo up; sleep 1000", true, true);
  ASSERT_TRUE(session.started() && on_terminal.started());
  session.read(0, "up");
  on_terminal.read(0, "up");
  rig.client->signal("pod/main/0", SIGKILL);
  EXPECT_EQ(session.end().code, 137);
  EXPECT_EQ(on_terminal.end().code, 137);
}

// Also what ignores the hang-up, and what it has started.
TEST_F(ContainerSessionsTest, ACommandEndsWhenItsClientIsGone) {
  run_container();
  for (const bool terminal : {false, true}) {
    const std::string mark = fmt::format("86{}.5{}", ::getpid(), terminal ? 1 : 2);
    {
      auto session = shell(
          fmt::format("trap '' HUP; sleep {} & echo up; while :; do sleep {}; done", mark, mark),
          true, terminal);
      ASSERT_TRUE(session.started());
      session.read(0, "up");
      EXPECT_NE(processes(mark), "");
    }
    const auto until = rig.clock.monotonic() + seconds(60);
    bool gone = false;
    while (!gone && rig.clock.monotonic() < until) {
      rig.loop.schedule(milliseconds(50), [&] { rig.loop.stop(); });
      rig.loop.run();
      gone = terminal ? processes("trap '' HUP; sleep " + mark).empty() : processes(mark).empty();
    }
    EXPECT_TRUE(gone) << processes(mark);
  }
}

// Its end is then told to no one.
TEST_F(ContainerSessionsTest, AClientThatIsGoneDoesNotHarmTheSupervisor) {
  run_container();
  for (int i = 0; i < 20; ++i) {
    auto session = shell("exec true");
    ASSERT_TRUE(session.started());
  }
  EXPECT_EQ(shell("exit 6").end().code, 6);
}

TEST_F(ContainerSessionsTest, APodHasOnlySoMany) {
  run_container();
  std::vector<std::unique_ptr<TestSession>> open_ones;
  for (size_t i = 0; i < ContainerSessions::kMaxSessionsOfPod; ++i) {
    open_ones.push_back(std::make_unique<TestSession>(
        rig, OpenSession{"pod/main", {"sleep", "1000"}, false, false}, rig.directory / "sup"));
    ASSERT_TRUE(open_ones.back()->started());
  }
  auto more = shell("true");
  EXPECT_THAT(more.end().error, HasSubstr("too many sessions"));
  open_ones.pop_back();
  // Its place is free once its process has ended.
  SessionEnded last;
  const auto until = rig.clock.monotonic() + seconds(60);
  do {
    last = shell("true").end();
  } while (last.refused && rig.clock.monotonic() < until);
  EXPECT_EQ(last, (SessionEnded{"", 0, false}));
}

TEST_F(ContainerSessionsTest, ALostSupervisorEndsIt) {
  run_container();
  auto session = shell("sleep 1000");
  ASSERT_TRUE(session.started());
  rig.kill_supervisor();
  EXPECT_EQ(session.end().error, "the supervisor of the container has ended");
  // Another one has come, and cleared up.
  EXPECT_TRUE(rig.wait_for([&] { return rig.outcomes["pod/main/0"].exit.has_value(); }));
}

}  // namespace
}  // namespace windlass::supervisor
