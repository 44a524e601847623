// Every limit of net/server_limits.h, over real sockets (safety.md 5).
#include "net/server_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "net/testing.h"

namespace windlass::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;

// Never answers by itself.
struct Waiting {
  std::vector<ExchangePtr> exchanges;
  int closed = 0;

  LambdaHandler handler() {
    LambdaHandler lambdas;
    lambdas.at_once["/now"] = {200, {}, "now"};
    lambdas.on_core = [this](const http::Request&, const ExchangePtr& exchange) {
      exchange->when_closed([this] { ++closed; });
      exchanges.push_back(exchange);
    };
    return lambdas;
  }
};

ServerOptions with(const std::function<void(ServerLimits&)>& change) {
  ServerOptions options;
  change(options.limits);
  return options;
}

// The answer, and that the connection ended after it.
ReceivedResponse refusal_of(TestServer& server, const std::string& bytes) {
  Client client(*server.server);
  client.send(bytes);
  ReceivedResponse answer = client.receive();
  EXPECT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(client.receive_rest(), "");
  return answer;
}

TEST(Limits, FramingErrorsAreRefusedAndEndTheConnection) {
  TestServer server;
  for (const char* bytes :
       {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: "
        "chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"}) {
    const ReceivedResponse answer = refusal_of(server, bytes);
    EXPECT_EQ(answer.status, 400) << bytes;
    EXPECT_THAT(answer.body, HasSubstr("\"kind\":\"Status\"")) << bytes;
    EXPECT_THAT(answer.body, HasSubstr("\"reason\":\"BadRequest\"")) << bytes;
  }
  const std::string nul("GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n", 33);
  EXPECT_EQ(refusal_of(server, nul).status, 400);
  EXPECT_EQ(server.server->statistics().refused, 7u);
  EXPECT_EQ(server.server->statistics().requests, 0u);
}

TEST(Limits, M9_BodiesAbove3MiBAre413) {
  TestServer server;
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\n";
  // The client sends all of it before it reads: the refusal must reach it even so.
  const std::string body(3 * 1024 * 1024 + 1, 'x');
  const ReceivedResponse answer = refusal_of(
      server, head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("Request entity too large: limit is 3145728"));

  Client client(*server.server);
  client.send(head + "Content-Length: 3145728\r\n\r\n" + body.substr(1));
  EXPECT_EQ(client.receive().body.size(), 3145728u + 7);
}

TEST(Limits, HeadsAboveTheLimitAre431) {
  TestServer server(with([](ServerLimits& limits) { limits.request.head_bytes = 1000; }));
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
  EXPECT_EQ(refusal_of(server, head + std::string(1000, 'a') + "\r\n\r\n").status, 431);
}

TEST(Limits, ReadsAndWritesInFlightAreCappedApart) {
  Waiting waiting;
  TestServer server(with([](ServerLimits& limits) {
                      limits.reads_in_flight = 2;
                      limits.writes_in_flight = 1;
                      limits.long_running = 1;
                    }),
                    waiting.handler());
  std::vector<std::unique_ptr<Client>> clients;
  for (const char* line : {"GET /a", "GET /b", "PUT /a", "GET /a?watch=1"}) {
    clients.push_back(std::make_unique<Client>(*server.server));
    clients.back()->request(line);
    ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == clients.size(); }));
  }
  Client client(*server.server);
  for (const char* line : {"GET /c", "POST /c", "GET /c?watch=true", "GET /now"}) {
    client.request(line);
    const ReceivedResponse answer = client.receive();
    EXPECT_EQ(answer.status, 429) << line;
    EXPECT_THAT(answer.head, HasSubstr("Retry-After: 1\r\n"));
    EXPECT_THAT(answer.body, HasSubstr("\"reason\":\"TooManyRequests\""));
  }
  EXPECT_EQ(server.server->statistics().throttled, 4u);
  // One that is answered makes room for the next, once its client has it.
  server.on_core([&] {
    waiting.exchanges[0]->respond({200, {}, "a"});
    waiting.exchanges.erase(waiting.exchanges.begin());
  });
  EXPECT_EQ(clients[0]->receive().body, "a");
  ASSERT_TRUE(server.wait_until([&] { return server.server->statistics().reads_in_flight == 1; }));
  client.request("GET /now");
  EXPECT_EQ(client.receive().status, 200);
  server.on_core([&] { waiting.exchanges.clear(); });
}

