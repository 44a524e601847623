#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "posix/posix_clock.h"
#include "posix/testing.h"
#include "supervisor/log/log_pump.h"

namespace windlass::supervisor {
namespace {

class FixedClock final : public env::Clock {
 public:
  Time now() override { return time_from_unix(1'700'000'000, 5); }
  MonotonicTime monotonic() override { return {}; }
};

constexpr std::string_view kStamp = "2023-11-14T22:13:20.000000005Z ";

std::string line(std::string_view stream, char tag, std::string_view text) {
  return std::string(kStamp) + std::string(stream) + " " + tag + " " + std::string(text) + "\n";
}

struct LogTest : ::testing::Test {
  std::unique_ptr<LogFile> open(LogLimits limits = {}) {
    return std::make_unique<LogFile>(clock, directory / "log", limits);
  }
  FixedClock clock;
  posix::TemporaryDirectory directory;
};

TEST_F(LogTest, LinesAreCutWhereverTheReadsAre) {
  const std::string text = "one\ntwo\n\nthree";
  const std::string expected = line("stdout", 'F', "one") + line("stdout", 'F', "two") +
                               line("stdout", 'F', "") + line("stdout", 'P', "three");
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    std::filesystem::remove(directory / "log");
    const auto log = open();
    LineSplitter lines("stdout");
    lines.feed(std::string_view(text).substr(0, cut), *log);
    lines.feed(std::string_view(text).substr(cut), *log);
    lines.finish(*log);
    log->flush();
    EXPECT_EQ(directory.read("log"), expected) << cut;
  }
}

TEST_F(LogTest, LongLinesComeInPieces) {
  const std::string piece(LogFile::kMaxLineBytes, 'x');
  const auto log = open();
  LineSplitter lines("stderr");
  lines.feed(piece + piece + "end\n" + piece + "\n", *log);
  log->flush();
  EXPECT_EQ(directory.read("log"), line("stderr", 'P', piece) + line("stderr", 'P', piece) +
                                       line("stderr", 'F', "end") + line("stderr", 'F', piece));
}

TEST_F(LogTest, FilesAreRotatedAndBounded) {
  const auto log = open({1000, 3});
  for (int i = 0; i < 100; ++i) {
    log->write("stdout", "line " + std::to_string(i), false);
    log->flush();
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_LE(entry.file_size(), 1000u) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 3u);
  EXPECT_NE(directory.read("log").find("line 99\n"), std::string::npos);
  EXPECT_NE(directory.read("log.1").find("line 8"), std::string::npos);
}

TEST_F(LogTest, WhatAFullDiskDropsIsSaidOnce) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto log = open();
  log->write("stdout", "kept", false);
  log->flush();
  const std::string kept = line("stdout", 'F', "kept");
  // Room for half a line more: what does not fit whole is not written at all.
  const rlimit full = {kept.size() + 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  for (int i = 0; i < 3; ++i) {
    log->write("stdout", "lost", false);
    log->flush();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(directory.read("log"), kept);
  log->write("stdout", "again", false);
  log->write("stdout", "and again", false);
  log->flush();
  const std::string notice =
      fmt::format("windlass: {} bytes of log were dropped here: File too large", 3 * kept.size());
  EXPECT_EQ(directory.read("log"), kept + line("stderr", 'F', notice) +
                                       line("stdout", 'F', "again") +
                                       line("stdout", 'F', "and again"));
}

TEST_F(LogTest, ALinkIsNotFollowed) {
  directory.write("target", "as it was");
  std::filesystem::create_symlink(directory / "target", directory / "link");
  LogFile log(clock, directory / "link", {});
  log.write("stdout", "words", false);
  log.flush();
  EXPECT_EQ(directory.read("target"), "as it was");
}

TEST_F(LogTest, TheFileAndItsDirectoryComeWithTheFirstLine) {
  LogFile log(clock, directory / "a/b/log", {});
  log.flush();
  EXPECT_FALSE(std::filesystem::exists(directory / "a"));
  log.write("stdout", "words", false);
  log.flush();
  EXPECT_EQ(directory.read("a/b/log"), line("stdout", 'F', "words"));
}

TEST_F(LogTest, ADirectoryThatCannotBeMadeDropsWhatIsSaidUntilItCan) {
  directory.write("a", "in the way");
  LogFile log(clock, directory / "a/log", {});
  log.write("stdout", "lost", false);
  log.flush();
  std::filesystem::remove(directory / "a");
  log.write("stdout", "kept", false);
  log.flush();
  const std::string text = directory.read("a/log");
  EXPECT_NE(text.find("bytes of log were dropped here: open "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(line("stdout", 'F', "kept"))) << text;
}

}  // namespace
}  // namespace windlass::supervisor
