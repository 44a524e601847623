// HTTP/2 over real sockets and TLS: what a stream may do, what it may hold, and that what happens
// to one leaves the others alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "http/http2_session.h"
#include "net/tls/certificates.h"
#include "net/tls/tls_testing.h"

namespace windlass::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;
using StreamId = http::Http2Session::StreamId;
using ClientState = http::Http2Session::State;

struct Certificates {
  Time now = posix::PosixClock().now();
  CertifiedKey authority = *make_authority("windlass-ca", now);
  CertifiedKey server = *issue_server(authority, {"127.0.0.1"}, now);
  CertifiedKey user = *issue_client(authority, "jane", {"devs"}, now);
};

const Certificates& certificates() {
  static const Certificates made;
  return made;
}

ServerOptions with_limits(const std::function<void(ServerLimits&)>& change = [](ServerLimits&) {}) {
  const Certificates& own = certificates();
  ServerOptions options;
  options.tls = *TlsContext::make(
      {own.server.certificate_pem, own.server.key_pem, own.authority.certificate_pem});
  change(options.limits);
  return options;
}

// A blocking client with many requests at a time.
class Http2Client {
 public:
  explicit Http2Client(TestServer& server, const http::Http2Limits& limits = {})
      : tls_(server.server->endpoint(), certificates().authority.certificate_pem,
             {certificates().user, TLS1_3_VERSION, "\x02h2"}),
        session_(limits) {
    EXPECT_EQ(tls_.protocol(), "h2");
  }

  StreamId ask(const std::string& method, const std::string& path, std::string body = "") {
    const StreamId id = session_.open(
        std::vector<http::Http2Session::Field>{
            {":method", method}, {":scheme", "https"}, {":authority", "x"}, {":path", path}},
        std::move(body));
    send();
    return id;
  }
  void send() {
    while (!session_.output().empty()) {
      const std::string bytes(session_.output());
      tls_.send(bytes);
      session_.written(bytes.size());
    }
  }
  // False at the end of the connection.
  bool receive_more() {
    const std::string bytes = tls_.receive(1);
    if (bytes.empty()) {
      session_.end("the connection has ended");
      return false;
    }
    session_.feed(bytes);
    send();
    return true;
  }
  const http::Http2Session::Answer& answer(StreamId id) {
    while (session_.find(id)->state == ClientState::open && receive_more()) {
    }
    return *session_.find(id);
  }
  // Until so much of the body is there.
  const std::string& body(StreamId id, size_t bytes) {
    while (session_.find(id)->body.size() < bytes && receive_more()) {
    }
    return session_.find(id)->body;
  }
  void receive_rest() {
    while (receive_more()) {
    }
  }
  void cancel(StreamId id) {
    session_.cancel(id);
    send();
  }
  http::Http2Session& session() { return session_; }
  TlsClient& tls() { return tls_; }

 private:
  TlsClient tls_;
  http::Http2Session session_;
};

// Keeps what it is asked until the test answers.
struct Asked {
  std::map<std::string, ExchangePtr> exchanges;
  int closed = 0;

  LambdaHandler handler() {
    LambdaHandler lambdas;
    lambdas.at_once["/now"] = {200, {}, "now"};
    lambdas.on_core = [this](const http::Request& request, const ExchangePtr& exchange) {
      exchange->when_closed([this] { ++closed; });
      exchanges[request.target] = exchange;
    };
    return lambdas;
  }
  bool has(TestServer& server, const std::string& target) {
    return server.wait_until([&] { return exchanges.contains(target); });
  }
};

TEST(Http2Serving, AnswersManyAtATimeInTheOrderOfTheAnswers) {
  Asked asked;
  TestServer server(with_limits(), asked.handler());
  Http2Client client(server);
  const StreamId slow = client.ask("GET", "/slow");
  const StreamId quick = client.ask("GET", "/now");
  EXPECT_EQ(client.answer(quick).body, "now");
  ASSERT_TRUE(asked.has(server, "/slow"));
  server.on_core([&] { asked.exchanges["/slow"]->respond({200, {{"A", "b"}}, "slow"}); });
  const auto& answer = client.answer(slow);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "slow");
  EXPECT_EQ(http::find_header(answer.headers, "a"), "b");
  EXPECT_TRUE(http::find_header(answer.headers, "date"));
  EXPECT_EQ(server.server->statistics().requests, 2u);
  EXPECT_EQ(server.server->statistics().connections, 1u);
}

