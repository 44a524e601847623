#include "remote/remote_client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "api/codec/protobuf.h"
#include "client/informer.h"
#include "client/object_identity.h"
#include "net/tls/tls_testing.h"
#include "remote/testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/meta/v1/status.pb.h"

namespace windlass::remote {
namespace {

using client::ObjectPtr;
using client::ObjectRef;
using testing::config_object;
using testing::config_ref;
using testing::create_config;
using ::testing::HasSubstr;
using testing::kConfigMap;
using testing::ScriptedConnection;
using testing::ScriptedServer;
using ::testing::StartsWith;
using testing::TestClient;

constexpr const char* kNotFound =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"no c","details":{"name":"c"},"code":404})";

TEST(RemoteClient, KeepsItsConnectionAndReadsJson) {
  std::vector<std::string> requests;
  ScriptedServer server({[&](ScriptedConnection& peer) {
    for (const char* body : {kConfigMap, kConfigMap}) {
      requests.push_back(peer.receive());
      peer.answer(200, body);
    }
    requests.push_back(peer.receive());
    peer.answer(404, kNotFound);
  }});
  TestClient caller(server.access());
  for (int i = 0; i < 2; ++i) {
    const auto got = caller.get(config_ref());
    ASSERT_TRUE(got.has_value()) << got.error().message;
    EXPECT_EQ(client::resource_version_of(**got), "7");
  }
  const auto missing = caller.get(config_ref());
  ASSERT_FALSE(missing.has_value());
  EXPECT_TRUE(is_not_found(missing.error()));
  EXPECT_EQ(missing.error().message, "no c");
  EXPECT_THAT(requests[0], StartsWith("GET /api/v1/namespaces/default/configmaps/c HTTP/1.1\r\n"));
  EXPECT_THAT(requests[0], HasSubstr("Accept: application/vnd.kubernetes.protobuf"));
}

