#include "posix/process/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "posix/posix_clock.h"
#include "posix/testing.h"

namespace windlass::posix {

namespace {

using ::testing::HasSubstr;

class ProgramTest : public ::testing::Test {
 protected:
  Result<std::string> run(std::vector<std::string> command, Duration limit = seconds(60),
                          size_t bytes = 1000) {
    ProgramRequest request;
    request.command = std::move(command);
    request.environment = {"WORD=from us"};
    request.time_limit = limit;
    request.max_output_bytes = bytes;
    std::optional<Result<std::string>> ended;
    auto started = Program::start(loop_, request, [&](Result<std::string> output) {
      ended = std::move(output);
      loop_.stop();
    });
    if (!started) {
      return fail(started.error());
    }
    loop_.run();
    return *ended;
  }
  std::string error(std::vector<std::string> command, Duration limit = seconds(60)) {
    const auto ended = run(std::move(command), limit);
    return ended ? "none" : ended.error().message;
  }

  PosixClock clock_;
  EventLoop loop_{clock_};
};

TEST_F(ProgramTest, OutputAndEnvironment) {
  EXPECT_EQ(*run({"sh", "-c", "echo \"$WORD, $0\"", "and more"}), "from us, and more\n");
  EXPECT_EQ(*run({"/bin/true"}), "");
  EXPECT_EQ(*run({"sh", "-c", "cat; echo 1; exec >&-; exit 0"}), "1\n") << "its input is empty";
}

TEST_F(ProgramTest, FailuresSayWhatHappenedAndNeverTheOutput) {
  EXPECT_EQ(error({"sh", "-c", "echo CANARY; exit 3"}), "sh ended with exit code 3");
  EXPECT_EQ(error({"sh", "-c", "kill -9 $$"}), "sh was ended by signal 9");
  EXPECT_THAT(error({"no-such-program"}), HasSubstr("no-such-program"));
  EXPECT_EQ(error({"sh", "-c", "yes CANARY"}), "sh writes more than 1000 bytes");
}

TEST_F(ProgramTest, ItEndsInTimeWithAllItsChildren) {
  EXPECT_EQ(error({"sh", "-c", "sleep 1000 & sleep 1000"}, milliseconds(20)),
            "sh has not ended within 20ms");
  // A child in the background holds the output; the program itself has ended.
  EXPECT_EQ(*run({"sh", "-c", "sleep 1000 & echo done"}), "done\n");
}

// One in a session of its own is out of reach, and holds the output for as long as it likes.
TEST_F(ProgramTest, AChildThatGotAwayIsNotWaitedFor) {
  // The substitution ends when the child, in its session, has taken the output for its own.
  const char* script = "exec 3>&1; x=$(setsid -f sh -c 'exec >&3; sleep 5'); echo done";
  EXPECT_EQ(*run({"sh", "-c", script}, seconds(4)), "done\n");
}

TEST_F(ProgramTest, DestroyedEarlyItIsKilled) {
  ProgramRequest request;
  request.command = {"sleep", "1000"};
  request.time_limit = seconds(60);
  const auto started = Program::start(loop_, request, [](const Result<std::string>&) {
    ADD_FAILURE() << "no callback after the end";
  });
  ASSERT_TRUE(started.has_value());
}

}  // namespace

namespace {

TEST(RunProgram, SaysHowItEnded) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(run_program({"sh", "-c", "echo \"$1\" > \"$0\"", directory / "f", "a b"}));
  EXPECT_EQ(directory.read("f"), "a b\n");
  EXPECT_EQ(run_program({"sh", "-c", "exit 3"}).error().message, "sh ended with 3");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).error().message, "sh was killed by signal 9");
  EXPECT_EQ(run_program({"/nowhere/x"}).error().message,
            "run /nowhere/x: no such file or directory");
}

}  // namespace

}  // namespace windlass::posix
