// The client over HTTP/2: what remote_client_test.cc has over HTTP/1.1, and what only HTTP/2 can do
// to a request (decision 29).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <utility>

#include "client/object_identity.h"
#include "posix/testing.h"
#include "remote/remote_client.h"
#include "remote/transport/http2_testing.h"

namespace windlass::remote {
namespace {

using client::ObjectPtr;
using testing::config_ref;
using testing::create_config;
using ::testing::HasSubstr;
using testing::Http2Peer;
using testing::Http2ScriptedServer;
using testing::kConfigMap;
using testing::TestClient;

// So many reads at once; answers how many were good.
int get_many(TestClient& caller, int count) {
  int good = 0;
  int ended = 0;
  caller.loop.post([&] {
    for (int i = 0; i < count; ++i) {
      caller.client.get(config_ref(), [&](const Result<ObjectPtr>& got) {
        good += got ? 1 : 0;
        if (++ended == count) {
          caller.loop.stop();
        }
      });
    }
  });
  caller.run();
  return good;
}

void answer_from(Http2Peer& peer, int32_t first) {
  for (const auto& [stream, request] : peer.h2().requests()) {
    if (stream >= first) {
      peer.h2().answer(stream, 200, kConfigMap);
    }
  }
  peer.flush();
}

TEST(Http2Client, SaysWhatHttp11Says) {
  std::map<std::string, std::string> headers;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
    const int32_t stream = peer.receive(1);
    headers = peer.h2().requests().at(stream).headers;
    peer.h2().answer(stream, 201, kConfigMap);
    peer.linger();
  }});
  ClusterAccess access = server.access();
  access.token = "t0ken";
  access.server.base_path = "/k8s/c-1";
  {
    TestClient caller(access);
    const auto made = create_config(caller);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    EXPECT_EQ(client::resource_version_of(**made), "7");
    EXPECT_EQ(caller.transport.open_connections(), 1u);
  }
  EXPECT_EQ(headers[":method"], "POST");
  EXPECT_EQ(headers[":scheme"], "https");
  EXPECT_EQ(headers[":authority"], access.server.authority());
  EXPECT_EQ(headers[":path"], "/k8s/c-1/api/v1/namespaces/default/configmaps");
  EXPECT_EQ(headers["authorization"], "Bearer t0ken");
  EXPECT_EQ(headers["user-agent"], "windlass");
  EXPECT_EQ(headers["content-type"], "application/vnd.kubernetes.protobuf");
  EXPECT_THAT(headers["accept"], HasSubstr("application/vnd.kubernetes.protobuf"));
  EXPECT_NE(headers["content-length"], "0");
}

TEST(Http2Client, ManyRequestsShareOneConnection) {
  std::atomic<size_t> at_once = 0;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
    peer.receive(100);
    at_once = peer.h2().requests().size();
    answer_from(peer, 1);
    peer.receive(200);
    answer_from(peer, 201);  // the streams of a client have odd numbers
    peer.linger();
  }});
  {
    TestClient caller(server.access());
    EXPECT_EQ(get_many(caller, 200), 200);
    EXPECT_EQ(caller.transport.open_connections(), 1u);
    EXPECT_EQ(caller.transport.pending(), 0u);
  }
  EXPECT_EQ(at_once, 100u);
}

TEST(Http2Client, NoMoreAtATimeThanTheServerAllows) {
  std::atomic<size_t> most = 0;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
                               // The first request finds out; the others obey.
                               peer.h2().answer(peer.receive(1), 200, kConfigMap);
                               for (size_t done = 1; done < 21;) {
                                 if (peer.receive(done + 1) == 0) {
                                   return;
                                 }
                                 const size_t there = peer.h2().requests().size();
                                 most = std::max(most.load(), there - done);
                                 answer_from(peer, static_cast<int32_t>(2 * done + 1));
                                 done = there;
                               }
                               peer.linger();
                             }},
                             {.streams = 3});
  {
    TestClient caller(server.access());
    EXPECT_EQ(get_many(caller, 1), 1);
    EXPECT_EQ(get_many(caller, 20), 20);
  }
  EXPECT_LE(most, 3u);
}