// A server that speaks no protobuf at all: what was refused for that goes again as JSON, once, and
// everything after it at once.
TEST(RemoteClient, SpeaksJsonToAServerThatTakesNoProtobuf) {
  for (const int refusal : {406, 415}) {
    std::vector<std::string> requests;
    ScriptedServer server({[&](ScriptedConnection& peer) {
      requests.push_back(peer.receive());
      peer.answer(refusal, R"({"kind":"Status","apiVersion":"v1","code":406,"message":"what?"})");
      for (int i = 0; i < 3; ++i) {
        requests.push_back(peer.receive());
        peer.answer(200, kConfigMap);
      }
    }});
    TestClient caller(server.access());
    EXPECT_TRUE(create_config(caller).has_value()) << refusal;
    EXPECT_TRUE(create_config(caller).has_value()) << refusal;
    const auto removed = caller.await<ObjectPtr>(
        [&](auto done) { caller.client.remove(config_ref(), {}, std::move(done)); });
    EXPECT_TRUE(removed.has_value()) << refusal;
    ASSERT_EQ(requests.size(), 4u);
    EXPECT_THAT(requests[0], HasSubstr("Content-Type: application/vnd.kubernetes.protobuf"));
    for (size_t i = 1; i < requests.size(); ++i) {
      EXPECT_THAT(requests[i], HasSubstr("Content-Type: application/json"));
      EXPECT_THAT(requests[i], HasSubstr("Accept: application/json\r\n"));
    }
    EXPECT_THAT(requests[2], HasSubstr(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{)"));
    EXPECT_THAT(requests[3], HasSubstr(R"("kind":"DeleteOptions")"));
  }
}

// Fields without a reader are left out of what is only read, and are there where it may be written
// back.
TEST(RemoteClient, ReadsAnOutlineWhereThatIsEnough) {
  auto whole = std::make_shared<api::core::v1::ConfigMap>();
  whole->mutable_metadata()->set_name("c");
  whole->mutable_metadata()->add_managed_fields()->set_manager("m");
  const std::string body = api::seal_envelope(api::kinds::config_map().type_meta(), *whole);
  ScriptedServer server({[&](ScriptedConnection& peer) {
    for (int i = 0; i < 3; ++i) {
      peer.receive();
      peer.send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.kubernetes.protobuf\r\n"
          "Content-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body);
    }
  }});
  const api::Outline outline = {{1, {{1}}}};  // metadata.name
  TestClient caller(server.access());
  caller.client.read_only(api::kinds::config_map(), outline);
  const auto managers = [](const Result<ObjectPtr>& object) {
    return object ? api::metadata_of(**object).managed_fields_size() : -1;
  };
  EXPECT_EQ(managers(create_config(caller)), 0);
  EXPECT_EQ(managers(caller.await<ObjectPtr>([&](auto done) {
              caller.client.patch(config_ref(), "", client::PatchType::merge, "{}",
                                  std::move(done));
            })),
            0);
  EXPECT_EQ(managers(caller.get(config_ref())), 1);
}

// What stays refused is an error; and a patch is no protobuf, so that its type says nothing of it.
TEST(RemoteClient, ARefusalIsBelievedTheSecondTime) {
  const char* what = R"({"kind":"Status","apiVersion":"v1","code":415,"message":"what?"})";
  std::vector<std::string> requests;
  ScriptedServer server({[&](ScriptedConnection& peer) {
    for (int i = 0; i < 3; ++i) {
      requests.push_back(peer.receive());
      peer.answer(415, what);
    }
  }});
  TestClient caller(server.access());
  const auto patched = caller.await<ObjectPtr>([&](auto done) {
    caller.client.patch(config_ref(), "", client::PatchType::strategic, "{}", std::move(done));
  });
  ASSERT_FALSE(patched.has_value());
  EXPECT_EQ(patched.error().code, 415);
  EXPECT_EQ(requests.size(), 1u);
  const auto created = create_config(caller);
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, 415);
  EXPECT_EQ(requests.size(), 3u);
}

// A 404 of something in between says nothing about the object.
TEST(RemoteClient, BelievesOnlyTheApiServerThatSomethingIsGone) {
  ScriptedServer server({[](ScriptedConnection& peer) {
    peer.receive();
    peer.answer(404, "<html>not here</html>");
  }});
  TestClient caller(server.access());
  const auto got = caller.get(config_ref());
  ASSERT_FALSE(got.has_value());
  EXPECT_FALSE(is_not_found(got.error()));
  EXPECT_EQ(got.error().code, 404);
}

// safety.md I3: a write whose answer is lost may have been applied.
TEST(RemoteClient, AWriteWithoutAnAnswerIsUnknownAndNeverSentTwice) {
  for (const char* said : {"", "HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n{\"kind\":"}) {
    std::vector<std::string> requests;
    ScriptedServer server({[&](ScriptedConnection& peer) {
      requests.push_back(peer.receive());
      peer.answer(201, kConfigMap);
      requests.push_back(peer.receive());
      peer.send(said);
      peer.reset();
    }});
    TestClient caller(server.access());
    EXPECT_TRUE(create_config(caller).has_value());
    const auto lost = create_config(caller);
    ASSERT_FALSE(lost.has_value());
    EXPECT_GE(lost.error().code, 500);
    EXPECT_FALSE(client::is_not_sent(lost.error())) << lost.error().message;
    EXPECT_EQ(requests.size(), 2u);
    EXPECT_THAT(requests[1], StartsWith("POST /api/v1/namespaces/default/configmaps HTTP/1.1"));
  }
}

TEST(RemoteClient, AWriteThatCannotLeaveWasNotSent) {
  ClusterAccess nowhere;
  {
    ScriptedServer gone({});
    nowhere = gone.access();
  }
  TestClient caller(nowhere);
  const auto refused = create_config(caller);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(client::is_not_sent(refused.error())) << refused.error().message;
}

TEST(RemoteClient, AReadIsSentAgainWhenAKeptConnectionWasDead) {
  ScriptedServer server({[](ScriptedConnection& peer) {
                           peer.receive();
                           peer.answer(200, kConfigMap);
                           peer.receive();
                         },
                         [](ScriptedConnection& peer) {
                           peer.receive();
                           peer.answer(200, kConfigMap);
                         }});
  TestClient caller(server.access());
  EXPECT_TRUE(caller.get(config_ref()).has_value());
  EXPECT_TRUE(caller.get(config_ref()).has_value());
}

TEST(RemoteClient, ThrottledRequestsWaitAndGoAgain) {
  int asked = 0;
  ScriptedServer server({[&](ScriptedConnection& peer) {
    peer.receive();
    ++asked;
    peer.answer(429, "slow down", "Retry-After: 1\r\n");
    peer.receive();
    ++asked;
    peer.answer(201, kConfigMap);
  }});
  TestClient caller(server.access());
  const MonotonicTime before = caller.clock.monotonic();
  EXPECT_TRUE(create_config(caller).has_value());
  EXPECT_GE(caller.clock.monotonic() - before, seconds(1));
  EXPECT_EQ(asked, 2);
}

// Those that have not left yet do not take the place of the one that was told to wait.
TEST(RemoteClient, AThrottledServerIsLeftAloneByAll) {
  posix::PosixClock clock;
  MonotonicTime throttled;
  MonotonicTime next;
  ScriptedServer server({[&](ScriptedConnection& peer) {
    peer.receive();
    throttled = clock.monotonic();
    peer.answer(429, "slow down", "Retry-After: 1\r\n");
    peer.receive();
    next = clock.monotonic();
    peer.answer(200, kConfigMap);
    peer.receive();
    peer.answer(200, kConfigMap);
  }});
  Transport::Options options;
  options.connections = 1;
  TestClient caller(server.access(), options);
  int answered = 0;
  caller.loop.post([&] {
    for (int i = 0; i < 2; ++i) {
      caller.client.get(config_ref(), [&](const Result<ObjectPtr>& got) {
        EXPECT_TRUE(got.has_value());
        if (++answered == 2) {
          caller.loop.stop();
        }
      });
    }
  });
  caller.run();
  EXPECT_GE(next - throttled, seconds(1));
}

// A server that takes no more events takes all else: nothing waits for them.
TEST(RemoteClient, AnEventThatIsNotTakenKeepsNothingWaiting) {
  ScriptedServer server({[&](ScriptedConnection& peer) {
    for (int i = 0; i < 2; ++i) {
      if (peer.receive().starts_with("POST")) {
        peer.answer(429, "too many events", "Retry-After: 60\r\n");
      } else {
        peer.answer(200, kConfigMap);
      }
    }
  }});
  Transport::Options options;
  options.connections = 1;
  TestClient caller(server.access(), options);
  int code = 0;
  bool got_config = false;
  const client::ObjectRef event{&api::kinds::event(), "default", "e"};
  caller.loop.post([&] {
    caller.client.create(event, event.kind->make(), [&](const Result<ObjectPtr>& made) {
      code = made ? 0 : made.error().code;
      // Only now, so that it comes after the 429.
      caller.client.get(config_ref(), [&](const Result<ObjectPtr>& got) {
        got_config = got.has_value();
        caller.loop.stop();
      });
    });
  });
  caller.run();
  EXPECT_EQ(code, 429);
  EXPECT_TRUE(got_config);
}

// What a server says ends up in logs and events.
TEST(RemoteClient, WhatAServerSaysIsBoundedAndWithoutControlCharactersAndTokens) {
  const std::string token = "secret-token-0123456789";
  const std::string text =
      R"(no \u001b[31m\u0000\n)" + token + R"( good )" + std::string(100'000, 'x');
  ScriptedServer server({[&](ScriptedConnection& peer) {
    peer.receive();
    peer.answer(403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + text +
                         R"(","reason":"Forbidden","code":403})");
  }});
  ClusterAccess access = server.access();
  access.token = token;
  TestClient caller(access);
  const Result<ObjectPtr> refused = create_config(caller);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, ::testing::StartsWith("no [31m [redacted] good xxx"));
  EXPECT_LE(refused.error().message.size(), 2100u);
  EXPECT_TRUE(refused.error().message.ends_with("xxx..."));
}

