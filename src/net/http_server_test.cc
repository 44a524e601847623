#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <mutex>

#include "net/testing.h"

namespace windlass::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::shared_ptr<const std::string> chunk(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

TEST(HttpServer, AnswersOnOneConnectionAgainAndAgain) {
  TestServer server;
  Client client(*server.server);
  for (int i = 0; i < 3; ++i) {
    client.request("POST /a?b=c", "Content-Length: 2\r\n", "hi");
    const ReceivedResponse answer = client.receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /a?b=c hi");
    EXPECT_THAT(answer.head, HasSubstr("Date: "));
    EXPECT_THAT(answer.head, Not(HasSubstr("Connection: close")));
  }
  EXPECT_EQ(server.server->statistics().requests, 3u);
}

TEST(HttpServer, WhatNeedsNoStoreIsAnsweredAtOnce) {
  LambdaHandler lambdas;
  lambdas.at_once["/none"] = {404, {{"X", "y"}}, "nothing here"};
  TestServer server({}, lambdas);
  Client client(*server.server);
  client.request("GET /none");
  const ReceivedResponse answer = client.receive();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 404 Not Found\r\nX: y\r\n"));
  EXPECT_EQ(answer.body, "nothing here");
}

TEST(HttpServer, BodiesCanBeMadeOnTheTransportsThread) {
  LambdaHandler lambdas;
  std::thread::id made_on;
  std::thread::id ran_on;
  lambdas.on_core = [&](const http::Request&, const ExchangePtr& exchange) {
    ran_on = std::this_thread::get_id();
    http::Response response;
    response.make_body = [&] {
      made_on = std::this_thread::get_id();
      return std::string(100'000, 'x');
    };
    exchange->respond(std::move(response));
  };
  TestServer server({}, lambdas);
  Client client(*server.server);
  client.request("GET /");
  EXPECT_EQ(client.receive().body.size(), 100'000u);
  EXPECT_NE(made_on, ran_on);
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  LambdaHandler lambdas;
  lambdas.at_once["/now"] = {200, {}, "now"};
  TestServer server({}, lambdas);
  Client client(*server.server);
  std::string requests;
  for (int i = 0; i < 20; ++i) {
    requests += "GET /now HTTP/1.1\r\nHost: x\r\n\r\n";
    requests +=
        "PUT /core/" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n!";
  }
  client.send(requests);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(client.receive().body, "now");
    EXPECT_EQ(client.receive().body, "PUT /core/" + std::to_string(i) + " !");
  }
}

// Else the turns of who pipelines grow longer and longer, and who comes later waits for all of one.
TEST(HttpServer, AClientThatPipelinesHasOneTurnInEachRound) {
  constexpr int kRequests = 3000;
  std::promise<void> half_done;
  std::promise<void> other_came;
  std::mutex mutex;
  std::string order;  // of the requests: a or b
  LambdaHandler lambdas;
  for (const char* path : {"/a", "/b"}) {
    lambdas.at_once[path] = {200, {}, "now"};
  }
  lambdas.on_prepare = [&, came = other_came.get_future().share()](const http::Request& request) {
    const std::lock_guard lock(mutex);
    order += request.target[1];
    if (order.size() == kRequests / 2) {
      half_done.set_value();
      came.wait();
    }
  };
  ServerOptions options;
  options.io_threads = 1;
  TestServer server(options, lambdas);
  const auto send_many = [](Client& client, const std::string& path, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += "GET " + path + " HTTP/1.1\r\nHost: x\r\nA: " + std::string(240, 'a') + "\r\n\r\n";
    }
    client.send(all);
  };
  Client a(*server.server);
  const auto sent = std::async(std::launch::async, [&] { send_many(a, "/a", kRequests); });
  half_done.get_future().wait();
  Client b(*server.server);
  send_many(b, "/b", 100);
  other_came.set_value();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(b.receive().status, 200);
  }
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_EQ(a.receive().status, 200);
  }
  const std::lock_guard lock(mutex);
  size_t longest = 0;
  size_t run = 0;
  for (size_t i = order.find('b'); i < order.rfind('b'); ++i) {
    run = order[i] == 'a' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  EXPECT_LE(longest, 40u);
}