// What becomes of a write that the server resets, before it answers and in the middle of that.
TEST(Http2Client, AResetWriteIsUnknownAndNeverSentTwice) {
  for (const bool answers_first : {false, true}) {
    size_t requests = 0;
    {
      Http2ScriptedServer server({[&](Http2Peer& peer) {
        peer.h2().answer(peer.receive(1), 201, kConfigMap);
        const int32_t stream = peer.receive(2);
        if (answers_first) {
          peer.h2().begin(stream, 201);
          peer.h2().say(stream, R"({"kind":)");
          peer.flush();
        }
        peer.h2().reset(stream, NGHTTP2_INTERNAL_ERROR);
        peer.linger();
        requests = peer.h2().requests().size();
      }});
      TestClient caller(server.access());
      EXPECT_TRUE(create_config(caller).has_value());
      const auto lost = create_config(caller);
      ASSERT_FALSE(lost.has_value());
      EXPECT_FALSE(client::is_not_sent(lost.error())) << lost.error().message;
      EXPECT_THAT(lost.error().message, HasSubstr("INTERNAL_ERROR"));
      EXPECT_EQ(caller.transport.open_connections(), 1u);  // only the request is lost
    }
    EXPECT_EQ(requests, 2u);
  }
}

TEST(Http2Client, ARefusedWriteGoesAgain) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
    peer.h2().reset(peer.receive(1), NGHTTP2_REFUSED_STREAM);
    peer.h2().answer(peer.receive(2), 201, kConfigMap);
    peer.linger();
  }});
  TestClient caller(server.access());
  const auto made = create_config(caller);
  EXPECT_TRUE(made.has_value()) << made.error().message;
}

TEST(Http2Client, AWriteThatIsAlwaysRefusedWasNotApplied) {
  size_t requests = 0;
  {
    Http2ScriptedServer server({[&](Http2Peer& peer) {
      for (size_t count = 1; const int32_t stream = peer.receive(count); ++count) {
        if (peer.h2().requests().size() < count) {
          break;
        }
        peer.h2().reset(stream, NGHTTP2_REFUSED_STREAM);
      }
      requests = peer.h2().requests().size();
    }});
    TestClient caller(server.access());
    const auto refused = create_config(caller);
    ASSERT_FALSE(refused.has_value());
    EXPECT_TRUE(client::is_not_sent(refused.error())) << refused.error().message;
  }
  EXPECT_EQ(requests, Transport::kMaxRefused + 1u);
}

// A leader that has lost its lease in the meantime does not send it again.
TEST(Http2Client, TheFenceIsAskedAgainBeforeARefusedWriteGoesAgain) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
    peer.h2().reset(peer.receive(1), NGHTTP2_REFUSED_STREAM);
    peer.linger();
    EXPECT_EQ(peer.h2().requests().size(), 1u);
  }});
  TestClient caller(server.access());
  int asked = 0;
  RemoteClient fenced(caller.transport, caller.random, [&] { return ++asked == 1; });
  const auto answer = caller.await<ObjectPtr>([&](auto done) {
    fenced.create(config_ref(), std::make_shared<api::core::v1::ConfigMap>(), std::move(done));
  });
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(client::is_not_sent(answer.error()));
  EXPECT_EQ(asked, 2);
}

// A server that stops: what it has begun with it ends, what it has not goes to the next one.
TEST(Http2Client, AServerThatGoesAwayTakesNothingWithIt) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
                                peer.receive(3);
                                peer.h2().go_away(3);
                                peer.flush();
                                peer.h2().answer(1, 200, kConfigMap);
                                peer.h2().answer(3, 200, kConfigMap);
                                peer.linger();
                                EXPECT_EQ(peer.h2().requests().size(), 3u);
                              },
                              [](Http2Peer& peer) {
                                peer.h2().answer(peer.receive(1), 200, kConfigMap);
                                peer.linger();
                              }});
  TestClient caller(server.access());
  EXPECT_EQ(get_many(caller, 3), 3);
}

