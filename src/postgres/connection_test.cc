// Without a server; tests/postgres has one.
#include "postgres/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <future>

#include "posix/posix_clock.h"
#include "posix/testing.h"
#include "posix/worker_thread.h"

namespace windlass::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresAddress, ErrorsDoNotShowThePassword) {
  posix::PosixClock clock;
  const Interrupt never;
  for (const char* address : {"postgresql://u:sesame@127.0.0.1:1/x", "postgresql://u:sesame@[/x",
                              "postgresql://u:sesame@h/x?no_such_option=1"}) {
    const auto opened = Connection::open(address, clock, never, seconds(10));
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, Not(HasSubstr("sesame"))) << address;
  }
}

TEST(PostgresAddress, AConnectionThatHangsCanBeInterrupted) {
  posix::PosixClock clock;
  posix::WorkerThread worker(clock, "waits");
  Interrupt interrupt;
  // Accepts, and says nothing.
  const posix::TemporaryDirectory directory;
  const posix::FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un place = {};
  place.sun_family = AF_UNIX;
  (directory / ".s.PGSQL.5432")
      .copy(static_cast<char*>(place.sun_path), sizeof(place.sun_path) - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&place), sizeof(place)), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  std::promise<std::string> said;
  worker.post([&] {
    const auto opened =
        Connection::open("postgresql:///x?host=" + directory.path(), clock, interrupt, minutes(10));
    said.set_value(opened ? "" : opened.error().message);
  });
  ASSERT_GE(::accept(listener.get(), nullptr, nullptr), 0);
  interrupt.happen();
  EXPECT_THAT(said.get_future().get(), HasSubstr("stopped"));
  EXPECT_THAT(Connection::open("postgresql:///x?host=" + directory.path(), clock, Interrupt(),
                               milliseconds(50))
                  .error()
                  .message,
              HasSubstr("in time"));
}

}  // namespace
}  // namespace windlass::postgres
