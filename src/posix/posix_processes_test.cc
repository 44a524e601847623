#include "posix/posix_processes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <optional>
#include <vector>

#include "posix/posix_clock.h"
#include "posix/spawn.h"
#include "posix/testing.h"

namespace windlass::posix {
namespace {

const std::vector<std::string> kEnvironment = {"PATH=/usr/bin:/bin"};
constexpr Duration kDeadline = seconds(60);

class PosixProcessesTest : public testing::Test {
 protected:
  env::SpawnRequest shell(const std::string& script) const {
    return {{"sh", "-c", script}, kEnvironment, directory_.path(), directory_ / "out"};
  }

  // Runs the process to its end.
  env::ProcessExit run(const env::SpawnRequest& request) {
    std::optional<env::ProcessExit> exit;
    const auto id = processes_.spawn(request, [&](env::ProcessExit ended) {
      exit = ended;
      loop_.stop();
    });
    EXPECT_TRUE(id.has_value()) << id.error().message;
    if (!id) {
      return {-1, 0};
    }
    EXPECT_FALSE(exit.has_value()) << "never inside spawn()";
    run_loop();
    return exit.value_or(env::ProcessExit{-1, 0});
  }

  void run_loop() {
    const env::TimerId deadline = loop_.schedule(kDeadline, [&] {
      ADD_FAILURE() << "nothing happened in time";
      loop_.stop();
    });
    loop_.run();
    loop_.cancel(deadline);
  }

  // Until the file has something in it: how a script says that it is ready.
  void run_until_written(const std::string& name) {
    std::function<void()> look = [&] {
      if (directory_.read(name).empty()) {
        loop_.schedule(milliseconds(1), look);
      } else {
        loop_.stop();
      }
    };
    look();
    run_loop();
  }

  std::string output() const { return directory_.read("out"); }

  std::string error_of(const env::SpawnRequest& request) {
    const auto id = processes_.spawn(request, [](env::ProcessExit) { ADD_FAILURE(); });
    return id ? "started" : id.error().message;
  }