// Else a client that asks and goes, again and again, fills the core with work for no client.
TEST(Limits, ARequestWhoseClientHasGoneKeepsItsPlaceUntilItsTurnAndIsNotRun) {
  Waiting waiting;
  TestServer server(with([](ServerLimits& limits) { limits.writes_in_flight = 1; }),
                    waiting.handler());
  {
    const BusyCore busy(server);
    Client gone(*server.server);
    gone.request("POST /gone", "Content-Length: 5000\r\n", std::string(5000, 'x'));
    ASSERT_TRUE(soon([&] { return server.server->statistics().writes_in_flight == 1; }));
    gone.reset();
    ASSERT_TRUE(soon([&] { return server.server->statistics().connections == 0; }));
    Client next(*server.server);
    next.request("POST /next");
    EXPECT_EQ(next.receive().status, 429);
    EXPECT_GE(server.server->statistics().buffered_request_bytes, 5000u);
  }
  ASSERT_TRUE(server.wait_until([&] { return server.server->statistics().writes_in_flight == 0; }));
  EXPECT_TRUE(waiting.exchanges.empty());
  Client next(*server.server);
  next.request("POST /next");
  ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == 1; }));
  server.on_core([&] {
    waiting.exchanges[0]->respond({200, {}, ""});
    waiting.exchanges.clear();
  });
  EXPECT_EQ(next.receive().status, 200);
  EXPECT_TRUE(
      server.wait_until([&] { return server.server->statistics().buffered_request_bytes == 0; }));
}

TEST(Limits, ACallMayOutliveTheServerThatCountsIt) {
  Waiting waiting;
  TestServer server({}, waiting.handler());
  {
    const BusyCore busy(server);
    Client client(*server.server);
    client.request("GET /waits");
    ASSERT_TRUE(soon([&] { return server.server->statistics().reads_in_flight == 1; }));
    server.server.reset();
  }
  server.on_core([&] { EXPECT_TRUE(waiting.exchanges.empty()); });
}

TEST(Limits, ConnectionsAboveTheLimitAreClosed) {
  Waiting waiting;
  ServerOptions options = with([](ServerLimits& limits) {
    limits.connections = 2;
    limits.address_share = 1;
  });
  options.io_threads = 1;
  TestServer server(options, waiting.handler());
  Client first(*server.server);
  Client second(*server.server);
  first.request("GET /");
  second.request("GET /");
  ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == 2; }));
  Client third(*server.server);
  EXPECT_EQ(third.receive_rest(), "");
  EXPECT_EQ(server.server->statistics().turned_away, 1u);
  first.reset();
  ASSERT_TRUE(server.wait_until([&] { return server.server->statistics().connections == 1; }));
  Client fourth(*server.server);
  fourth.request("GET /now");
  EXPECT_EQ(fourth.receive().status, 200);
  server.on_core([&] { waiting.exchanges.clear(); });
}

TEST(Limits, AnAnswerThatTakesTooLongIs504) {
  Waiting waiting;
  TestServer server(with([](ServerLimits& limits) { limits.request_timeout = milliseconds(20); }),
                    waiting.handler());
  Client client(*server.server);
  client.request("GET /slow");
  const ReceivedResponse answer = client.receive();
  EXPECT_EQ(answer.status, 504);
  EXPECT_THAT(answer.body, HasSubstr("\"reason\":\"Timeout\""));
  EXPECT_EQ(client.receive_rest(), "");
  ASSERT_TRUE(server.wait_until([&] { return waiting.closed == 1; }));
  server.on_core([&] {
    waiting.exchanges[0]->respond({200, {}, "too late"});
    waiting.exchanges.clear();
  });
}

TEST(Limits, AWatchHasNoTimeLimit) {
  Waiting waiting;
  TestServer server(with([](ServerLimits& limits) { limits.request_timeout = milliseconds(1); }),
                    waiting.handler());
  Client watcher(*server.server);
  watcher.request("GET /?watch=1");
  ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == 1; }));
  Client other(*server.server);
  other.request("GET /slow");
  EXPECT_EQ(other.receive().status, 504);  // so much time has passed
  server.on_core([&] {
    waiting.exchanges[0]->respond({200, {}, "still here"});
    waiting.exchanges.clear();
  });
  EXPECT_EQ(watcher.receive().body, "still here");
}

TEST(Limits, AHeadThatDoesNotComeToItsEndIs408) {
  TestServer server(with([](ServerLimits& limits) { limits.head_timeout = milliseconds(20); }));
  Client silent(*server.server);
  EXPECT_EQ(silent.receive_rest(), "");
  Client slow(*server.server);
  slow.send("GET / HT");
  EXPECT_EQ(slow.receive().status, 408);
  EXPECT_EQ(slow.receive_rest(), "");
}

TEST(Limits, ABodyThatDoesNotComeIs408) {
  TestServer server(with([](ServerLimits& limits) { limits.body_timeout = milliseconds(20); }));
  Client client(*server.server);
  client.request("POST /", "Content-Length: 5\r\n", "he");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_EQ(client.receive_rest(), "");
}