TEST(Http2Client, AWriteBeyondTheLastOneOfAGoawayGoesAgain) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
                                peer.receive(1);
                                peer.h2().go_away(0, NGHTTP2_ENHANCE_YOUR_CALM);
                                peer.linger();
                              },
                              [](Http2Peer& peer) {
                                peer.h2().answer(peer.receive(1), 201, kConfigMap);
                                peer.linger();
                              }});
  TestClient caller(server.access());
  const auto made = create_config(caller);
  EXPECT_TRUE(made.has_value()) << made.error().message;
}

TEST(Http2Client, AConnectionThatIsCutLosesWhatIsUnderWay) {
  for (const bool answers_first : {false, true}) {
    Http2ScriptedServer server({[&](Http2Peer& peer) {
                                  const int32_t stream = peer.receive(1);
                                  if (answers_first) {
                                    peer.h2().begin(stream, 201);
                                    peer.h2().say(stream, R"({"kind":)");
                                    peer.flush();
                                  }
                                  peer.cut();
                                },
                                [](Http2Peer& peer) {
                                  peer.h2().answer(peer.receive(1), 201, kConfigMap);
                                  peer.linger();
                                }});
    TestClient caller(server.access());
    const auto lost = create_config(caller);
    ASSERT_FALSE(lost.has_value());
    EXPECT_FALSE(client::is_not_sent(lost.error())) << lost.error().message;
    EXPECT_TRUE(create_config(caller).has_value());
  }
}

TEST(Http2Client, AReadIsSentAgainWhenAKeptConnectionWasDead) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
                                peer.h2().answer(peer.receive(1), 200, kConfigMap);
                                peer.receive(2);
                                peer.cut();
                              },
                              [](Http2Peer& peer) {
                                peer.h2().answer(peer.receive(1), 200, kConfigMap);
                                peer.linger();
                              }});
  TestClient caller(server.access());
  EXPECT_TRUE(caller.get(config_ref()).has_value());
  EXPECT_TRUE(caller.get(config_ref()).has_value());
}

// Of two requests at a time one is answered: the other one's time-out is its own.
TEST(Http2Client, ATimeOutEndsOneRequestAlone) {
  std::atomic<uint32_t> reset = 0;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
    const int32_t stuck = peer.receive(1);
    peer.run_until([&] { return peer.h2().requests().at(stuck).reset != 0; });
    reset = peer.h2().requests().at(stuck).reset;
    peer.h2().answer(peer.receive(2), 201, kConfigMap);
    peer.linger();
  }});
  Transport::Options options;
  options.request_timeout = milliseconds(200);
  TestClient caller(server.access(), options);
  const auto late = create_config(caller);
  ASSERT_FALSE(late.has_value());
  EXPECT_THAT(late.error().message, HasSubstr("no answer in time"));
  EXPECT_FALSE(client::is_not_sent(late.error()));
  EXPECT_EQ(caller.transport.open_connections(), 1u);
  EXPECT_TRUE(create_config(caller).has_value());
  EXPECT_EQ(reset, static_cast<uint32_t>(NGHTTP2_CANCEL));
}

// A line that was cut without a word: no answer comes, not even to a ping.
TEST(Http2Client, ASilentServerIsGivenUp) {
  std::promise<void> given_up;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
                                peer.h2().answer(peer.receive(1), 201, kConfigMap);
                                peer.receive(2);
                                given_up.get_future().wait();
                              },
                              [](Http2Peer& peer) {
                                peer.h2().answer(peer.receive(1), 201, kConfigMap);
                                peer.linger();
                              }});
  Transport::Options options;
  options.http2.read_idle = milliseconds(50);
  options.http2.ping_timeout = milliseconds(50);
  TestClient caller(server.access(), options);
  EXPECT_TRUE(create_config(caller).has_value());
  const auto lost = create_config(caller);
  given_up.set_value();
  ASSERT_FALSE(lost.has_value());
  EXPECT_THAT(lost.error().message, HasSubstr("not even a ping"));
  EXPECT_FALSE(client::is_not_sent(lost.error()));
  EXPECT_TRUE(create_config(caller).has_value());
}

