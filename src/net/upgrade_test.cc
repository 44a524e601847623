// Connections that become something else than HTTP/1.1, with real sockets.
#include <gtest/gtest.h>

#include "net/testing.h"

namespace windlass::net {
namespace {

using testing::Client;
using testing::ExchangePtr;
using testing::LambdaHandler;
using testing::TestServer;

http::Chunk bytes(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

// Says back what comes, up to a dot.
void echo(const ExchangePtr& exchange) {
  exchange->receive([exchange](const std::string& text) {
    exchange->write(bytes(text));
    text.back() == '.' ? exchange->finish() : echo(exchange);
  });
}

struct Upgrades {
  ExchangePtr exchange;  // of /kept
  int received = 0;
  int closed = 0;

  LambdaHandler handler() {
    LambdaHandler lambdas;
    lambdas.on_core = [this](const http::Request& request, const ExchangePtr& made) {
      if (request.target == "/plain") {
        return made->respond({400, {}, "no"});
      }
      made->upgrade("echo", {{"X-Protocol", "v1"}});
      if (request.target == "/kept/exec") {
        exchange = made;
        made->when_closed([this] { ++closed; });
        return;
      }
      echo(made);
    };
    return lambdas;
  }
};

constexpr const char* kUpgrade = "Connection: keep-alive, Upgrade\r\nUpgrade: echo\r\n";

TEST(Upgrade, TheConnectionCarriesBytesBothWaysUntilItIsFinished) {
  Upgrades upgrades;
  TestServer server({}, upgrades.handler());
  Client client(*server.server);
  client.request("GET /x/exec", kUpgrade, "sent at once");
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_NE(head.find("HTTP/1.1 101 Switching Protocols\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Connection: Upgrade\r\nUpgrade: echo\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("X-Protocol: v1\r\n"), std::string::npos) << head;
  EXPECT_EQ(head.find("Content-Length"), std::string::npos) << head;
  EXPECT_EQ(client.receive_exactly(12), "sent at once");
  client.send("more");
  EXPECT_EQ(client.receive_exactly(4), "more");
  const std::string much(3'000'000, 'x');
  std::thread sender([&] { client.send(much + "."); });
  EXPECT_EQ(client.receive_exactly(much.size() + 1), much + ".");
  sender.join();
  EXPECT_EQ(client.receive_rest(), "") << "and the connection ends with it";
}

TEST(Upgrade, ARefusalIsAPlainAnswer) {
  Upgrades upgrades;
  TestServer server({}, upgrades.handler());
  Client client(*server.server);
  client.request("GET /plain", kUpgrade);
  EXPECT_EQ(client.receive().status, 400);
  client.request("GET /plain");
  EXPECT_EQ(client.receive().status, 400) << "the connection still speaks HTTP";
}

TEST(Upgrade, AClientIsNotReadBeforeItsBytesAreAskedFor) {
  Upgrades upgrades;
  TestServer server({}, upgrades.handler());
  Client client(*server.server);
  client.request("GET /kept/exec", kUpgrade, "one");
  client.receive_until("\r\n\r\n");
  server.on_core(
      [&] { upgrades.exchange->receive([&](const std::string&) { ++upgrades.received; }); });
  EXPECT_TRUE(server.wait_until([&] { return upgrades.received == 1; }));
  client.send("two");
  server.on_core([&] { upgrades.exchange->write(bytes("still there")); });
  EXPECT_EQ(client.receive_exactly(11), "still there");
  server.on_core([&] { EXPECT_EQ(upgrades.received, 1); });
  server.on_core(
      [&] { upgrades.exchange->receive([&](const std::string&) { ++upgrades.received; }); });
  EXPECT_TRUE(server.wait_until([&] { return upgrades.received == 2; }));
  server.on_core([&] { upgrades.exchange = nullptr; });
}

TEST(Upgrade, AClientThatGoesIsNoticedAlsoWhileItIsNotRead) {
  for (const bool half : {false, true}) {
    Upgrades upgrades;
    TestServer server({}, upgrades.handler());
    Client client(*server.server);
    client.request("GET /kept/exec", kUpgrade);
    client.receive_until("\r\n\r\n");
    half ? client.finish_sending() : client.close();
    EXPECT_TRUE(server.wait_until([&] { return upgrades.closed == 1; }));
    server.on_core([&] { upgrades.exchange = nullptr; });
  }
}

TEST(Upgrade, AConnectionThatIsNotUsedEnds) {
  Upgrades upgrades;
  ServerOptions options;
  options.limits.stream_idle_timeout = milliseconds(20);
  TestServer server(options, upgrades.handler());
  Client client(*server.server);
  client.request("GET /kept/exec", kUpgrade);
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(client.receive_rest(), "");
  EXPECT_TRUE(server.wait_until([&] { return upgrades.closed == 1; }));
  server.on_core([&] { upgrades.exchange = nullptr; });
}

TEST(Upgrade, AServerThatStopsEndsTheConnection) {
  Upgrades upgrades;
  TestServer server({}, upgrades.handler());
  Client client(*server.server);
  client.request("GET /kept/exec", kUpgrade);
  client.receive_until("\r\n\r\n");
  bool stopped = false;
  server.on_core([&] { server.server->stop([&] { stopped = true; }); });
  EXPECT_TRUE(server.wait_until([&] { return stopped && upgrades.closed == 1; }));
  server.on_core([&] { upgrades.exchange = nullptr; });
}

TEST(Upgrade, Http10HasNone) {
  Upgrades upgrades;
  TestServer server({}, upgrades.handler());
  Client client(*server.server);
  client.send(std::string("GET /x/exec HTTP/1.0\r\n") + kUpgrade + "\r\n");
  EXPECT_EQ(client.receive_rest(), "");
}

}  // namespace
}  // namespace windlass::net
