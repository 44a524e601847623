#include "supervisor/protocol/launcher.h"

#include <gtest/gtest.h>

#include <functional>

#include "posix/posix_clock.h"
#include "posix/testing.h"

namespace windlass::supervisor {
namespace {

constexpr Duration kDeadline = seconds(60);

class LauncherTest : public ::testing::Test {
 protected:
  // Runs the loop until none that was started is left.
  void wait_for_all(const Launcher& launcher) {
    std::function<void()> look = [&] {
      launcher.running() == 0 ? loop_.stop()
                              : static_cast<void>(loop_.schedule(milliseconds(1), look));
    };
    const env::TimerId deadline = loop_.schedule(kDeadline, [this] { loop_.stop(); });
    look();
    loop_.run();
    loop_.cancel(deadline);
  }

  const posix::TemporaryDirectory directory_;
  posix::PosixClock clock_;
  posix::EventLoop loop_{clock_};
};

TEST_F(LauncherTest, OneThatEndsIsReaped) {
  Launcher launcher(loop_, {"/bin/true"}, directory_ / "sup");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(launcher.launch().has_value());
  }
  EXPECT_EQ(launcher.running(), 3U);
  wait_for_all(launcher);
  EXPECT_EQ(launcher.running(), 0U) << "none stays behind as a zombie";
}

TEST_F(LauncherTest, ItsMessagesAreInTheDirectory) {
  Launcher launcher(loop_, {"/bin/echo"}, directory_ / "sup");
  ASSERT_TRUE(launcher.launch().has_value());
  wait_for_all(launcher);
  EXPECT_EQ(directory_.read("sup/supervisor.log"),
            "supervisor --dir " + (directory_ / "sup") + "\n");
}

TEST_F(LauncherTest, AProgramThatIsNotThereIsAnError) {
  Launcher launcher(loop_, {"/no/such/program"}, directory_ / "sup");
  const Result<void> launched = launcher.launch();
  ASSERT_FALSE(launched.has_value());
  EXPECT_EQ(launched.error().message, "exec /no/such/program: no such file or directory");
  EXPECT_EQ(launcher.running(), 0U);
}

TEST_F(LauncherTest, TheFirstThatCanBeStartedIs) {
  Launcher launcher(loop_, {"/no/such/program", "/bin/echo", "/bin/true"}, directory_ / "sup");
  ASSERT_TRUE(launcher.launch().has_value());
  EXPECT_EQ(launcher.running(), 1U);
  wait_for_all(launcher);
  EXPECT_NE(directory_.read("sup/supervisor.log"), "");
}

}  // namespace
}  // namespace windlass::supervisor