// One that only takes long answers pings, and is waited for.
TEST(Http2Client, ASlowServerIsNotGivenUp) {
  std::promise<void> answer;
  auto now = answer.get_future();
  Http2ScriptedServer server({[&](Http2Peer& peer) {
    const int32_t stream = peer.receive(1);
    peer.run_until(
        [&] { return now.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    peer.h2().answer(stream, 201, kConfigMap);
    peer.linger();
  }});
  Transport::Options options;
  options.http2.read_idle = milliseconds(20);
  options.http2.ping_timeout = milliseconds(2000);
  TestClient caller(server.access(), options);
  caller.loop.schedule(milliseconds(200), [&] { answer.set_value(); });
  const auto made = create_config(caller);
  EXPECT_TRUE(made.has_value()) << made.error().message;
}

// The answer to the ping has come, but the loop was busy for longer than a server has for it.
TEST(Http2Client, ABusyLoopDoesNotGiveUpAServerThatAnswers) {
  std::promise<void> busy;
  std::promise<void> answered;
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const posix::FileDescriptor other(pipe[0]);  // another connection, as it were
  const posix::FileDescriptor others_peer(pipe[1]);
  Http2ScriptedServer server({[&](Http2Peer& peer) {
    const int32_t stream = peer.receive(1);
    bool was_busy = false;
    peer.run_until([&] {
      if (peer.h2().pings() > 0 && !std::exchange(was_busy, true)) {
        EXPECT_EQ(::write(others_peer.get(), "x", 1), 1);
        busy.get_future().wait();
      }
      return was_busy;
    });
    answered.set_value();
    peer.run_until([&] { return peer.h2().pings() > 1; });  // it is asked again: it is kept
    peer.h2().answer(stream, 201, kConfigMap);
    peer.linger();
  }});
  Transport::Options options;
  options.http2.read_idle = milliseconds(50);
  options.http2.ping_timeout = milliseconds(150);
  TestClient caller(server.access(), options);
  posix::WatchId watch = posix::WatchId::none;
  watch = caller.loop.watch(other.get(), EPOLLIN, [&](uint32_t) {
    caller.loop.unwatch(watch);
    busy.set_value();
    answered.get_future().wait();
    const MonotonicTime until = caller.clock.monotonic() + milliseconds(200);
    while (caller.clock.monotonic() < until) {
    }
  });
  const auto made = create_config(caller);
  EXPECT_TRUE(made.has_value()) << made.error().message;
}

TEST(Http2Client, AConnectionWithoutRequestsEnds) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
    peer.h2().answer(peer.receive(1), 201, kConfigMap);
    peer.linger();
  }});
  Transport::Options options;
  options.http2.idle_timeout = milliseconds(50);
  TestClient caller(server.access(), options);
  EXPECT_TRUE(create_config(caller).has_value());
  EXPECT_EQ(caller.transport.open_connections(), 1u);
  std::function<void()> look = [&] {
    caller.transport.open_connections() == 0
        ? caller.loop.stop()
        : static_cast<void>(caller.loop.schedule(milliseconds(5), look));
  };
  caller.loop.post(look);
  caller.run();
  EXPECT_EQ(caller.transport.open_connections(), 0u);
}

// A server that begins to speak HTTP/2 (it was replaced by a newer one): all that wanted a
// connection of their own share one.
TEST(Http2Client, OfSeveralNewConnectionsOneIsKept) {
  constexpr int kRequests = 4;
  const auto script = [](Http2Peer& peer) {
    for (size_t done = 0; peer.run_until([&] { return peer.h2().whole_requests() > done; });) {
      for (const auto& [stream, request] : peer.h2().requests()) {
        if (request.whole && static_cast<size_t>(stream) > 2 * done) {
          peer.h2().answer(stream, 200, kConfigMap);
        }
      }
      done = peer.h2().whole_requests();
    }
  };
  Http2ScriptedServer server({[](Http2Peer& peer) {
                                const std::string body = kConfigMap;
                                peer.receive_head();
                                peer.send(
                                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                    "Connection: close\r\nContent-Length: " +
                                    std::to_string(body.size()) + "\r\n\r\n" + body);
                              },
                              script, script, script, script});
  server.speak_http11(1);
  TestClient caller(server.access());
  EXPECT_EQ(get_many(caller, 1), 1);
  EXPECT_EQ(get_many(caller, kRequests), kRequests);
  EXPECT_EQ(get_many(caller, kRequests), kRequests);
  EXPECT_EQ(caller.transport.open_connections(), 1u);
}

