#include "net/checks/endpoint_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "net/stream/endpoint.h"
#include "net/testing.h"

namespace windlass::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;

// A loop of its own asks; the server of the tests has other threads.
struct Asker {
  Result<int> get(const env::HttpCheck& check, Duration timeout = minutes(2)) {
    std::optional<Result<int>> answer;
    const auto handle = checks.get(check, timeout, [&](Result<int> status) {
      answer = std::move(status);
      loop.stop();
    });
    loop.run();
    return *answer;
  }
  Result<void> connect(uint16_t port, const std::string& address = "127.0.0.1") {
    std::optional<Result<void>> answer;
    const auto handle = checks.connect(address, port, minutes(2), [&](Result<void> connected) {
      answer = std::move(connected);
      loop.stop();
    });
    loop.run();
    return *answer;
  }

  posix::PosixClock clock;
  posix::EventLoop loop{clock};
  EndpointChecks checks{loop};
};

env::HttpCheck check_of(uint16_t port, std::string path = "/") {
  return {false, "127.0.0.1", port, std::move(path), {}};
}

TEST(EndpointChecks, TellTheStatusOfAnAnswer) {
  LambdaHandler lambdas;
  lambdas.at_once["/healthz"] = {200, {}, "fine"};
  lambdas.at_once["/broken"] = {503, {}, std::string(1'000'000, 'x')};
  TestServer server({}, lambdas);
  Asker asker;
  const uint16_t port = server.server->endpoint().port;
  EXPECT_EQ(asker.get(check_of(port, "/healthz")), 200);
  EXPECT_EQ(asker.get(check_of(port, "healthz")), 200);
  EXPECT_EQ(asker.get(check_of(port, "/broken")), 503);
}

TEST(EndpointChecks, SendTheHeadersThatAreGivenAndAHost) {
  LambdaHandler lambdas;
  http::Headers seen;
  lambdas.on_core = [&](const http::Request& request, const ExchangePtr& exchange) {
    seen = request.headers;
    exchange->respond({204, {}, ""});
  };
  TestServer server({}, lambdas);
  Asker asker;
  env::HttpCheck check = check_of(server.server->endpoint().port);
  check.headers = {{"X-Who", "probe"}};
  EXPECT_EQ(asker.get(check), 204);
  EXPECT_EQ(http::find_header(seen, "x-who"), "probe");
  EXPECT_EQ(http::find_header(seen, "host"), server.server->endpoint().text());
  check.headers = {{"host", "example.com"}};
  EXPECT_EQ(asker.get(check), 204);
  EXPECT_EQ(http::find_header(seen, "host"), "example.com");
}

TEST(EndpointChecks, AHeaderCannotBecomeTwo) {
  Asker asker;
  env::HttpCheck check = check_of(1);
  check.headers = {{"X-Who", "a\r\nX-Other: b"}};
  EXPECT_EQ(asker.get(check).error().message, "malformed HTTP path or header");
  EXPECT_EQ(asker.get(check_of(1, "/a b")).error().message, "malformed HTTP path or header");
}

TEST(EndpointChecks, APortThatListensIsEnoughForAConnection) {
  Endpoint endpoint;
  const auto listener = listen_on(endpoint);
  ASSERT_TRUE(listener);
  Asker asker;
  EXPECT_TRUE(asker.connect(endpoint.port));
  EXPECT_TRUE(asker.connect(endpoint.port, "localhost"));
}

TEST(EndpointChecks, SaysWhyThereIsNoAnswer) {
  Endpoint endpoint;
  {
    const auto closed_again = listen_on(endpoint);
    ASSERT_TRUE(closed_again);
  }
  Asker asker;
  EXPECT_EQ(asker.connect(endpoint.port).error().message, "connect: connection refused");
  EXPECT_EQ(asker.get(check_of(endpoint.port)).error().message, "connect: connection refused");
  EXPECT_THAT(asker.connect(80, "example.com").error().message, HasSubstr("only addresses"));
}

TEST(EndpointChecks, GivesUpInTime) {
  Endpoint endpoint;
  const auto silent = listen_on(endpoint);  // accepts, and says nothing
  ASSERT_TRUE(silent);
  Asker asker;
  EXPECT_EQ(asker.get(check_of(endpoint.port), milliseconds(20)).error().message,
            "no answer in time");
}

TEST(EndpointChecks, NothingIsCalledOnceTheHandleIsDropped) {
  Endpoint endpoint;
  const auto listener = listen_on(endpoint);
  ASSERT_TRUE(listener);
  Asker asker;
  bool called = false;
  asker.checks
      .connect("127.0.0.1", endpoint.port, minutes(2), [&](const Result<void>&) { called = true; })
      .reset();
  EXPECT_TRUE(asker.connect(endpoint.port));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace windlass::net