// The same for protobuf, whose fields carry their lengths.
TEST(RemoteClient, ATokenIsTakenOutOfWhatAServerSaysInProtobuf) {
  const std::string token = "secret-token-0123456789";
  api::meta::v1::Status refusal;
  refusal.set_reason("Forbidden");
  refusal.set_message("the token " + token + " is not good");
  const std::string body = api::seal_envelope({"v1", "Status"}, refusal);
  ScriptedServer server({[&](ScriptedConnection& peer) {
    peer.receive();
    peer.send(
        "HTTP/1.1 403 X\r\nContent-Type: application/vnd.kubernetes.protobuf\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  }});
  ClusterAccess access = server.access();
  access.token = token;
  TestClient caller(access);
  const Result<ObjectPtr> refused = create_config(caller);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "the token [redacted] is not good");
}

TEST(RemoteClient, ARateIsKeptWhereOneIsWanted) {
  constexpr int kRequests = 6;
  ScriptedServer server({[](ScriptedConnection& peer) {
    for (int i = 0; i < kRequests; ++i) {
      peer.receive();
      peer.answer(200, kConfigMap);
    }
  }});
  Transport::Options options;
  options.connections = 1;
  options.requests_per_second = 20;
  options.burst = 2;
  TestClient caller(server.access(), options);
  const MonotonicTime before = caller.clock.monotonic();
  int answered = 0;
  caller.loop.post([&] {
    for (int i = 0; i < kRequests; ++i) {
      caller.client.get(config_ref(), [&](const Result<ObjectPtr>& got) {
        EXPECT_TRUE(got.has_value());
        if (++answered == kRequests) {
          caller.loop.stop();
        }
      });
    }
  });
  caller.run();
  EXPECT_EQ(answered, kRequests);
  EXPECT_GE(caller.clock.monotonic() - before, milliseconds(195));  // four have to wait
}

TEST(RemoteClient, TimeOutsAndLimitsHold) {
  ScriptedServer server({[](ScriptedConnection& peer) {
    peer.receive();
    peer.receive();  // until the client hangs up
  }});
  Transport::Options options;
  options.request_timeout = milliseconds(100);
  TestClient caller(server.access(), options);
  const auto got = create_config(caller);
  ASSERT_FALSE(got.has_value());
  EXPECT_THAT(got.error().message, HasSubstr("no answer in time"));
  EXPECT_FALSE(client::is_not_sent(got.error()));
  EXPECT_EQ(caller.transport.open_connections(), 0u);
}

// A write that waits, and may not be sent any more once its turn comes, never leaves.
TEST(RemoteClient, TheFenceIsAskedWhenAWriteLeaves) {
  int asked = 0;
  ScriptedServer server({[&](ScriptedConnection& peer) {
    peer.receive();
    ++asked;
    peer.answer(429, "later", "Retry-After: 1\r\n");
    if (!peer.receive().empty()) {
      ++asked;
    }
  }});
  ClusterAccess access = server.access();
  {
    TestClient caller(access);
    bool leads = true;
    RemoteClient fenced(caller.transport, caller.random, [&] { return leads; });
    const auto answer = caller.await<ObjectPtr>([&](auto done) {
      fenced.create(config_ref(), config_object(), std::move(done));
      caller.loop.schedule(milliseconds(500), [&] { leads = false; });
    });
    ASSERT_FALSE(answer.has_value());
    EXPECT_TRUE(client::is_not_sent(answer.error()));
  }
  EXPECT_EQ(asked, 1);
}

TEST(RemoteWatch, TellsEventsAndHowItEnded) {
  std::string asked;
  ScriptedServer server(
      {[&](ScriptedConnection& peer) {
         asked = peer.receive();
         peer.send(
             "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "
             "chunked\r\n\r\n");
         const std::string event = R"({"type":"ADDED","object":)" + std::string(kConfigMap) + "}\n";
         const std::string gone =
             R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"too old"}})"
             "\n";
         for (const std::string& line : {event.substr(0, 20), event.substr(20), gone}) {
           char size[20];
           std::snprintf(size, sizeof size, "%zx\r\n", line.size());
           peer.send(size + line + "\r\n");
         }
         peer.receive();
       },
       [&](ScriptedConnection& peer) {
         peer.receive();
         peer.answer(403, R"({"kind":"Status","apiVersion":"v1","code":403,"reason":"Forbidden"})");
       },
       [&](ScriptedConnection& peer) {
         peer.receive();
         peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"typ");
         peer.reset();
       }});
  TestClient caller(server.access());
  std::vector<std::string> told;
  for (int i = 0; i < 3; ++i) {
    std::unique_ptr<client::Watch> watch;
    caller.loop.post([&] {
      watch = caller.client.watch(
          {&api::kinds::config_map(), "default", "a=b", ""}, "5",
          {[&](const client::WatchEvent& event) { told.push_back(client::key_of(*event.object)); },
           [&](const Status& status) {
             told.push_back(std::to_string(status.code));
             caller.loop.stop();
           }});
    });
    caller.run();
  }
  EXPECT_EQ(told, (std::vector<std::string>{"c", "410", "403", "500"}));
  EXPECT_THAT(asked, StartsWith("GET /api/v1/namespaces/default/configmaps?labelSelector=a%3Db&"
                                "watch=true&allowWatchBookmarks=true&resourceVersion=5&"
                                "timeoutSeconds="));
}