// The files of a client certificate, and how they are replaced.
class RotatedCertificate {
 public:
  explicit RotatedCertificate(const Http2ScriptedServer& server) : server_(server) {}

  ClusterAccess access(const std::string& name) const {
    put(name);
    ClusterAccess access = server_.access();
    access.certificate_file = directory_ / "certificate";
    access.key_file = directory_ / "key";
    return access;
  }
  void put(const std::string& name) const {
    const net::CertifiedKey made = server_.client_certificate(name);
    directory_.write("certificate", made.certificate_pem);
    directory_.write("key", made.key_pem);
  }

 private:
  const Http2ScriptedServer& server_;
  const posix::TemporaryDirectory directory_;
};

// kube-apiserver looks at a certificate with every request, and at a new one only with a new
// connection.
TEST(Http2Client, ARefusedCertificateIsReadAgainAndShownOnANewConnection) {
  std::vector<std::string> names;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
                                peer.h2().answer(peer.receive(1), 201, kConfigMap);
                                peer.h2().answer(peer.receive(2), 401, "{}");
                                peer.linger();
                                EXPECT_EQ(peer.h2().requests().size(), 2u);
                              },
                              [&](Http2Peer& peer) {
                                names.push_back(peer.client_name());
                                peer.h2().answer(peer.receive(1), 201, kConfigMap);
                                peer.linger();
                              }});
  const RotatedCertificate files(server);
  {
    TestClient caller(files.access("old"));
    EXPECT_TRUE(create_config(caller).has_value());
    files.put("new");
    const auto made = create_config(caller);
    EXPECT_TRUE(made.has_value()) << made.error().message;
  }
  EXPECT_EQ(names, std::vector<std::string>{"new"});
}

// One that was not replaced is refused once more, and no new connection is made for it.
TEST(Http2Client, ARefusedCertificateThatIsStillTheSameIsAnError) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
    peer.h2().answer(peer.receive(1), 401, "{}");
    peer.h2().answer(peer.receive(2), 401, "{}");
    peer.linger();
  }});
  const RotatedCertificate files(server);
  TestClient caller(files.access("old"));
  const auto refused = create_config(caller);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, 401);
  EXPECT_EQ(caller.transport.open_connections(), 1u);
}

// A request under way keeps its connection.
TEST(Http2Client, ANewCertificateOfThePluginEndsNothingThatIsUnderWay) {
  std::promise<void> second_came;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
                                peer.receive(2);
                                peer.h2().answer(3, 401, "{}");
                                peer.flush();
                                second_came.get_future().wait_for(
                                    std::chrono::seconds(testing::kPatienceSeconds));
                                peer.h2().answer(1, 200, kConfigMap);
                                peer.linger();
                                EXPECT_EQ(peer.h2().requests().size(), 2u);
                              },
                              [&](Http2Peer& peer) {
                                EXPECT_EQ(peer.client_name(), "client-2");
                                const int32_t stream = peer.receive(1);
                                second_came.set_value();
                                peer.h2().answer(stream, 200, kConfigMap);
                                peer.linger();
                              }});
  ClusterAccess access = server.access();
  access.exec.emplace();
  int asked = 0;
  TestClient caller(access, {}, [&](const ExecPlugin&, auto done) -> std::shared_ptr<void> {
    const auto made = server.client_certificate("client-" + std::to_string(++asked));
    caller.loop.post([done, made] {
      done(PluginCredential{"", made.certificate_pem, made.key_pem, {}});
    });
    return std::make_shared<int>(0);
  });
  EXPECT_EQ(get_many(caller, 2), 2);
  EXPECT_EQ(asked, 2);
}