TEST(HttpServer, ChunkedRequestBodies) {
  TestServer server;
  Client client(*server.server);
  client.request("POST /", "Transfer-Encoding: chunked\r\n", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "POST / hello");
}

TEST(HttpServer, AClientThatWaitsIsToldToGoOn) {
  TestServer server;
  Client client(*server.server);
  client.request("POST /", "Expect: 100-continue\r\nContent-Length: 5\r\n");
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_EQ(client.receive().body, "POST / hello");
}

TEST(HttpServer, AClientThatWaitsWithTooMuchIsToldSoAtOnce) {
  TestServer server;
  Client client(*server.server);
  client.request("POST /", "Expect: 100-continue\r\nContent-Length: 3145729\r\n");
  EXPECT_EQ(client.receive().status, 413);
}

TEST(HttpServer, HeadIsAnsweredWithoutABody) {
  TestServer server;
  Client client(*server.server);
  client.request("HEAD /abc");
  const ReceivedResponse head = client.receive(false);
  EXPECT_THAT(head.head, HasSubstr("Content-Length: 10\r\n"));
  client.request("GET /next");
  EXPECT_EQ(client.receive().body, "GET /next ");
}

TEST(HttpServer, EndsTheConnectionWhenTheClientWantsIt) {
  TestServer server;
  Client client(*server.server);
  client.request("GET /", "Connection: close\r\n");
  EXPECT_THAT(client.receive().head, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(client.receive_rest(), "");
}

TEST(HttpServer, SpeaksHttp10WithOldProbes) {
  LambdaHandler lambdas;
  lambdas.on_core = [](const http::Request& request, const ExchangePtr& exchange) {
    if (request.target == "/plain") {
      return exchange->respond({200, {}, "ok"});
    }
    exchange->start(200, {});
    exchange->write(chunk("streamed"));
    exchange->finish();
  };
  TestServer server({}, lambdas);
  Client plain(*server.server);
  plain.send("GET /plain HTTP/1.0\r\n\r\n");
  EXPECT_THAT(plain.receive_rest(), ::testing::EndsWith("\r\n\r\nok"));
  Client streamed(*server.server);
  streamed.send("GET /stream HTTP/1.0\r\n\r\n");
  const std::string answer = streamed.receive_rest();
  EXPECT_THAT(answer, ::testing::EndsWith("\r\n\r\nstreamed"));
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
}

TEST(HttpServer, AHalfClosedClientStillGetsItsAnswer) {
  TestServer server;
  Client client(*server.server);
  client.request("GET /piped");
  client.finish_sending();
  EXPECT_EQ(client.receive().body, "GET /piped ");
  EXPECT_EQ(client.receive_rest(), "");
}

// An exchange kept for the test to speak through.
struct Kept {
  std::vector<ExchangePtr> exchanges;
  int closed = 0;

  LambdaHandler handler() {
    LambdaHandler lambdas;
    lambdas.on_core = [this](const http::Request& request, const ExchangePtr& exchange) {
      if (request.target == "/plain") {
        return exchange->respond({200, {}, "plain"});
      }
      exchange->when_closed([this] { ++closed; });
      exchanges.push_back(exchange);
    };
    return lambdas;
  }
};

TEST(HttpServer, EveryChunkGoesOutAtOnce) {
  Kept kept;
  TestServer server({}, kept.handler());
  Client client(*server.server);
  client.request("GET /?watch=1");
  ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 1; }));
  server.on_core([&] { kept.exchanges[0]->start(200, {{"Content-Type", "application/json"}}); });
  EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked"));
  for (const char* event : {"one", "two"}) {
    server.on_core([&] { kept.exchanges[0]->write(chunk(event)); });
    EXPECT_EQ(client.receive_until("\r\n"), "3\r\n");
    EXPECT_EQ(client.receive_until("\r\n"), std::string(event) + "\r\n");
  }
  EXPECT_EQ(server.server->statistics().long_running, 1u);
  server.on_core([&] {
    kept.exchanges[0]->write(chunk(""));  // says nothing, and must not end the answer
    kept.exchanges[0]->finish();
    kept.exchanges.clear();
  });
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "0\r\n\r\n");
  client.request("GET /plain");
  EXPECT_EQ(client.receive().body, "plain");
  EXPECT_EQ(server.server->statistics().long_running, 0u);
  EXPECT_EQ(kept.closed, 0);
}

