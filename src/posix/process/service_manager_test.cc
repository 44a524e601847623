#include "posix/process/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "posix/files/file_descriptor.h"
#include "posix/posix_clock.h"
#include "posix/testing.h"

namespace windlass::posix {
namespace {

// The other end: what a service manager gets, one datagram after the other.
class Inbox {
 public:
  explicit Inbox(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  // Waits for it.
  std::string next() const {
    std::array<char, 256> text;
    const ssize_t size = ::recv(fd_.get(), text.data(), text.size(), 0);
    return size < 0 ? "" : std::string(text.data(), static_cast<size_t>(size));
  }
  bool empty() const {
    char c = 0;
    return ::recv(fd_.get(), &c, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
  }
  int descriptor() const { return fd_.get(); }

 private:
  FileDescriptor fd_;
};

class ServiceManagerTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  Inbox inbox_{directory_ / "notify"};
  PosixClock clock_;
  EventLoop loop_{clock_};
};

TEST_F(ServiceManagerTest, HearsThatTheProcessIsReadyAndThatItStops) {
  ServiceManager manager(loop_, {directory_ / "notify"});
  EXPECT_TRUE(inbox_.empty());
  manager.ready("Serving");
  EXPECT_EQ(inbox_.next(), "READY=1\nSTATUS=Serving");
  EXPECT_TRUE(inbox_.empty()) << "there is no watchdog";
  manager.stopping();
  EXPECT_EQ(inbox_.next(), "STOPPING=1\nSTATUS=Stopping");
}

TEST_F(ServiceManagerTest, HearsAgainAndAgainThatTheLoopTurns) {
  ServiceManager manager(loop_, {directory_ / "notify", milliseconds(2)});
  manager.ready("");
  EXPECT_EQ(inbox_.next(), "READY=1\nSTATUS=");
  int ticks = 0;
  const WatchId watch = loop_.watch(inbox_.descriptor(), EPOLLIN, [&](uint32_t) {
    EXPECT_EQ(inbox_.next(), "WATCHDOG=1");
    if (++ticks == 3) {
      loop_.stop();
    }
  });
  loop_.run();
  loop_.unwatch(watch);
  EXPECT_EQ(ticks, 3);
}

TEST_F(ServiceManagerTest, NoneIsNotAnError) {
  ServiceManager none(loop_, {});
  none.ready("Serving");
  ServiceManager gone(loop_, {directory_ / "nowhere", seconds(1)});
  gone.ready("Serving");
  gone.stopping();
}

TEST_F(ServiceManagerTest, TheEnvironmentNamesIt) {
  ::setenv("NOTIFY_SOCKET", "@name", 1);
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  EXPECT_EQ(ServiceAddress::from_environment().socket, "@name");
  EXPECT_EQ(ServiceAddress::from_environment().watchdog, seconds(3));
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_EQ(ServiceAddress::from_environment().watchdog, Duration::zero()) << "for another process";
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  EXPECT_EQ(ServiceAddress::from_environment().watchdog, seconds(3));
  ::setenv("WATCHDOG_USEC", "soon", 1);
  EXPECT_EQ(ServiceAddress::from_environment().watchdog, Duration::zero());
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
    ::unsetenv(name);
  }
}

}  // namespace
}  // namespace windlass::posix
