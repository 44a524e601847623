// gRPC health checks over real sockets, with a server made of the same library's other half.
#include "net/checks/health_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <thread>

#include "net/checks/endpoint_checks.h"
#include "net/checks/grpc_testing.h"
#include "net/testing.h"

namespace windlass::net {
namespace {

using namespace std::string_literals;
using net::testing::GrpcReply;
using net::testing::GrpcServer;
using How = env::GrpcHealth::How;
using ::testing::HasSubstr;

const std::string kServingBody = "\0\0\0\0\2\x08\1"s;
const std::vector<std::pair<std::string, std::string>> kOk = {{"grpc-status", "0"}};

env::GrpcHealth ask(uint16_t port, const std::string& service = "", Duration timeout = minutes(2)) {
  posix::PosixClock clock;
  posix::EventLoop loop(clock);
  EndpointChecks checks(loop);
  std::optional<env::GrpcHealth> answer;
  const auto handle =
      checks.ask_health({"127.0.0.1", port, service}, timeout, [&](const env::GrpcHealth& health) {
        answer = health;
        loop.stop();
      });
  loop.run();
  return *answer;
}

env::GrpcHealth ask(const GrpcReply& reply) {
  GrpcServer server(reply);
  return ask(server.port());
}

// A listening socket does not wait by itself.
posix::FileDescriptor accept_one(int listening) {
  pollfd ready{listening, POLLIN, 0};
  ::poll(&ready, 1, net::testing::kDeadlineMs);
  return posix::FileDescriptor(::accept(listening, nullptr, nullptr));
}

TEST(HealthCall, AsksForTheServiceAndHearsThatItServes) {
  GrpcServer server({.body = kServingBody, .trailers = kOk});
  EXPECT_EQ(ask(server.port(), "db"), (env::GrpcHealth{How::answered, 0, "", 1}));
  ASSERT_EQ(server.asked().size(), 1u);
  const auto asked = server.asked()[0];
  EXPECT_EQ(asked.body, "\0\0\0\0\4\x0A\2db"s);
  EXPECT_EQ(asked.head.at(":method"), "POST");
  EXPECT_EQ(asked.head.at(":path"), "/grpc.health.v1.Health/Check");
  EXPECT_EQ(asked.head.at(":authority"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(asked.head.at("content-type"), "application/grpc");
  EXPECT_EQ(asked.head.at("te"), "trailers");
  EXPECT_EQ(asked.head.at("grpc-timeout"), "120000m");
}

TEST(HealthCall, OtherStatuses) {
  EXPECT_EQ(ask({.body = "\0\0\0\0\2\x08\2"s, .trailers = kOk}).serving, 2);
  EXPECT_EQ(ask({.body = "\0\0\0\0\0"s, .trailers = kOk}).serving, 0);
}

TEST(HealthCall, ErrorsOfTheService) {
  const auto error = ask({.trailers = {{"grpc-status", "5"}, {"grpc-message", "who%20is%20db"}}});
  EXPECT_EQ(error, (env::GrpcHealth{How::answered, 5, "who is db", 0}));
}

TEST(HealthCall, AnswersThatAreNone) {
  EXPECT_EQ(ask({.http_status = "404"}).code, 12);
  EXPECT_EQ(ask({.http_status = "503"}).code, 14);
  EXPECT_EQ(ask({.body = kServingBody}).message,
            "server closed the stream without sending trailers");
  EXPECT_EQ(ask({.body = "no", .trailers = kOk}).message, "the answer is no HealthCheckResponse");
  EXPECT_EQ(ask({.body = std::string(100'000, '\0'), .trailers = kOk}).message,
            "the answer is no HealthCheckResponse");
  EXPECT_THAT(ask({.reset = NGHTTP2_REFUSED_STREAM}).message, HasSubstr("REFUSED_STREAM"));
}

TEST(HealthCall, NobodyIsThere) {
  Endpoint endpoint;
  {
    const auto closed_again = listen_on(endpoint);
    ASSERT_TRUE(closed_again);
  }
  EXPECT_EQ(ask(endpoint.port),
            (env::GrpcHealth{How::refused, 0, "connect: connection refused", 0}));
}

TEST(HealthCall, AServerThatSaysNothing) {
  GrpcServer server({.silent = true});
  EXPECT_EQ(ask(server.port(), "", milliseconds(20)).how, How::timed_out);
}

// Frames of an unknown kind are to be ignored; a server may send them without an end.
TEST(HealthCall, AServerThatNeverStopsHoldsUpNobody) {
  Endpoint endpoint;
  auto listening = listen_on(endpoint);
  ASSERT_TRUE(listening);
  std::string frames;
  while (frames.size() < 16 * 1024) {
    frames += "\0\0\0\xfa\0\0\0\0\0"s;
  }
  std::thread server([&] {
    const posix::FileDescriptor socket = accept_one(listening->get());
    const std::string settings = "\0\0\0\x04\0\0\0\0\0"s;
    ::send(socket.get(), settings.data(), settings.size(), MSG_NOSIGNAL);
    while (::send(socket.get(), frames.data(), frames.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  const env::GrpcHealth health = ask(endpoint.port);
  server.join();
  EXPECT_EQ(health.how, How::failed);
  EXPECT_THAT(health.message, HasSubstr("gives no answer"));
}

// Hears everything and never has enough.
class Insatiable final : public ProbeExchange {
 public:
  std::string_view output() override { return ""; }
  void sent(size_t /*bytes*/) override {}
  Result<bool> received(std::string_view /*bytes*/) override { return false; }
};

TEST(HealthCall, TimersGoOnBesideAServerThatNeverStops) {
  Endpoint endpoint;
  auto listening = listen_on(endpoint);
  ASSERT_TRUE(listening);
  const std::string bytes(64 * 1024, 'x');
  std::thread server([&] {
    const posix::FileDescriptor socket = accept_one(listening->get());
    while (::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  posix::PosixClock clock;
  posix::EventLoop loop(clock);
  ProbeEnd how;
  const auto check = std::make_shared<ProbeConnection>(loop, [&](const ProbeEnd& end) {
    how = end;
    loop.stop();
  });
  check->begin(endpoint.address, endpoint.port, milliseconds(50), std::make_unique<Insatiable>(),
               nullptr);
  loop.run();
  server.join();
  EXPECT_TRUE(how.timed_out);
}

TEST(HealthCall, AServerOfHttp1) {
  net::testing::LambdaHandler lambdas;
  net::testing::TestServer server({}, lambdas);
  EXPECT_EQ(ask(server.server->endpoint().port).how, How::failed);
}

// However the bytes are cut, and whatever they are: an answer or a failure, never a crash.
TEST(HealthCall, BytesThatAreNotHttp2) {
  HealthCall call("h:1", "", seconds(1));
  EXPECT_THAT(std::string(call.output()), HasSubstr("PRI * HTTP/2.0"));
  call.sent(call.output().size());
  Result<bool> over = false;
  for (const char c : "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"s) {
    over = call.received({&c, 1});
    if (!over) {
      break;
    }
  }
  EXPECT_FALSE(over);
}

}  // namespace
}  // namespace windlass::net