TEST(Http2Serving, TellsTheHandlerWhoAsksAndWhat) {
  LambdaHandler lambdas;
  lambdas.on_core = [](const http::Request& request, const ExchangePtr& exchange) {
    exchange->respond({200,
                       {},
                       request.method + ' ' + request.target + ' ' + request.body + ' ' +
                           request.peer.common_name + ' ' + request.peer.organizations.at(0)});
  };
  TestServer server(with_limits(), std::move(lambdas));
  Http2Client client(server);
  EXPECT_EQ(client.answer(client.ask("POST", "/x?y=z", "body")).body, "POST /x?y=z body jane devs");
}

TEST(Http2Serving, LargeBodiesBothWays) {
  TestServer server(with_limits());
  Http2Client client(server);
  const std::string body(size_t{3} * 1024 * 1024, 'x');
  const StreamId id = client.ask("POST", "/", body);
  EXPECT_EQ(client.answer(id).body.size(), body.size() + 7);
  const StreamId larger = client.ask("POST", "/", body + "x");
  EXPECT_EQ(client.answer(larger).status, 413);
  EXPECT_EQ(client.answer(client.ask("GET", "/")).status, 200) << "the connection goes on";
}

TEST(Http2Serving, StreamsGoOnBesideEachOtherAndAreCutAlone) {
  Asked asked;
  TestServer server(with_limits(), asked.handler());
  Http2Client client(server);
  const StreamId one = client.ask("GET", "/one?watch=1");
  const StreamId two = client.ask("GET", "/two?watch=1");
  ASSERT_TRUE(asked.has(server, "/one?watch=1") && asked.has(server, "/two?watch=1"));
  const auto say = [&](const std::string& target, const std::string& text) {
    server.on_core(
        [&] { asked.exchanges[target]->write(std::make_shared<const std::string>(text)); });
  };
  server.on_core([&] {
    for (auto& [target, exchange] : asked.exchanges) {
      exchange->start(200, {});
    }
  });
  say("/one?watch=1", "a");
  say("/two?watch=1", "b");
  EXPECT_EQ(client.body(one, 1), "a");
  EXPECT_EQ(client.body(two, 1), "b");
  server.on_core([&] { asked.exchanges["/one?watch=1"]->abort(); });
  EXPECT_EQ(client.answer(one).state, ClientState::lost);
  say("/two?watch=1", "c");
  EXPECT_EQ(client.body(two, 2), "bc");
  server.on_core([&] { asked.exchanges["/two?watch=1"]->finish(); });
  EXPECT_EQ(client.answer(two).state, ClientState::complete);
  EXPECT_EQ(client.answer(client.ask("GET", "/now")).body, "now");
}

TEST(Http2Serving, WhatTheClientTakesBackIsClosed) {
  Asked asked;
  TestServer server(with_limits(), asked.handler());
  Http2Client client(server);
  const StreamId id = client.ask("GET", "/one?watch=1");
  ASSERT_TRUE(asked.has(server, "/one?watch=1"));
  client.cancel(id);
  EXPECT_TRUE(server.wait_until([&] { return asked.closed == 1; }));
  EXPECT_EQ(client.answer(client.ask("GET", "/now")).body, "now");
  EXPECT_TRUE(soon([&] { return server.server->statistics().long_running == 0; }));
}

TEST(Http2Serving, WhoGoesClosesAll) {
  Asked asked;
  TestServer server(with_limits(), asked.handler());
  {
    Http2Client client(server);
    client.ask("GET", "/one?watch=1");
    client.ask("GET", "/two");
    ASSERT_TRUE(asked.has(server, "/one?watch=1") && asked.has(server, "/two"));
  }
  EXPECT_TRUE(server.wait_until([&] { return asked.closed == 2; }));
  EXPECT_TRUE(soon([&] { return server.server->statistics().connections == 0; }));
  server.on_core([&] { asked.exchanges.clear(); });
  EXPECT_TRUE(soon([&] { return server.server->statistics().reads_in_flight == 0; }));
}