TEST(Limits, AnIdleConnectionEnds) {
  TestServer server(with([](ServerLimits& limits) { limits.idle_timeout = milliseconds(20); }));
  Client client(*server.server);
  client.request("GET /");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive_rest(), "");
}

TEST(Limits, ASlowWatcherIsCutOffAndTheOthersAreNot) {
  Waiting waiting;
  TestServer server(
      with([](ServerLimits& limits) { limits.unsent_stream_bytes = size_t{1024} * 1024; }),
      waiting.handler());
  Client slow(*server.server, 4096);
  slow.request("GET /?watch=1");
  ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == 1; }));
  Client quick(*server.server);
  quick.request("GET /?watch=1");
  ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == 2; }));
  server.on_core([&] {
    for (const auto& exchange : waiting.exchanges) {
      exchange->start(200, {});
    }
  });
  quick.receive(false);
  // Far more than the socket's buffers and the limit together.
  const auto event = std::make_shared<const std::string>(size_t{64} * 1024, 'x');
  constexpr int kEvents = 400;
  for (int i = 0; i < kEvents; ++i) {
    server.on_core([&] {
      for (const auto& exchange : waiting.exchanges) {
        exchange->write(event);
      }
    });
    EXPECT_EQ(quick.receive_until("\r\n"), "10000\r\n");
    EXPECT_EQ(quick.receive_exactly(event->size() + 2).size(), event->size() + 2);
  }
  EXPECT_TRUE(server.wait_until([&] { return waiting.closed == 1; }));
  EXPECT_EQ(server.server->statistics().cut_off, 1u);
  EXPECT_EQ(server.server->statistics().long_running, 1u);
  EXPECT_THAT(server.log.text(), HasSubstr("a slow client is cut off"));
  server.on_core([&] { waiting.exchanges.clear(); });
}

TEST(Limits, AClientThatTakesNothingIsCutOff) {
  LambdaHandler lambdas;
  lambdas.at_once["/big"] = {200, {}, std::string(size_t{16} * 1024 * 1024, 'x')};
  TestServer server(with([](ServerLimits& limits) { limits.send_timeout = milliseconds(20); }),
                    lambdas);
  Client client(*server.server, 4096);
  client.request("GET /big");
  EXPECT_TRUE(server.wait_until([&] {
    const ServerStatistics now = server.server->statistics();
    return now.cut_off == 1 && now.reads_in_flight == 0 && now.connections == 0;
  }));
}

TEST(Limits, AClientThatTakesNextToNothingIsCutOff) {
  LambdaHandler lambdas;
  const size_t bytes = size_t{64} * 1024 * 1024;
  lambdas.at_once["/big"] = {200, {}, std::string(bytes, 'x')};
  TestServer server(with([](ServerLimits& limits) {
                      limits.send_timeout = milliseconds(300);
                      limits.least_sent_bytes = size_t{1} << 40;
                    }),
                    lambdas);
  Client client(*server.server);
  client.request("GET /big");
  // Always some of it, and never all within the time.
  while (client.receive_more()) {
    ::poll(nullptr, 0, 1);
  }
  EXPECT_LT(client.receive_rest().size(), bytes);
  EXPECT_EQ(server.server->statistics().cut_off, 1u);
}

// Else who needs no credentials could keep all others out by asking and not reading.
TEST(Limits, ASmallAnswerThatIsNotTakenHoldsNoPlace) {
  LambdaHandler lambdas;
  lambdas.at_once["/now"] = {200, {}, std::string(60'000, 'x')};
  TestServer server(with([](ServerLimits& limits) { limits.reads_in_flight = 2; }), lambdas);
  std::string many;
  for (int i = 0; i < 500; ++i) {  // far more answers than the socket's buffers hold
    many += "GET /now HTTP/1.1\r\nHost: x\r\n\r\n";
  }
  Client first(*server.server, 4096);
  Client second(*server.server, 4096);
  first.send(many);
  second.send(many);
  uint64_t before = 0;
  int unchanged = 0;
  ASSERT_TRUE(soon([&] {  // until both are stuck
    const uint64_t requests = server.server->statistics().requests;
    unchanged = requests == std::exchange(before, requests) ? unchanged + 1 : 0;
    return requests >= 2 && unchanged == 20;
  }));
  EXPECT_LT(before, 1000u);
  // On a machine that is slow enough they may hold their places for a moment yet.
  EXPECT_TRUE(soon([&] {
    Client third(*server.server);
    third.request("GET /now");
    return third.receive().status == 200;
  }));
}

TEST(Limits, AllRequestsTogetherHoldOnlySoMuch) {
  Waiting waiting;
  TestServer server(with([](ServerLimits& limits) { limits.buffered_body_bytes = 2000; }),
                    waiting.handler());
  Client first(*server.server);
  first.request("POST /", "Content-Length: 2000\r\n", std::string(2000, 'x'));
  ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == 1; }));
  Client second(*server.server);
  second.request("POST /", "Content-Length: 2000\r\n", std::string(2000, 'x'));
  EXPECT_EQ(second.receive().status, 429);
  // Bodies of others do not keep out who has none.
  Client third(*server.server);
  third.request("GET /now");
  EXPECT_EQ(third.receive().status, 200);
  server.on_core([&] {
    waiting.exchanges[0]->respond({200, {}, ""});
    waiting.exchanges.clear();
  });
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_TRUE(
      server.wait_until([&] { return server.server->statistics().buffered_request_bytes == 0; }));
}