void begin_stream(ScriptedConnection& peer) {
  peer.send(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void send_line(ScriptedConnection& peer, const std::string& line) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", line.size() + 1);
  peer.send(size + line + "\n\r\n");
}

TEST(RemoteClient, AnErrorEventOfAWatchIsBoundedAndWithoutTokens) {
  const std::string token = "secret-token-0123456789";
  ScriptedServer server({[&](ScriptedConnection& peer) {
    peer.receive();
    begin_stream(peer);
    send_line(peer, R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,)"
                    R"("reason":"Expired","message":"no )" +
                        token + std::string(100'000, 'x') + R"("}})");
    peer.receive();
  }});
  ClusterAccess access = server.access();
  access.token = token;
  TestClient caller(access);
  Status end;
  std::unique_ptr<client::Watch> watch;
  caller.loop.post([&] {
    watch = caller.client.watch({&api::kinds::config_map(), "default", "", ""}, "5",
                                {[](const client::WatchEvent&) {},
                                 [&](const Status& status) {
                                   end = status;
                                   caller.loop.stop();
                                 }});
  });
  caller.run();
  EXPECT_EQ(end.code, 410);
  EXPECT_THAT(end.message, StartsWith("no [redacted]xxx"));
  EXPECT_LE(end.message.size(), 2100u);
}

constexpr const char* kAdded =
    R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"u","resourceVersion":"7"}}})";
