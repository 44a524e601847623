#include "cli/logs/log_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/logs/log_printer.h"
#include "cli/output/captured_output_testing.h"
#include "virtual_world/virtual_files.h"
#include "virtual_world/world.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTime = "2026-01-02T03:04:05.000000000Z";

std::string whole_line(const std::string& text) {
  return std::string(kTime) + " stdout F " + text + "\n";
}

std::string piece_of_line(const std::string& text) {
  return std::string(kTime) + " stdout P " + text + "\n";
}

node::ContainerLog log_of(const std::string& pod) {
  return {"default", pod, pod + "-uid", "main", 0, "/logs/" + pod};
}

class LogFollowerTest : public ::testing::Test {
 protected:
  LogFollowerTest() : world_(1) {}

  void follow(LogPrinter::Form form) {
    printer_ = std::make_unique<LogPrinter>(output_, Output::Stream::out, form);
    follower_ = std::make_unique<LogFollower>(world_.executor(), files_,
                                              std::vector<LogConsumer*>{printer_.get()});
  }

  void wait(Duration duration) {
    const MonotonicTime until = world_.clock().monotonic() + duration;
    static_cast<void>(
        world_.run_until([&] { return world_.clock().monotonic() >= until; }, duration));
  }

  void write(const std::string& pod, const std::string& text) {
    logs_[pod] += text;
    files_.put("/logs/" + pod, logs_[pod]);
  }

  virtual_world::VirtualWorld world_;
  virtual_world::VirtualFiles files_;
  testing::TextOutput output_;
  std::map<std::string, std::string> logs_;
  std::unique_ptr<LogPrinter> printer_;
  std::unique_ptr<LogFollower> follower_;
};

TEST_F(LogFollowerTest, LinesComeWhileTheContainerRuns) {
  follow(LogPrinter::Form::exact);
  follower_->on_container_started(log_of("a"));
  write("a", whole_line("one") + piece_of_line("tw"));
  wait(2 * LogFollower::kPeriod);
  EXPECT_EQ(output_.out_text, "[a main] one\n") << "half a line waits for the rest";
  write("a", whole_line("o"));
  wait(2 * LogFollower::kPeriod);
  EXPECT_EQ(output_.out_text, "[a main] one\n[a main] two\n");
}

TEST_F(LogFollowerTest, LinesOfSeveralPodsDoNotMix) {
  follow(LogPrinter::Form::exact);
  follower_->on_container_started(log_of("a"));
  follower_->on_container_started(log_of("b"));
  write("a", piece_of_line("begun by a, "));
  write("b", whole_line("all of b"));
  wait(2 * LogFollower::kPeriod);
  write("a", whole_line("ended by a"));
  follower_->on_container_ended(log_of("a"), 0);
  EXPECT_EQ(output_.out_text, "[b main] all of b\n[a main] begun by a, ended by a\n");
}

TEST_F(LogFollowerTest, TheEndOfAContainerIsTheEndOfItsLine) {
  follow(LogPrinter::Form::exact);
  follower_->on_container_started(log_of("a"));
  write("a", piece_of_line("no line feed"));
  follower_->on_container_ended(log_of("a"), 1);
  EXPECT_EQ(output_.out_text, "[a main] no line feed\n");
  wait(2 * LogFollower::kPeriod);
  EXPECT_EQ(output_.out_text, "[a main] no line feed\n") << "nothing follows it any more";
}

TEST_F(LogFollowerTest, ATerminalGetsNoControlCharactersAndAPipeGetsEveryByte) {
  const std::string wild = "10%\r90%\x1b[2J\x1b[31mred\xff";
  follow(LogPrinter::Form::shown);
  write("a", whole_line(wild));
  follower_->on_container_ended(log_of("a"), 0);
  EXPECT_EQ(output_.out_text, "[a main] 90%red\uFFFD\n");
  output_.out_text.clear();
  follow(LogPrinter::Form::exact);
  follower_->on_container_ended(log_of("a"), 0);
  EXPECT_EQ(output_.out_text, "[a main] " + wild + "\n");
}

TEST_F(LogFollowerTest, ALineWithoutAnEndIsBrokenInMemoryBounds) {
  follow(LogPrinter::Form::exact);
  const std::string half(LogPrinter::kMaxLineBytes / 2, 'x');
  for (int i = 0; i < 5; ++i) {
    printer_->log_grew(log_of("a"), half);
  }
  printer_->log_ended(log_of("a"), 0);
  EXPECT_EQ(output_.out_text,
            "[a main] " + half + half + "\n[a main] " + half + half + "\n[a main] " + half + "\n");
}

TEST_F(LogFollowerTest, WithoutConsumersItReadsNothing) {
  LogFollower idle(world_.executor(), files_, {});
  idle.on_container_started(log_of("a"));
  idle.on_container_ended(log_of("a"), 0);
  EXPECT_FALSE(world_.run_until([] { return false; }, seconds(10))) << "no timer is left";
}

TEST(LastLogLines, AreTheEndOfTheLogHoweverLongItIs) {
  virtual_world::VirtualFiles files;
  EXPECT_EQ(last_log_lines(files, "/none", 3), "");
  std::string log;
  for (int i = 0; i < 10'000; ++i) {
    log += whole_line("line " + std::to_string(i));
  }
  files.put("/log", log);
  EXPECT_EQ(last_log_lines(files, "/log", 2), "line 9998\nline 9999\n");
  files.put("/log", whole_line("a") + piece_of_line("b"));
  EXPECT_EQ(last_log_lines(files, "/log", 10), "a\nb");
}

TEST(LastLogLines, OfALogThatWasFullAreInTheRotatedFile) {
  virtual_world::VirtualFiles files;
  files.put("/log", "");
  files.put("/log.1", whole_line("before"));
  EXPECT_EQ(last_log_lines(files, "/log", 10), "before\n");
}

TEST(LastLogLines, AMegabyteLineIsBounded) {
  virtual_world::VirtualFiles files;
  std::string log;
  for (int i = 0; i < 200; ++i) {
    log += piece_of_line(std::string(16'000, 'x'));
  }
  files.put("/log", log + whole_line("end"));
  EXPECT_LE(last_log_lines(files, "/log", 10).size(), 32'000u);
  EXPECT_THAT(last_log_lines(files, "/log", 10), HasSubstr("end\n"));
}

}  // namespace
}  // namespace windlass::cli