TEST(Limits, LongHeadsTogetherHoldOnlySoMuchAndPlainOnesGetIn) {
  Waiting waiting;
  TestServer server(with([](ServerLimits& limits) {
                      limits.plain_head_bytes = 1000;
                      limits.buffered_head_bytes = 1000;
                    }),
                    waiting.handler());
  const std::string header = "A: " + std::string(1500, 'a') + "\r\n";
  Client first(*server.server);
  first.request("GET /", header);
  ASSERT_TRUE(server.wait_until([&] { return waiting.exchanges.size() == 1; }));
  EXPECT_GT(server.server->statistics().buffered_request_bytes, 500u);
  Client second(*server.server);
  second.request("GET /now", header);
  EXPECT_EQ(second.receive().status, 429);
  Client plain(*server.server);
  plain.request("GET /now");
  EXPECT_EQ(plain.receive().status, 200);
  server.on_core([&] {
    waiting.exchanges[0]->respond({200, {}, ""});
    waiting.exchanges.clear();
  });
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_TRUE(
      server.wait_until([&] { return server.server->statistics().buffered_request_bytes == 0; }));
}

TEST(Limits, AHeadIsReadOnceAlsoWhenItsBodyComesLater) {
  std::atomic<int> heads = 0;
  LambdaHandler lambdas;
  lambdas.identify_with = [&heads](const http::Headers&, const http::Peer&) {
    ++heads;
    return http::Caller();
  };
  TestServer server({}, lambdas);
  Client client(*server.server);
  client.request("POST /", "Expect: 100-continue\r\nContent-Length: 2\r\n");
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hi");
  EXPECT_EQ(client.receive().body, "POST / hi");
  EXPECT_EQ(heads, 1);
  client.request("GET /");
  EXPECT_EQ(client.receive().body, "GET / ");
  EXPECT_EQ(heads, 2) << "and again for the next request";
}

TEST(Limits, ABodyThatIsNotWantedIsRefusedBeforeItComes) {
  LambdaHandler lambdas;
  lambdas.screen_with = [](const http::Request& head, const http::Peer& peer) {
    EXPECT_EQ(head.method, "POST");
    EXPECT_THAT(peer.address, HasSubstr("127.0.0.1:"));
    return http::find_header(head.headers, "A") == "known"
               ? std::nullopt
               : std::optional(http::Response{401, {}, "who is that?"});
  };
  TestServer server({}, lambdas);
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3145728\r\n";
  for (const char* rest : {"\r\nx", "\r\n", "Expect: 100-continue\r\n\r\n"}) {
    const ReceivedResponse answer = refusal_of(server, head + rest);
    EXPECT_EQ(answer.status, 401) << rest;
    EXPECT_EQ(answer.body, "who is that?");
  }
  EXPECT_EQ(server.server->statistics().requests, 0u);
  Client known(*server.server);
  known.request("POST /", "A: known\r\nExpect: 100-continue\r\nContent-Length: 2\r\n");
  EXPECT_EQ(known.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  known.send("hi");
  EXPECT_EQ(known.receive().body, "POST / hi");
}

TEST(Limits, DefaultsMatchOrBeatKubeApiserver) {
  const ServerLimits limits;
  EXPECT_EQ(limits.request.body_bytes, 3145728u);
  EXPECT_LE(limits.request.head_bytes, 1048576u);
  EXPECT_EQ(limits.reads_in_flight, 400u);
  EXPECT_EQ(limits.writes_in_flight, 200u);
  EXPECT_EQ(limits.request_timeout, seconds(60));
  EXPECT_EQ(limits.head_timeout, seconds(32));
  EXPECT_EQ(limits.idle_timeout, seconds(90));
}

}  // namespace
}  // namespace windlass::net