constexpr const char* kEndOfList =
    R"({"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})";

// A cache on a server that says what the script says; what it asked for and what it knows.
class StreamedLists : public ::testing::Test {
 protected:
  void follow(ScriptedServer& server, const client::Reflector::Options& options) {
    TestClient caller(server.access());
    net::testing::TextLog log;
    client::Informer<std::string> informer(
        {caller.client, caller.loop, caller.clock, caller.random, log},
        {&api::kinds::config_map(), "default", "", ""},
        [](const api::Message& object) { return client::key_of(object); }, options);
    informer.when_synced([&] {
      known = informer.size();
      version = informer.version();
      caller.loop.stop();
    });
    caller.loop.post([&] { informer.start(); });
    caller.run();
  }

  size_t known = 0;
  uint64_t version = 0;
};

TEST_F(StreamedLists, M81_TheListIsTheBeginningOfTheWatch) {
  std::string asked;
  ScriptedServer server({[&](ScriptedConnection& peer) {
    asked = peer.receive();
    begin_stream(peer);
    send_line(peer, kAdded);
    send_line(peer, kEndOfList);
    peer.receive();
  }});
  follow(server, {});
  EXPECT_EQ(known, 1u);
  EXPECT_EQ(version, 9u);
  EXPECT_THAT(asked, HasSubstr("watch=true&allowWatchBookmarks=true&timeoutSeconds="));
  EXPECT_THAT(asked, HasSubstr("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan HTTP"));
}

constexpr const char* kPage =
    R"({"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"8"},"items":[{"metadata":{"name":"c","uid":"u","resourceVersion":"7"}}]})";

// M82: a server whose gate WatchList is off.
TEST_F(StreamedLists, M82_AreListsInPagesWhereTheyAreRefused) {
  std::string listed;
  ScriptedServer server(
      {[&](ScriptedConnection& peer) {
         peer.receive();
         peer.answer(
             422,
             R"({"kind":"Status","apiVersion":"v1","code":422,"reason":"Invalid","message":"sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"})");
       },
       [&](ScriptedConnection& peer) {
         listed = peer.receive();
         peer.answer(200, kPage);
       }});
  follow(server, {});
  EXPECT_EQ(known, 1u);
  EXPECT_EQ(version, 8u);
  EXPECT_THAT(listed, HasSubstr("configmaps?limit=500 HTTP"));
}

// Old servers ignore what they do not know: all objects come, then only changes.
TEST_F(StreamedLists, AreListsInPagesWhereTheyAreNotUnderstood) {
  std::string listed;
  ScriptedServer server({[&](ScriptedConnection& peer) {
                           peer.receive();
                           begin_stream(peer);
                           send_line(peer, kAdded);
                           peer.receive();
                         },
                         [&](ScriptedConnection& peer) {
                           listed = peer.receive();
                           peer.answer(200, kPage);
                         }});
  client::Reflector::Options options;
  options.stream_quiet = milliseconds(50);
  follow(server, options);
  EXPECT_EQ(known, 1u);
  EXPECT_EQ(version, 8u);
  EXPECT_THAT(listed, HasSubstr("configmaps?limit=500 HTTP"));
}