TEST(Http2Client, SpeaksHttp11WhereHttp2IsSwitchedOff) {
  std::string protocol = "?";
  Http2ScriptedServer server({[](Http2Peer&) {}, [](Http2Peer&) {}});
  for (const bool http2 : {true, false}) {
    posix::PosixClock clock;
    posix::PosixFiles files;
    posix::EventLoop loop(clock);
    Credentials credentials(files, clock, server.access());
    Dialer dialer(loop, clock, credentials, http2);
    const auto dial = dialer.dial([&](const Result<Dialer::Dialed>& dialed) {
      protocol = dialed ? dialed->stream->protocol() : dialed.error().message;
      loop.stop();
    });
    loop.run();
    EXPECT_EQ(protocol, http2 ? "h2" : "");
  }
}

// What the watch tells, one line for each event, and why it ended.
class Http2Watches : public ::testing::Test {
 protected:
  static std::string event(int number) {
    return R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c)" +
           std::to_string(number) + R"(","resourceVersion":"7"}}})" + "\n";
  }
  std::unique_ptr<client::Watch> watch(TestClient& caller, size_t stop_after) {
    return caller.client.watch({&api::kinds::config_map(), "default", "", ""}, "5",
                               {[this, &caller, stop_after](const client::WatchEvent& event) {
                                  told.push_back(client::key_of(*event.object));
                                  if (told.size() == stop_after) {
                                    caller.loop.stop();
                                  }
                                },
                                [this, &caller](const Status& why) {
                                  ended.push_back(why.message);
                                  caller.loop.stop();
                                }});
  }
  std::vector<std::string> told;
  std::vector<std::string> ended;
};

TEST_F(Http2Watches, ShareAConnectionApartFromRequests) {
  // The first two connections to come are those of the watches and of the requests, in any order.
  const auto script = [](Http2Peer& peer) {
    peer.receive(1);
    const bool watches =
        peer.h2().requests().at(1).headers.at(":path").find("watch=true") != std::string::npos;
    if (!watches) {
      return peer.cut();
    }
    peer.receive(2);
    for (const int32_t stream : {1, 3}) {
      peer.h2().begin(stream, 200);
    }
    for (int i = 0; i < 10; ++i) {
      peer.h2().say(1, event(i));
      peer.h2().say(3, event(i));
      peer.flush();
    }
    peer.linger();
  };
  Http2ScriptedServer server({script, script});
  TestClient caller(server.access());
  std::vector<std::unique_ptr<client::Watch>> watches;
  bool lost = false;
  caller.loop.post([&] {
    watches.push_back(watch(caller, 20));
    caller.client.create(config_ref(), std::make_shared<api::core::v1::ConfigMap>(),
                         [&](const Result<ObjectPtr>& made) {
                           lost = !made;
                           watches.push_back(watch(caller, 20));
                         });
  });
  caller.run();
  EXPECT_TRUE(lost);
  EXPECT_TRUE(ended.empty());
  EXPECT_EQ(told.size(), 20u);
}

TEST_F(Http2Watches, EventsMayBeCutAnywhere) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
    peer.receive(1);
    peer.h2().begin(1, 200);
    const std::string all = event(0) + event(1) + event(2);
    for (const char byte : all) {
      peer.h2().say(1, {&byte, 1});
      peer.flush();
    }
    peer.h2().end(1);
    peer.linger();
  }});
  TestClient caller(server.access());
  std::unique_ptr<client::Watch> one;
  caller.loop.post([&] { one = watch(caller, SIZE_MAX); });
  caller.run();
  EXPECT_EQ(told, (std::vector<std::string>{"c0", "c1", "c2"}));
  EXPECT_EQ(ended, (std::vector<std::string>{"the server has ended the watch"}));
}

