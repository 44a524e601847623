#include "logind/logind_shutdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/log.h"
#include "logind/logind_testing.h"
#include "posix/posix_clock.h"

namespace windlass::logind {
namespace {

using logind::testing::FakePeer;
using logind::testing::PrivateBus;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextLog final : public env::Log {
 public:
  void write(env::LogLevel level, std::string_view message,
             std::initializer_list<env::LogField> fields) override {
    std::string line = level == env::LogLevel::warning ? "warning " : "";
    line += message;
    for (const env::LogField& field : fields) {
      line += " " + std::string(field.key) + "=" + field.value;
    }
    lines.push_back(std::move(line));
  }

  std::vector<std::string> lines;
};

class LogindShutdownTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!bus.running()) {
      GTEST_SKIP() << "dbus-daemon is not installed: NOTHING HERE IS TESTED";
    }
  }

  // Until then, or for a generous while.
  bool wait_until(const std::function<bool()>& then) {
    bool in_time = true;
    const auto limit = loop.schedule(seconds(20), [&] {
      in_time = false;
      loop.stop();
    });
    std::function<void()> look = [&] {
      if (then()) {
        loop.stop();
      } else {
        loop.schedule(milliseconds(1), look);
      }
    };
    loop.post(look);
    loop.run();
    loop.cancel(limit);
    return in_time;
  }
  std::unique_ptr<LogindShutdown> watching(std::optional<Duration> wanted = std::nullopt) {
    auto made = std::make_unique<LogindShutdown>(loop, log, bus.address());
    made->watch(wanted, [this](bool imminent) { heard.push_back(imminent); });
    return made;
  }

  PrivateBus bus;
  posix::PosixClock clock;
  posix::EventLoop loop{clock};
  TextLog log;
  std::vector<bool> heard;
};

// K-71.
TEST_F(LogindShutdownTest, HoldsADelayLockAndHearsOfAShutdown) {
  FakePeer logind(bus.address(), "org.freedesktop.login1");
  const auto shutdown = watching();
  ASSERT_TRUE(wait_until([&] { return shutdown->holds_lock(); }));
  EXPECT_THAT(
      logind.asked_for(),
      ElementsAre("shutdown", "windlass", "Pods are to end within their grace periods", "delay"));
  logind.prepare_for_shutdown(true);
  ASSERT_TRUE(wait_until([&] { return !heard.empty(); }));
  EXPECT_THAT(heard, ElementsAre(true));
  EXPECT_FALSE(logind.is_lock_released_within(0));
  shutdown->release();
  EXPECT_TRUE(logind.is_lock_released_within(20'000));
}

TEST_F(LogindShutdownTest, TakesTheLockAgainWhenTheShutdownIsCancelled) {
  FakePeer logind(bus.address(), "org.freedesktop.login1");
  const auto shutdown = watching();
  ASSERT_TRUE(wait_until([&] { return shutdown->holds_lock(); }));
  logind.prepare_for_shutdown(true);
  ASSERT_TRUE(wait_until([&] { return heard.size() == 1; }));
  shutdown->release();
  logind.prepare_for_shutdown(false);
  ASSERT_TRUE(wait_until([&] { return heard.size() == 2 && shutdown->holds_lock(); }));
  EXPECT_THAT(heard, ElementsAre(true, false));
  EXPECT_EQ(logind.locks(), 2);
}

TEST_F(LogindShutdownTest, LogindMayComeLaterAndBeReplaced) {
  const auto shutdown = watching();
  ASSERT_TRUE(wait_until([&] { return !log.lines.empty(); }));
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("there is no logind")));
  auto first = std::make_unique<FakePeer>(bus.address(), "org.freedesktop.login1");
  ASSERT_TRUE(wait_until([&] { return shutdown->holds_lock(); }));
  first.reset();
  FakePeer second(bus.address(), "org.freedesktop.login1");
  ASSERT_TRUE(wait_until([&] {
    second.prepare_for_shutdown(true);
    return !heard.empty();
  }));
  EXPECT_THAT(heard, ElementsAre(true));
}

TEST_F(LogindShutdownTest, OnlyLogindIsBelieved) {
  FakePeer logind(bus.address(), "org.freedesktop.login1");
  FakePeer stranger(bus.address(), nullptr);
  const auto shutdown = watching();
  ASSERT_TRUE(wait_until([&] { return shutdown->holds_lock(); }));
  for (int name = 0; name < 9; ++name) {
    const std::string each = ":1." + std::to_string(name);  // one of them is ours
    stranger.prepare_for_shutdown(true, each.c_str());
  }
  stranger.prepare_for_shutdown(true);
  logind.prepare_for_shutdown(false);  // no change: nothing to hear
  logind.prepare_for_shutdown(true);
  ASSERT_TRUE(wait_until([&] { return !heard.empty(); }));
  logind.prepare_for_shutdown(false);
  ASSERT_TRUE(wait_until([&] { return heard.size() == 2; }));
  EXPECT_THAT(heard, ElementsAre(true, false));
}

TEST_F(LogindShutdownTest, WarnsWhenLogindDoesNotWaitLongEnough) {
  FakePeer logind(bus.address(), "org.freedesktop.login1", 5'000'000);
  const auto shutdown = watching(seconds(30));
  const auto warned = [&] {
    for (const std::string& line : log.lines) {
      if (line.find("InhibitDelayMaxSec=5s") != std::string::npos) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(wait_until(warned));
}

TEST_F(LogindShutdownTest, ABusThatGoesAwayIsOnlyALineInTheLog) {
  FakePeer logind(bus.address(), "org.freedesktop.login1");
  const auto shutdown = watching();
  ASSERT_TRUE(wait_until([&] { return shutdown->holds_lock(); }));
  log.lines.clear();
  bus.stop();
  ASSERT_TRUE(wait_until([&] { return !log.lines.empty(); }));
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("the connection to the system bus was lost")));
  EXPECT_TRUE(heard.empty());
}

TEST(LogindShutdown, WithoutABusItSaysSoOnce) {
  posix::PosixClock clock;
  posix::EventLoop loop(clock);
  TextLog log;
  LogindShutdown shutdown(loop, log, "unix:path=/nonexistent/windlass/bus");
  shutdown.watch(std::nullopt, [](bool) { FAIL(); });
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("will not be noticed")));
}

}  // namespace
}  // namespace windlass::logind