// Takes connections until its queue is full, and then none: a client that comes hears nothing.
class DeafListener {
 public:
  explicit DeafListener(const net::Endpoint& endpoint) {
    fd_ = posix::FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(endpoint.port);
    ::inet_pton(AF_INET, endpoint.address.c_str(), &address.sin_addr);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_.get(), generic, sizeof address), 0);
    EXPECT_EQ(::listen(fd_.get(), 0), 0);
    for (int i = 0; i < 4; ++i) {
      waiting_.push_back(*net::begin_connect(endpoint));
    }
  }

 private:
  posix::FileDescriptor fd_;
  std::vector<posix::FileDescriptor> waiting_;
};

TEST(RemoteClient, AnAddressThatSaysNothingLeavesTimeForTheNext) {
  ScriptedServer server({[](ScriptedConnection& peer) {
    peer.receive();
    peer.answer(200, kConfigMap);
  }});
  ClusterAccess access = server.access();
  const net::Endpoint good = {access.server.host, access.server.port};
  const net::Endpoint deaf = {"127.0.0.2", access.server.port};
  const DeafListener listener(deaf);
  access.server.host = "two-addresses";
  TestClient caller(access);
  Dialer dialer(caller.loop, caller.clock, caller.credentials, true,
                [&](const std::string&, uint16_t) {
                  return std::vector<net::Endpoint>{deaf, good};
                });
  Transport::Options options;
  options.request_timeout = seconds(5);
  Transport transport(caller.loop, caller.clock, caller.random, dialer, options);
  RemoteClient client(transport, caller.random);
  const auto got =
      caller.await<ObjectPtr>([&](auto done) { client.get(config_ref(), std::move(done)); });
  EXPECT_TRUE(got.has_value()) << got.error().message;
}

class TlsServers : public ::testing::Test {
 protected:
  TlsServers() {
    authority = *net::make_authority("ca", clock.now());
    other = *net::make_authority("other", clock.now());
  }
  std::unique_ptr<net::testing::TestServer> serve(const std::vector<std::string>& names) {
    const auto certified = *net::issue_server(authority, names, clock.now());
    net::ServerOptions options;
    options.tls = *net::TlsContext::make(
        {certified.certificate_pem, certified.key_pem, authority.certificate_pem});
    net::testing::LambdaHandler handler;
    handler.on_core = [](const http::Request& request, const net::testing::ExchangePtr& exchange) {
      const auto told = http::find_header(request.headers, "Authorization");
      exchange->respond({200,
                         {{"Content-Type", "application/json"}},
                         R"({"kind":"ConfigMap","apiVersion":"v1","data":{"who":")" +
                             request.peer.common_name + std::string(told.value_or("")) + "\"}}"});
    };
    return std::make_unique<net::testing::TestServer>(std::move(options), std::move(handler));
  }
  static ClusterAccess access_to(const net::testing::TestServer& server,
                                 const std::string& authority_pem) {
    ClusterAccess access;
    access.server = {true, "127.0.0.1", server.server->endpoint().port, ""};
    access.authority_pem = authority_pem;
    return access;
  }
  // Who the server thinks is there, or why there was no talk.
  static std::string who(const ClusterAccess& access) {
    TestClient caller(access);
    const auto got = caller.get(config_ref());
    return got ? static_cast<const api::core::v1::ConfigMap&>(**got).data().at("who")
               : got.error().message;
  }

  posix::PosixClock clock;
  net::CertifiedKey authority;
  net::CertifiedKey other;
};

TEST_F(TlsServers, AreVerifiedByNameAndAuthority) {
  const auto server = serve({"127.0.0.1"});
  EXPECT_EQ(who(access_to(*server, authority.certificate_pem)), "");
  EXPECT_EQ(who(access_to(*server, other.certificate_pem + authority.certificate_pem)), "");
  EXPECT_THAT(who(access_to(*server, other.certificate_pem)), HasSubstr("certificate"));
  EXPECT_THAT(who(access_to(*server, "")), HasSubstr("certificate"));
  EXPECT_THAT(who(access_to(*server, "not PEM")), HasSubstr("read certificates"));

  const auto misnamed = serve({"10.1.2.3", "kubernetes"});
  ClusterAccess access = access_to(*misnamed, authority.certificate_pem);
  EXPECT_THAT(who(access), HasSubstr("IP address mismatch"));
  access.tls_server_name = "kubernetes";
  EXPECT_EQ(who(access), "");
  access.tls_server_name = "other";
  EXPECT_THAT(who(access), HasSubstr("hostname mismatch"));
  access.authority_pem.clear();
  access.verify = false;
  EXPECT_EQ(who(access), "");
}