// The server moves its watches away: each hears that it has ended, and the next goes elsewhere.
TEST_F(Http2Watches, EndWithTheirStreamOrTheirConnection) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
                                peer.receive(1);
                                peer.h2().begin(1, 200);
                                peer.h2().say(1, event(0));
                                peer.flush();
                                peer.h2().reset(1, NGHTTP2_INTERNAL_ERROR);
                                peer.receive(2);
                                peer.h2().begin(3, 403);
                                peer.h2().end(3);
                                peer.receive(3);
                                peer.h2().begin(5, 200);
                                peer.flush();
                                peer.cut();
                              },
                              [](Http2Peer& peer) {
                                peer.receive(1);
                                peer.h2().begin(1, 200);
                                peer.h2().say(1, event(9));
                                peer.linger();
                              }});
  TestClient caller(server.access());
  for (int i = 0; i < 4; ++i) {
    std::unique_ptr<client::Watch> one;
    caller.loop.post([&] { one = watch(caller, 2); });
    caller.run();
  }
  ASSERT_EQ(ended.size(), 3u);
  EXPECT_THAT(ended[0], HasSubstr("the watch is lost: the request was ended: INTERNAL_ERROR"));
  EXPECT_THAT(ended[1], HasSubstr("403"));
  EXPECT_THAT(ended[2], HasSubstr("the watch is lost"));
  EXPECT_EQ(told, (std::vector<std::string>{"c0", "c9"}));
}

// Of a plugin's token that the server has refused: the next watch asks for another, also on a line
// that was kept.
TEST_F(Http2Watches, AskThePluginAgainForWhatWasRefused) {
  std::vector<std::string> tokens;
  Http2ScriptedServer server({[&](Http2Peer& peer) {
    for (size_t i = 0; i < 2; ++i) {
      const int32_t stream = peer.receive(i + 1);
      tokens.push_back(peer.h2().requests().at(stream).headers.at("authorization"));
      peer.h2().begin(stream, i == 0 ? 401 : 200);
      if (i == 0) {
        peer.h2().end(stream);
      } else {
        peer.h2().say(stream, event(0));
      }
    }
    peer.linger();
  }});
  ClusterAccess access = server.access();
  access.exec.emplace();
  int asked = 0;
  {
    TestClient caller(access, {}, [&](const ExecPlugin&, auto done) -> std::shared_ptr<void> {
      const std::string token = "token-" + std::to_string(++asked);
      caller.loop.post([done, token, fails = asked == 3] {
        fails ? done(fail(plain_error("no network"))) : done(PluginCredential{token, "", "", {}});
      });
      return std::make_shared<int>(0);
    });
    for (int i = 0; i < 2; ++i) {
      std::unique_ptr<client::Watch> one;
      caller.loop.post([&] { one = watch(caller, 1); });
      caller.run();
    }
    EXPECT_EQ(told, (std::vector<std::string>{"c0"}));
    // And says so when the plugin has nothing to tell.
    caller.credentials.reread();
    std::unique_ptr<client::Watch> one;
    caller.loop.post([&] { one = watch(caller, 9); });
    caller.run();
  }
  EXPECT_EQ(tokens, (std::vector<std::string>{"Bearer token-1", "Bearer token-2"}));
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[1], "no network");
}

TEST_F(Http2Watches, BeginWithTheNewestCertificate) {
  Http2ScriptedServer server({[](Http2Peer& peer) {
                                peer.receive(1);
                                peer.h2().begin(1, 200);
                                peer.h2().end(1);
                                peer.receive(2);
                                peer.h2().begin(3, 401);
                                peer.h2().end(3);
                                peer.linger();
                                EXPECT_EQ(peer.h2().requests().size(), 2u);
                              },
                              [](Http2Peer& peer) {
                                EXPECT_EQ(peer.client_name(), "new");
                                peer.receive(1);
                                peer.h2().begin(1, 200);
                                peer.h2().say(1, event(0));
                                peer.linger();
                              }});
  const RotatedCertificate files(server);
  TestClient caller(files.access("old"));
  for (int i = 0; i < 3; ++i) {
    std::unique_ptr<client::Watch> one;
    caller.loop.post([&] { one = watch(caller, 1); });
    caller.run();
    files.put("new");
  }
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_THAT(ended[1], HasSubstr("401"));
  EXPECT_EQ(told, (std::vector<std::string>{"c0"}));
}

}  // namespace
}  // namespace windlass::remote
