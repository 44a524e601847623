#include "posix/posix_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include "posix/files/file_descriptor.h"
#include "posix/posix_clock.h"
#include "posix/posix_random.h"
#include "posix/testing.h"

namespace windlass::posix {
namespace {

class FixedClock final : public env::Clock {
 public:
  Time now() override { return time_from_unix(1136214245, 123456789); }
  MonotonicTime monotonic() override { return MonotonicTime(); }
};

class PosixLogTest : public testing::Test {
 protected:
  std::string written() const { return directory_.read("log"); }

  TemporaryDirectory directory_;
  FixedClock clock_;
  FileDescriptor file_{::open((directory_ / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600)};
};

TEST_F(PosixLogTest, TheJournalGetsPrioritiesInPlaceOfTimes) {
  PosixLog log(clock_, env::LogLevel::debug, file_.get(), LogStyle::journal);
  log.error("broken", {{"pod", "default/a"}});
  log.warning("odd", {});
  log.info("usual", {});
  log.debug("dull", {});
  EXPECT_EQ(written(), "<3>broken pod=default/a\n<4>odd\n<6>usual\n<7>dull\n");
}

TEST_F(PosixLogTest, TheJournalIsKnownByItsStream) {
  struct stat info = {};
  ASSERT_EQ(::fstat(file_.get(), &info), 0);
  const std::string stream = std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
  EXPECT_EQ(log_style_of(file_.get()), LogStyle::timed);
  ::setenv("JOURNAL_STREAM", stream.c_str(), 1);
  EXPECT_EQ(log_style_of(file_.get()), LogStyle::journal);
  EXPECT_EQ(log_style_of(STDIN_FILENO), LogStyle::timed);
  ::unsetenv("JOURNAL_STREAM");
}

TEST_F(PosixLogTest, WritesOneLineWithTimeAndLevel) {
  PosixLog log(clock_, env::LogLevel::debug, file_.get());
  log.warning("pod is gone", {{"pod", "default/a"}, {"why", "two\nlines"}});
  EXPECT_EQ(written(),
            "2006-01-02T15:04:05.123456Z warning pod is gone pod=default/a why=\"two\\nlines\"\n");
}

TEST_F(PosixLogTest, LeavesOutWhatIsBelowTheLevel) {
  PosixLog log(clock_, env::LogLevel::warning, file_.get());
  log.debug("no");
  log.info("no");
  log.error("yes");
  EXPECT_EQ(written(), "2006-01-02T15:04:05.123456Z error yes\n");
}

TEST_F(PosixLogTest, LinesOfSeveralThreadsStayWhole) {
  PosixLog log(clock_, env::LogLevel::info, file_.get());
  const std::string message(5000, 'x');
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        log.info(message);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::string all = written();
  const std::string line = "2006-01-02T15:04:05.123456Z info " + message + "\n";
  ASSERT_EQ(all.size(), 200 * line.size());
  for (size_t at = 0; at < all.size(); at += line.size()) {
    ASSERT_EQ(all.compare(at, line.size(), line), 0);
  }
}

// A full pipe without a reader in time: the line is lost, and the next one is not.
TEST_F(PosixLogTest, ADescriptorThatDoesNotTakeItLosesOnlyThatLine) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  const FileDescriptor read(ends[0]);
  const FileDescriptor write(ends[1]);
  std::string filler(4096, 'x');
  while (::write(write.get(), filler.data(), filler.size()) > 0) {
  }
  PosixLog log(clock_, env::LogLevel::info, write.get());
  log.error("lost");
  while (::read(read.get(), filler.data(), filler.size()) > 0) {
  }
  log.error("kept");
  const ssize_t got = ::read(read.get(), filler.data(), filler.size());
  ASSERT_GT(got, 0);
  EXPECT_EQ(filler.substr(0, static_cast<size_t>(got)), "2006-01-02T15:04:05.123456Z error kept\n");
}

TEST(PosixClock, MonotonicNeverGoesBack) {
  PosixClock clock;
  MonotonicTime last = clock.monotonic();
  for (int i = 0; i < 1000; ++i) {
    const MonotonicTime now = clock.monotonic();
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_GT(unix_seconds(clock.now()), 1'700'000'000);
}

TEST(PosixRandom, FillsAllBytesAndDiffers) {
  PosixRandom random;
  std::array<std::byte, 4096> bytes = {};
  random.fill(bytes);
  const auto zeros = std::count(bytes.end() - 1024, bytes.end(), std::byte{0});
  EXPECT_LT(zeros, 50);
  EXPECT_NE(random.next(), random.next());
}

}  // namespace
}  // namespace windlass::posix