// A kubeconfig may name only the intermediate authority that has signed the server's certificate.
TEST_F(TlsServers, AreTrustedBelowAnIntermediateAuthorityAlone) {
  const net::X509Handle intermediate = *net::read_certificate(authority.certificate_pem);
  const net::X509Handle root = *net::read_certificate(other.certificate_pem);
  X509_set_issuer_name(intermediate.get(), X509_get_subject_name(root.get()));
  ASSERT_GT(X509_sign(intermediate.get(), net::read_key(other.key_pem)->get(), EVP_sha256()), 0);
  const auto server = serve({"127.0.0.1"});
  EXPECT_EQ(who(access_to(*server, net::certificate_pem(intermediate.get()))), "");
}

TEST_F(TlsServers, SeeTokensAndCertificates) {
  const auto server = serve({"127.0.0.1"});
  ClusterAccess access = access_to(*server, authority.certificate_pem);
  const auto certified = *net::issue_client(authority, "alice", {}, clock.now());
  access.certificate_pem = certified.certificate_pem;
  access.key_pem = certified.key_pem;
  EXPECT_EQ(who(access), "alice");
  access.token = "t0ken";
  EXPECT_EQ(who(access), "aliceBearer t0ken");
  access.token = "bad\r\nHost: x";
  EXPECT_THAT(who(access), HasSubstr("the token is empty or has invalid characters"));
}

// The first request waits for the plugin; when the server refuses what it told, it is asked again.
TEST(RemoteClient, CredentialsComeFromAPlugin) {
  ScriptedServer server({[](ScriptedConnection& peer) {
    EXPECT_THAT(peer.receive(), HasSubstr("Authorization: Bearer token-1\r\n"));
    peer.answer(401, "{}");
    EXPECT_THAT(peer.receive(), HasSubstr("Authorization: Bearer token-2\r\n"));
    peer.answer(200, kConfigMap);
  }});
  ClusterAccess access = server.access();
  access.exec.emplace();
  int asked = 0;
  TestClient caller(access, {}, [&](const ExecPlugin&, auto done) -> std::shared_ptr<void> {
    const std::string token = "token-" + std::to_string(++asked);
    caller.loop.post([done, token] { done(PluginCredential{token, "", "", {}}); });
    return std::make_shared<int>(0);
  });
  const auto pod = caller.get(config_ref());
  EXPECT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ(asked, 2);
}

// A plugin may take longer than a server is given: its time is not the server's.
TEST(RemoteClient, ASlowPluginCostsNoRequestItsTime) {
  ScriptedServer server({[](ScriptedConnection& peer) {
    peer.receive();
    peer.answer(200, kConfigMap);
  }});
  ClusterAccess access = server.access();
  access.exec.emplace();
  Transport::Options options;
  options.request_timeout = milliseconds(200);
  TestClient caller(access, options, [&](const ExecPlugin&, auto done) -> std::shared_ptr<void> {
    caller.loop.schedule(milliseconds(500), [done] {
      done(PluginCredential{"token", "", "", {}});
    });
    return std::make_shared<int>(0);
  });
  const auto got = caller.get(config_ref());
  EXPECT_TRUE(got.has_value()) << got.error().message;
}

TEST(RemoteClient, WithoutAnswerFromThePluginNothingIsSent) {
  ScriptedServer server({});
  ClusterAccess access = server.access();
  access.exec.emplace();
  TestClient caller(access, {}, [&](const ExecPlugin&, auto done) -> std::shared_ptr<void> {
    caller.loop.post([done] { done(fail(plain_error("no such program"))); });
    return std::make_shared<int>(0);
  });
  const auto pod = caller.get(config_ref());
  ASSERT_FALSE(pod.has_value());
  EXPECT_THAT(pod.error().message, HasSubstr("no such program"));
}

}  // namespace
}  // namespace windlass::remote