// Drained as over HTTP/1.1: a writer that holds back hears when the client has taken enough.
TEST(Http2Serving, AWriterHearsWhenThereIsRoom) {
  Asked asked;
  TestServer server(with_limits(), asked.handler());
  Http2Client client(server, {.stream_window = 65535, .connection_window = 65535});
  const StreamId id = client.ask("GET", "/log?follow=1");
  ASSERT_TRUE(asked.has(server, "/log?follow=1"));
  bool drained = false;
  server.on_core([&] {
    const ExchangePtr& exchange = asked.exchanges["/log?follow=1"];
    exchange->start(200, {});
    exchange->write(std::make_shared<const std::string>(std::string(1'000'000, 'x')));
    exchange->when_unsent_at_most(1000, [&] { drained = true; });
  });
  client.body(id, 100'000);
  server.on_core([&] { EXPECT_FALSE(drained); });
  client.body(id, 1'000'000);
  EXPECT_TRUE(server.wait_until([&] { return drained; }));
}

TEST(Http2Serving, PlacesAreThoseOfAllConnections) {
  Asked asked;
  TestServer server(with_limits([](ServerLimits& limits) { limits.reads_in_flight = 2; }),
                    asked.handler());
  Http2Client client(server);
  client.ask("GET", "/a");
  const StreamId held = client.ask("GET", "/b");
  ASSERT_TRUE(asked.has(server, "/a") && asked.has(server, "/b"));
  const auto& refused = client.answer(client.ask("GET", "/c"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(http::find_header(refused.headers, "Retry-After"));
  server.on_core([&] { asked.exchanges["/b"]->respond({200, {}, "b"}); });
  EXPECT_EQ(client.answer(held).body, "b");
  EXPECT_TRUE(soon([&] { return server.server->statistics().reads_in_flight == 1; }));
  EXPECT_EQ(client.answer(client.ask("GET", "/now")).body, "now");
}

TEST(Http2Serving, BodiesOfAllTogetherHoldOnlySoMuch) {
  TestServer server(
      with_limits([](ServerLimits& limits) { limits.buffered_body_bytes = 100'000; }));
  Http2Client client(server);
  EXPECT_EQ(client.answer(client.ask("POST", "/", std::string(100'001, 'x'))).status, 429);
  EXPECT_EQ(client.answer(client.ask("POST", "/", std::string(90'000, 'x'))).status, 200);
  EXPECT_TRUE(soon([&] { return server.server->statistics().buffered_request_bytes == 0; }));
}

TEST(Http2Serving, AHeadIsReadOnceAlsoWhenItsBodyComesLater) {
  std::atomic<int> heads = 0;
  LambdaHandler lambdas;
  lambdas.identify_with = [&heads](const http::Headers&, const http::Peer&) {
    ++heads;
    return http::Caller();
  };
  TestServer server(with_limits(), std::move(lambdas));
  Http2Client client(server);
  EXPECT_EQ(client.answer(client.ask("POST", "/", "hi")).body, "POST / hi");
  EXPECT_EQ(heads, 1);
}

TEST(Http2Serving, ABodyThatIsNotWantedIsRefusedBeforeItComes) {
  LambdaHandler lambdas;
  lambdas.screen_with = [](const http::Request& head, const http::Peer& peer) {
    return head.target == "/secret" && peer.common_name == "jane"
               ? std::optional(http::Response{403, {}, "no"})
               : std::nullopt;
  };
  TestServer server(with_limits(), std::move(lambdas));
  Http2Client client(server);
  const auto& answer = client.answer(client.ask("POST", "/secret", std::string(1'000'000, 'x')));
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(answer.body, "no");
  EXPECT_EQ(client.answer(client.ask("POST", "/", "x")).status, 200);
  EXPECT_EQ(server.server->statistics().requests, 1u);
}

TEST(Http2Serving, AnAnswerThatTakesTooLongIs504) {
  Asked asked;
  TestServer server(
      with_limits([](ServerLimits& limits) { limits.request_timeout = milliseconds(30); }),
      asked.handler());
  Http2Client client(server);
  const StreamId watch = client.ask("GET", "/w?watch=1");
  EXPECT_EQ(client.answer(client.ask("GET", "/late")).status, 504);
  EXPECT_TRUE(server.wait_until([&] { return asked.closed == 1; }));
  server.on_core([&] { asked.exchanges["/w?watch=1"]->respond({200, {}, "still here"}); });
  EXPECT_EQ(client.answer(watch).body, "still here");
}

// Frames of a client that keeps to no rules, over TLS.
std::string frame(uint8_t type, uint8_t flags, uint8_t stream, std::string_view payload) {
  std::string bytes = {
      0, 0, static_cast<char>(payload.size()), static_cast<char>(type), static_cast<char>(flags), 0,
      0, 0, static_cast<char>(stream)};
  return bytes.append(payload);
}
constexpr std::string_view kGreeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const std::string kNoWindow("\x00\x04\x00\x00\x00\x00", 6);
const std::string kGetNow("\x82\x04\x04/now\x87\x41\x01x", 11);

// A client that asks and lets nothing be sent to it.
LambdaHandler small_and_large_answers() {
  LambdaHandler lambdas;
  lambdas.at_once["/now"] = {200, {}, "now"};
  lambdas.at_once["/large"] = {200, {}, std::string(1000, 'x')};
  return lambdas;
}
std::string four_requests_without_window() {
  std::string bytes = std::string(kGreeting) + frame(4, 0, 0, kNoWindow);
  for (const int stream : {1, 3, 5, 7}) {
    bytes += frame(1, 5, static_cast<uint8_t>(stream), kGetNow);
  }
  return bytes;
}
TlsClient client_of_frames(const TestServer& server) {
  return TlsClient(server.server->endpoint(), certificates().authority.certificate_pem,
                   {{}, TLS1_3_VERSION, "\x02h2"});
}

// Small answers that the client does not take hold no place.
TEST(Http2Serving, AnswersThatAreNotTakenHoldAPlaceOnlyBeyondTheSmallOnes) {
  TestServer server(with_limits([](ServerLimits& limits) {
                      limits.small_answer_bytes = 10;
                      limits.send_timeout = std::chrono::hours(1);
                    }),
                    small_and_large_answers());
  TlsClient client = client_of_frames(server);
  // The answer to the PING says that what came before it has been read.
  client.send(four_requests_without_window() + frame(6, 0, 0, "all-read"));
  ASSERT_THAT(client.receive_until("all-read"), HasSubstr("all-read"));
  EXPECT_EQ(server.server->statistics().requests, 4u);
  EXPECT_TRUE(soon([&] { return server.server->statistics().reads_in_flight == 1; }))
      << "three answers of three bytes";
}

// All of it ends in time.
TEST(Http2Serving, AClientThatTakesNothingIsCutOff) {
  TestServer server(with_limits([](ServerLimits& limits) {
                      limits.small_answer_bytes = 10;
                      limits.send_timeout = milliseconds(200);
                    }),
                    small_and_large_answers());
  TlsClient client = client_of_frames(server);
  client.send(four_requests_without_window());
  EXPECT_TRUE(soon([&] { return server.server->statistics().cut_off == 4; }));
  EXPECT_TRUE(soon([&] { return server.server->statistics().reads_in_flight == 0; }));
  EXPECT_EQ(server.server->statistics().connections, 1u) << "the connection itself is well";
}

TEST(Http2Serving, AWatcherThatTakesNothingIsCutOffAndTheOthersAreNot) {
  Asked asked;
  TestServer server(with_limits([](ServerLimits& limits) { limits.unsent_stream_bytes = 10'000; }),
                    asked.handler());
  TlsClient slow(server.server->endpoint(), certificates().authority.certificate_pem,
                 {{}, TLS1_3_VERSION, "\x02h2"});
  slow.send(std::string(kGreeting) + frame(4, 0, 0, kNoWindow) +
            frame(1, 5, 1, std::string("\x82\x04\x08/?watch=\x87\x41\x01x", 15)));
  ASSERT_TRUE(asked.has(server, "/?watch="));
  Http2Client client(server);
  const StreamId good = client.ask("GET", "/good?watch=1");
  ASSERT_TRUE(asked.has(server, "/good?watch=1"));
  server.on_core([&] {
    for (auto& [target, exchange] : asked.exchanges) {
      exchange->start(200, {});
    }
  });
  for (int i = 0; i < 20; ++i) {
    server.on_core([&] {
      for (auto& [target, exchange] : asked.exchanges) {
        exchange->write(std::make_shared<const std::string>(std::string(1000, 'x')));
      }
    });
    client.body(good, static_cast<size_t>(i + 1) * 1000);
  }
  EXPECT_TRUE(server.wait_until([&] { return asked.closed == 1; }));
  EXPECT_EQ(server.server->statistics().cut_off, 1u);
  EXPECT_EQ(client.session().find(good)->body.size(), 20'000u);
}

TEST(Http2Serving, WhoNeverAsksIsClosed) {
  TestServer server(
      with_limits([](ServerLimits& limits) { limits.head_timeout = milliseconds(30); }));
  Http2Client client(server);
  client.send();
  client.receive_rest();
  EXPECT_TRUE(soon([&] { return server.server->statistics().connections == 0; }));
}

TEST(Http2Serving, AnIdleConnectionIsToldToGo) {
  TestServer server(
      with_limits([](ServerLimits& limits) { limits.idle_timeout = milliseconds(30); }));
  Http2Client client(server);
  EXPECT_EQ(client.answer(client.ask("GET", "/")).status, 200);
  client.receive_rest();
  EXPECT_TRUE(client.session().going_away());
}

TEST(Http2Serving, ABodyThatDoesNotComeIs408) {
  TestServer server(
      with_limits([](ServerLimits& limits) { limits.body_timeout = milliseconds(30); }));
  TlsClient client(server.server->endpoint(), certificates().authority.certificate_pem,
                   {{}, TLS1_3_VERSION, "\x02h2"});
  client.send(std::string(kGreeting) + frame(4, 0, 0, "") + frame(1, 4, 1, kGetNow));
  EXPECT_THAT(client.receive_until("did not arrive in time"), HasSubstr("did not arrive in time"));
}

TEST(Http2Serving, WhoBreaksItIsClosed) {
  TestServer server(with_limits());
  TlsClient client(server.server->endpoint(), certificates().authority.certificate_pem,
                   {{}, TLS1_3_VERSION, "\x02h2"});
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.receive(1'000'000);
  EXPECT_TRUE(soon([&] { return server.server->statistics().connections == 0; }));
  EXPECT_EQ(server.server->statistics().refused, 1u);
}

// Heads that are few bytes on the wire and large in memory, from clients without credentials.
TEST(Http2Serving, WhoSendsOnlyWhatIsRefusedIsClosedAndOthersAreServed) {
  constexpr size_t kField = 3900;
  const auto frame = [](uint8_t type, uint8_t flags, uint32_t stream, const std::string& payload) {
    std::string bytes;
    for (const size_t number : {payload.size() >> 16, payload.size() >> 8, payload.size()}) {
      bytes.push_back(static_cast<char>(number & 0xFF));
    }
    bytes += {static_cast<char>(type), static_cast<char>(flags)};
    for (const int shift : {24, 16, 8, 0}) {
      bytes.push_back(static_cast<char>(stream >> shift));
    }
    return bytes + payload;
  };
  const std::string get("\x82\x84\x87\x01\x01x", 6);
  std::string length;
  for (size_t rest = kField - 127; rest > 0; rest >>= 7) {
    length.push_back(static_cast<char>((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0)));
  }
  std::string attack = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "") +
                       frame(1, 5, 1, get + "\x40\x01v\x7f" + length + std::string(kField, 'v'));
  for (uint32_t id = 3; id < 2 * 150; id += 2) {
    attack += frame(1, 5, id, get + std::string(40, '\xBE'));
  }
  TestServer server(with_limits());
  std::vector<std::unique_ptr<TlsClient>> attackers;
  for (int i = 0; i < 4; ++i) {
    attackers.push_back(std::make_unique<TlsClient>(
        server.server->endpoint(), certificates().authority.certificate_pem,
        TlsClientOptions{{}, TLS1_3_VERSION, "\x02h2"}));
    attackers.back()->send(attack);
  }
  Http2Client client(server);
  EXPECT_EQ(client.answer(client.ask("GET", "/served")).body, "GET /served ");
  for (const auto& attacker : attackers) {
    while (!attacker->receive(1).empty()) {
    }
  }
  EXPECT_TRUE(soon([&] { return server.server->statistics().connections == 1; }));
  EXPECT_THAT(server.log.text(), HasSubstr("requests that are refused, too many of them"));
}

TEST(Http2Serving, AServerThatStopsEndsWatchesAndAnswersTheRest) {
  Asked asked;
  TestServer server(with_limits(), asked.handler());
  Http2Client client(server);
  const StreamId watch = client.ask("GET", "/w?watch=1");
  const StreamId slow = client.ask("GET", "/slow");
  ASSERT_TRUE(asked.has(server, "/w?watch=1") && asked.has(server, "/slow"));
  server.on_core([&] {
    asked.exchanges["/w?watch=1"]->start(200, {});
    asked.exchanges["/w?watch=1"]->write(std::make_shared<const std::string>("event"));
  });
  EXPECT_EQ(client.body(watch, 5), "event");
  std::promise<void> stopped;
  server.on_core([&] { server.server->stop([&] { stopped.set_value(); }); });
  EXPECT_EQ(client.answer(watch).state, ClientState::complete);
  EXPECT_TRUE(client.session().going_away());
  server.on_core([&] { asked.exchanges["/slow"]->respond({200, {}, "last"}); });
  EXPECT_EQ(client.answer(slow).body, "last");
  client.receive_rest();
  stopped.get_future().wait();
}

// A head that never comes to its end, behind a request that was answered: told to go, and cut.
TEST(Http2Serving, AHeadThatDoesNotComeToItsEndKeepsNoConnection) {
  TestServer server(
      with_limits([](ServerLimits& limits) { limits.idle_timeout = milliseconds(30); }));
  TlsClient client(server.server->endpoint(), certificates().authority.certificate_pem,
                   {{}, TLS1_3_VERSION, "\x02h2"});
  client.send(std::string(kGreeting) + frame(4, 0, 0, "") + frame(1, 5, 1, kGetNow) +
              frame(1, 0, 3, "\x82"));
  client.receive(1'000'000);
  EXPECT_TRUE(soon([&] { return server.server->statistics().connections == 0; }));
}

// Heads that wait for their bodies count, all but one plain one of each connection.
TEST(Http2Serving, HeadsOfAllTogetherHoldOnlySoMuch) {
  TestServer server(with_limits([](ServerLimits& limits) {
    limits.buffered_head_bytes = 1000;
    limits.plain_head_bytes = 100;
  }));
  TlsClient client(server.server->endpoint(), certificates().authority.certificate_pem,
                   {{}, TLS1_3_VERSION, "\x02h2"});
  std::string bytes = std::string(kGreeting) + frame(4, 0, 0, "");
  const std::string long_value = std::string("\x00\x01v\x64", 4) + std::string(100, 'v');
  for (const int stream : {1, 3, 5, 7, 9, 11, 13, 15, 17, 19}) {
    bytes += frame(1, 4, static_cast<uint8_t>(stream), kGetNow + long_value);
  }
  client.send(bytes);
  EXPECT_THAT(client.receive_until("holds too much of other requests"),
              HasSubstr("holds too much of other requests"));
  EXPECT_LE(server.server->statistics().buffered_request_bytes, 1000u);
  EXPECT_GT(server.server->statistics().buffered_request_bytes, 500u);
  // One with a plain head gets in.
  Http2Client other(server);
  EXPECT_EQ(other.answer(other.ask("POST", "/", "x")).status, 200);
}

}  // namespace
}  // namespace windlass::net