  TemporaryDirectory directory_;
  PosixClock clock_;
  EventLoop loop_{clock_};
  PosixProcesses processes_{loop_};
};

TEST_F(PosixProcessesTest, ReportsExitCodes) {
  EXPECT_EQ(run(shell("exit 0")).code, 0);
  const env::ProcessExit exit = run(shell("exit 42"));
  EXPECT_EQ(exit.code, 42);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_EQ(processes_.running(), 0U);
}

TEST_F(PosixProcessesTest, ReportsSignals) {
  const env::ProcessExit exit = run(shell("kill -9 $$"));
  EXPECT_EQ(exit.code, 137);
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST_F(PosixProcessesTest, AppendsBothOutputsToAPrivateFile) {
  run(shell("echo one; echo two >&2"));
  run(shell("echo three"));
  EXPECT_EQ(output(), "one\ntwo\nthree\n");
  struct stat info = {};
  ASSERT_EQ(::stat((directory_ / "out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(PosixProcessesTest, WithoutAnOutputPathOutputIsDiscarded) {
  env::SpawnRequest request = shell("echo lost && echo lost >&2");
  request.output_path = "";
  EXPECT_EQ(run(request).code, 0);
}

TEST_F(PosixProcessesTest, GetsItsDirectoryArgumentsAndExactlyItsEnvironment) {
  env::SpawnRequest request = shell("pwd; echo \"$1\"; env | grep -v -e ^PWD -e ^_ -e ^SHLVL");
  request.command.insert(request.command.end(), {"sh", "an argument"});
  request.environment.push_back("GREETING=hello world");
  EXPECT_EQ(run(request).code, 0);
  EXPECT_TRUE(output().starts_with(std::filesystem::canonical(directory_.path()).string() +
                                   "\nan argument\n"))
      << output();
  EXPECT_NE(output().find("GREETING=hello world\n"), std::string::npos);
  EXPECT_EQ(output().find("HOME="), std::string::npos) << output();
}

TEST_F(PosixProcessesTest, InputIsEmpty) {
  EXPECT_EQ(run(shell("cat; echo end")).code, 0);
  EXPECT_EQ(output(), "end\n");
}

TEST_F(PosixProcessesTest, InheritsNoDescriptors) {
  // Also one that somebody opened without close-on-exec.
  const FileDescriptor leaked(::open("/dev/null", O_RDONLY));
  EXPECT_EQ(run(shell("ls /proc/$$/fd")).code, 0);
  EXPECT_EQ(output(), "0\n1\n2\n");
}

TEST_F(PosixProcessesTest, HasNoBlockedOrIgnoredSignals) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto previous = std::signal(SIGUSR2, SIG_IGN);
  const env::ProcessExit blocked_here = run(shell("kill -USR1 $$; exit 1"));
  const env::ProcessExit ignored_here = run(shell("kill -USR2 $$; exit 1"));
  std::signal(SIGUSR2, previous);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(blocked_here.signal, SIGUSR1);
  EXPECT_EQ(ignored_here.signal, SIGUSR2);
}

TEST_F(PosixProcessesTest, LeadsItsOwnGroup) {
  EXPECT_EQ(
      run(shell("read -r pid name state ppid pgrp rest < /proc/$$/stat; test $pgrp = $$")).code, 0);
}

TEST_F(PosixProcessesTest, SignalsReachTheWholeGroup) {
  std::optional<env::ProcessExit> exit;
  const auto id = processes_.spawn(
      shell("trap 'wait; exit 7' TERM; (trap 'echo child >> child; exit' TERM; echo up > up; "
            "while :; do sleep 0.01; done) & while :; do wait; done"),
      [&](env::ProcessExit ended) {
        exit = ended;
        loop_.stop();
      });
  ASSERT_TRUE(id.has_value());
  run_until_written("up");
  processes_.signal(*id, SIGTERM);
  run_loop();
  EXPECT_EQ(exit->code, 7);
  EXPECT_EQ(directory_.read("child"), "child\n");
  processes_.signal(*id, SIGTERM);  // after its end: nothing
}

// The end of a container's first process ends the others.
TEST_F(PosixProcessesTest, WhatIsLeftOfTheGroupDiesWithItsLeader) {
  EXPECT_EQ(run(shell("sleep 1000 & echo $! > pid; exit 3")).code, 3);
  const pid_t left = std::stoi(directory_.read("pid"));
  // Its parent is gone, so init or a subreaper collects it; until then it is a zombie.
  std::function<void()> look = [&] {
    std::ifstream status("/proc/" + std::to_string(left) + "/stat");
    std::string pid, name, state;
    status >> pid >> name >> state;
    if (!status || state == "Z" || state == "X") {
      loop_.stop();
    } else {
      loop_.schedule(milliseconds(1), look);
    }
  };
  look();
  run_loop();
}

TEST_F(PosixProcessesTest, DestroyedItKillsAndReapsAllGroups) {
  std::vector<pid_t> pids;
  {
    PosixProcesses doomed(loop_);
    for (int i = 0; i < 3; ++i) {
      const std::string file = "pid" + std::to_string(i);
      ASSERT_TRUE(
          doomed.spawn(shell("trap '' TERM; echo $$ > " + file + "; while :; do sleep 100; done"),
                       [](env::ProcessExit) { ADD_FAILURE() << "not reported"; }));
      run_until_written(file);
      pids.push_back(std::stoi(directory_.read(file)));
    }
  }
  for (const pid_t pid : pids) {
    EXPECT_NE(::kill(pid, 0), 0) << "reaped, so the number is free";
  }
}

TEST_F(PosixProcessesTest, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(error_of({{"no-such-program"}, kEnvironment, "", ""}),
            "exec: \"no-such-program\": executable file not found in $PATH");
  EXPECT_EQ(error_of({{"/no/such/program"}, kEnvironment, "", ""}),
            "exec: \"/no/such/program\": stat /no/such/program: no such file or directory");
  const std::string plain = directory_.write("plain", "not executable");
  EXPECT_EQ(error_of({{plain}, kEnvironment, "", ""}),
            "exec: \"" + plain + "\": stat " + plain + ": permission denied");
  EXPECT_EQ(error_of({{}, kEnvironment, "", ""}), "exec: no command");
  EXPECT_EQ(error_of({{"true"}, kEnvironment, "/no/such/dir", ""}),
            "open /no/such/dir: no such file or directory");
  EXPECT_EQ(error_of({{"true"}, kEnvironment, "", "/no/such/dir/out"}),
            "open /no/such/dir/out: no such file or directory");
  const std::string garbage = directory_.write("garbage",
                                               "\x7f"
                                               "not a program");
  ASSERT_EQ(::chmod(garbage.c_str(), 0700), 0);
  EXPECT_EQ(error_of({{garbage}, kEnvironment, "", ""}),
            "exec \"" + garbage + "\": exec format error");
}

TEST_F(PosixProcessesTest, FindsProgramsByTheRequestsPath) {
  const std::string tool = directory_.write("tool", "#!/bin/sh\nexit 5\n");
  ASSERT_EQ(::chmod(tool.c_str(), 0700), 0);
  const auto with_path = [&](const std::string& path) {
    return env::SpawnRequest{{"tool"}, {"PATH=" + path}, directory_.path(), ""};
  };
  EXPECT_EQ(*find_program(with_path("/nowhere:" + directory_.path())), tool);
  EXPECT_EQ(*find_program(with_path("/nowhere:")), "./tool") << "an empty entry is the directory";
  EXPECT_EQ(run(with_path("/nowhere::/usr/bin")).code, 5);
  EXPECT_EQ(run({{"./tool"}, {}, directory_.path(), ""}).code, 5) << "from the working directory";
  EXPECT_FALSE(find_program(with_path("/usr/bin")).has_value());
  EXPECT_TRUE(find_program({{"sh"}, {}, "", ""}).has_value()) << "without PATH, the usual places";
}

// Numbers of descriptors and pids come again quickly here; each exit must find its own process.
TEST_F(PosixProcessesTest, ManyShortProcessesAllEndAsTheirOwn) {
  constexpr int kProcesses = 200;
  constexpr int kAtOnce = 16;
  std::map<int, int> codes;
  int started = 0;
  std::function<void()> start_next = [&] {
    if (started == kProcesses) {
      if (codes.size() == kProcesses) {
        loop_.stop();
      }
      return;
    }
    const int number = started++;
    const auto id = processes_.spawn(
        {{"sh", "-c", "exit " + std::to_string(number % 100)}, kEnvironment, "", ""},
        [&, number](env::ProcessExit exit) {
          codes[number] = exit.code;
          start_next();
        });
    ASSERT_TRUE(id.has_value());
  };
  for (int i = 0; i < kAtOnce; ++i) {
    start_next();
  }
  run_loop();
  ASSERT_EQ(codes.size(), size_t{kProcesses});
  for (const auto& [number, code] : codes) {
    EXPECT_EQ(code, number % 100);
  }
}

}  // namespace
}  // namespace windlass::posix