TEST(HttpServer, TheHandlerHearsOfAClientThatGoesAway) {
  Kept kept;
  TestServer server({}, kept.handler());
  {
    Client client(*server.server);
    client.request("GET /?watch=1");
    ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 1; }));
    server.on_core([&] { kept.exchanges[0]->start(200, {}); });
    client.receive_until("\r\n\r\n");
  }
  EXPECT_TRUE(server.wait_until([&] { return kept.closed == 1; }));
  // Nothing that is said now goes anywhere, and a late listener hears of it, too.
  int late = 0;
  server.on_core([&] {
    kept.exchanges[0]->write(chunk("late"));
    kept.exchanges[0]->when_closed([&] { ++late; });
    kept.exchanges[0]->finish();
  });
  EXPECT_TRUE(server.wait_until([&] { return late == 1; }));
  EXPECT_EQ(kept.closed, 1);
  EXPECT_TRUE(server.wait_until([&] { return server.server->statistics().connections == 0; }));
  server.on_core([&] { kept.exchanges.clear(); });
}

TEST(HttpServer, AnAbortedStreamIsSeenToBeCut) {
  Kept kept;
  TestServer server({}, kept.handler());
  Client client(*server.server);
  client.request("GET /list");
  ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 1; }));
  server.on_core([&] {
    kept.exchanges[0]->start(200, {});
    kept.exchanges[0]->write(chunk("half"));
  });
  client.receive_until("half\r\n");
  server.on_core([&] {
    kept.exchanges[0]->abort();
    kept.exchanges.clear();
  });
  EXPECT_EQ(client.receive_rest(), "");  // and no last chunk
}

TEST(HttpServer, AnExchangeThatTheHandlerDropsIsAnswered) {
  LambdaHandler lambdas;
  lambdas.on_core = [](const http::Request& request, const ExchangePtr& exchange) {
    if (request.target == "/started") {
      exchange->start(200, {});
    }
  };
  TestServer server({}, lambdas);
  Client client(*server.server);
  client.request("GET /forgotten");
  const ReceivedResponse answer = client.receive();
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, HasSubstr("\"reason\":\"InternalError\""));
  client.request("GET /started");
  EXPECT_EQ(client.receive(false).status, 200);
  EXPECT_EQ(client.receive_rest(), "");
}

TEST(HttpServer, AWriterHoldsBackUntilTheClientHasTaken) {
  Kept kept;
  TestServer server({}, kept.handler());
  Client client(*server.server, 4096);
  client.request("GET /list");
  ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 1; }));
  constexpr size_t kBytes = size_t{8} * 1024 * 1024;
  bool drained = false;
  bool nothing_to_wait_for = false;
  server.on_core([&] {
    kept.exchanges[0]->start(200, {});
    kept.exchanges[0]->when_unsent_at_most(0, [&] { nothing_to_wait_for = true; });
  });
  EXPECT_TRUE(server.wait_until([&] { return nothing_to_wait_for; }));
  server.on_core([&] {
    kept.exchanges[0]->write(chunk(std::string(kBytes, 'x')));
    EXPECT_GT(kept.exchanges[0]->unsent(), 0u);
    kept.exchanges[0]->when_unsent_at_most(1000, [&] {
      EXPECT_LE(kept.exchanges[0]->unsent(), 1000u);
      drained = true;
      kept.exchanges[0]->finish();
      kept.exchanges.clear();
    });
  });
  server.on_core([&] { EXPECT_FALSE(drained); });  // more than the socket's buffers hold
  EXPECT_EQ(client.receive().body.size(), kBytes);
  EXPECT_TRUE(server.wait_until([&] { return drained; }));
}

TEST(HttpServer, StopsAsSoonAsNothingIsUnderWay) {
  Kept kept;
  TestServer server({}, kept.handler());
  Client idle(*server.server);
  idle.request("GET /plain");
  EXPECT_EQ(idle.receive().status, 200);
  Client watcher(*server.server);
  watcher.request("GET /?watch=1");
  ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 1; }));
  Client busy(*server.server);
  busy.request("GET /busy");
  ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 2; }));
  server.on_core([&] { kept.exchanges[0]->start(200, {}); });
  EXPECT_EQ(watcher.receive(false).status, 200);

  bool stopped = false;
  server.on_core([&] { server.server->stop([&] { stopped = true; }); });
  EXPECT_EQ(idle.receive_rest(), "");
  EXPECT_EQ(watcher.receive_rest(), "0\r\n\r\n");  // a watch ends properly
  watcher.close();
  EXPECT_TRUE(server.wait_until([&] { return kept.closed == 1; }));
  server.on_core([&] {
    EXPECT_FALSE(stopped);
    kept.exchanges[1]->respond({200, {}, "done"});
    kept.exchanges.clear();
  });
  const ReceivedResponse answer = busy.receive();
  EXPECT_EQ(answer.body, "done");
  EXPECT_THAT(answer.head, HasSubstr("Connection: close"));
  busy.close();
  EXPECT_TRUE(server.wait_until([&] { return stopped; }));
}

TEST(HttpServer, StoppingWaitsOnlySoLong) {
  Kept kept;
  ServerOptions options;
  options.limits.stop_grace = milliseconds(20);
  TestServer server(options, kept.handler());
  Client client(*server.server);
  client.request("GET /never");
  ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 1; }));
  bool stopped = false;
  server.on_core([&] { server.server->stop([&] { stopped = true; }); });
  EXPECT_EQ(client.receive_rest(), "");
  EXPECT_TRUE(server.wait_until([&] { return stopped && kept.closed == 1; }));
  server.on_core([&] { kept.exchanges.clear(); });
}

TEST(HttpServer, ExchangesMayOutliveTheServer) {
  Kept kept;
  TestServer server({}, kept.handler());
  Client client(*server.server);
  client.request("GET /?watch=1");
  ASSERT_TRUE(server.wait_until([&] { return kept.exchanges.size() == 1; }));
  server.on_core([&] { kept.exchanges[0]->start(200, {}); });
  server.server.reset();
  server.on_core([&] {
    kept.exchanges[0]->write(chunk("late"));
    kept.exchanges.clear();
  });
  EXPECT_TRUE(server.wait_until([&] { return kept.closed == 1; }));
}

TEST(HttpServer, APortInUseIsNamed) {
  TestServer server;
  posix::PosixClock clock;
  posix::EventLoop loop(clock);
  TextLog log;
  ServerOptions options;
  options.endpoint = server.server->endpoint();
  const auto second = HttpServer::start({loop, clock, log}, server.handler, options);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message,
            "listen on " + options.endpoint.text() + ": address already in use");
}

TEST(Endpoint, IsReadAsUsersWriteIt) {
  EXPECT_EQ(*parse_endpoint("127.0.0.1:6443"), (Endpoint{"127.0.0.1", 6443}));
  EXPECT_EQ(*parse_endpoint("[::1]:6443"), (Endpoint{"::1", 6443}));
  EXPECT_EQ(*parse_endpoint("::1"), (Endpoint{"::1", 0}));
  EXPECT_EQ(*parse_endpoint("localhost:1"), (Endpoint{"127.0.0.1", 1}));
  EXPECT_EQ(*parse_endpoint(":6443"), (Endpoint{"127.0.0.1", 6443}));
  EXPECT_EQ(*parse_endpoint("0.0.0.0"), (Endpoint{"0.0.0.0", 0}));
  EXPECT_EQ((Endpoint{"::1", 6443}).text(), "[::1]:6443");
  for (const char* bad :
       {"", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "host:1", "[::1]x:1"}) {
    EXPECT_FALSE(parse_endpoint(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace windlass::net
