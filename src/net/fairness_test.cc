// That no client takes what others need, over real sockets: connections, watches, reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/testing.h"

namespace windlass::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;
using Rank = http::Caller::Rank;

// Keeps what it is asked. Who asks is in a header: `User: viewer`.
struct Users {
  std::vector<ExchangePtr> exchanges;

  LambdaHandler handler() {
    LambdaHandler lambdas;
    lambdas.at_once["/now"] = {200, {}, "now"};
    lambdas.on_core = [this](const http::Request&, const ExchangePtr& exchange) {
      exchanges.push_back(exchange);
    };
    lambdas.identify_with = [](const http::Headers& headers, const http::Peer&) {
      const std::string user(http::find_header(headers, "User").value_or(""));
      const Rank rank = user.empty()                ? Rank::unknown
                        : user == "admin"           ? Rank::admin
                        : user.starts_with("node-") ? Rank::node
                                                    : Rank::ordinary;
      return http::Caller{user, rank};
    };
    return lambdas;
  }
};

struct FairServer {
  explicit FairServer(const std::function<void(ServerLimits&)>& change)
      : server(options_with(change), users.handler()) {}
  ~FairServer() {
    server.on_core([this] { users.exchanges.clear(); });
  }

  static ServerOptions options_with(const std::function<void(ServerLimits&)>& change) {
    ServerOptions options;
    options.io_threads = 1;
    change(options.limits);
    return options;
  }
  std::unique_ptr<Client> connect(const std::string& from = "") {
    return std::make_unique<Client>(server.server->endpoint(), 0, from);
  }
  std::vector<std::unique_ptr<Client>> connect_many(int count, const std::string& from) {
    std::vector<std::unique_ptr<Client>> idle;
    for (int i = 0; i < count; ++i) {
      idle.push_back(connect(from));
    }
    return idle;
  }
  static std::string user_header(const std::string& user) {
    return user.empty() ? "" : "User: " + user + "\r\n";
  }
  int status_of(const std::string& line, const std::string& user) {
    const auto client = connect();
    client->request(line, user_header(user));
    return client->receive().status;
  }
  // How many of these are kept at once, one per connection, before one is refused.
  size_t kept(const std::string& line, const std::string& user, const std::string& from = "") {
    for (size_t i = 0;; ++i) {
      size_t before = 0;
      server.on_core([&] { before = users.exchanges.size(); });
      auto client = connect(from);
      client->request(line, user_header(user));
      const bool taken = server.wait_until([&] {
        return users.exchanges.size() > before || server.server->statistics().throttled > refused;
      });
      EXPECT_TRUE(taken);
      if (server.server->statistics().throttled > refused) {
        ++refused;
        EXPECT_EQ(client->receive().status, 429);
        return i;
      }
      clients.push_back(std::move(client));
    }
  }

  Users users;
  TestServer server;
  std::vector<std::unique_ptr<Client>> clients;
  uint64_t refused = 0;
};

TEST(Fairness, IdleConnectionsThatAnybodyCouldOpenMakeRoom) {
  FairServer fair([](ServerLimits& limits) { limits.connections = 8; });
  const auto watcher = fair.connect();
  watcher->request("GET /pods?watch=1", FairServer::user_header("viewer"));
  const auto idle_admin = fair.connect();
  idle_admin->request("GET /now", FairServer::user_header("admin"));
  EXPECT_EQ(idle_admin->receive().status, 200);
  ASSERT_TRUE(fair.server.wait_until([&] { return fair.users.exchanges.size() == 1; }));
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(fair.connect());
  }
  EXPECT_EQ(fair.status_of("GET /now", ""), 200);
  EXPECT_EQ(fair.status_of("GET /now", "admin"), 200);
  // Those that have proven who they are stay.
  idle_admin->request("GET /now", FairServer::user_header("admin"));
  EXPECT_EQ(idle_admin->receive().status, 200);
  fair.server.on_core([&] {
    fair.users.exchanges[0]->start(200, {});
    fair.users.exchanges[0]->write(std::make_shared<const std::string>("event"));
  });
  EXPECT_THAT(watcher->receive_until("event"), HasSubstr("200"));
  EXPECT_EQ(fair.server.server->statistics().turned_away, 0u);
  EXPECT_GE(fair.server.server->statistics().displaced, 34u);
}

TEST(Fairness, AnAddressThatOpensManyConnectionsTakesNoRoomFromAnother) {
  FairServer fair([](ServerLimits& limits) { limits.connections = 16; });
  const auto quiet = fair.connect("127.0.0.2");
  ASSERT_TRUE(soon([&] { return fair.server.server->statistics().connections == 1; }));
  const auto greedy = fair.connect_many(40, "127.0.0.3");
  EXPECT_EQ(fair.status_of("GET /now", ""), 200);
  quiet->request("GET /now");
  EXPECT_EQ(quiet->receive().status, 200) << "the oldest of all, and the only one of its address";
  EXPECT_EQ(fair.server.server->statistics().turned_away, 0u);
}

// All local users have one address: the newest gets in.
TEST(Fairness, BeforeItIsProvenOneAddressHasAShareOfTheConnections) {
  FairServer fair([](ServerLimits& limits) { limits.connections = 16; });
  const auto proven = fair.connect();
  proven->request("GET /now", FairServer::user_header("viewer"));
  EXPECT_EQ(proven->receive().status, 200);
  const auto idle = fair.connect_many(12, "");
  ASSERT_TRUE(soon([&] { return fair.server.server->statistics().displaced == 8; }));
  EXPECT_EQ(idle[0]->receive_rest(), "") << "the oldest goes first";
  idle.back()->request("GET /now");
  EXPECT_EQ(idle.back()->receive().status, 200);
  proven->request("GET /now", FairServer::user_header("viewer"));
  EXPECT_EQ(proven->receive().status, 200) << "it does not count any more";
}

TEST(Fairness, ManyAddressesTogetherMakeRoomOldestFirst) {
  FairServer fair([](ServerLimits& limits) {
    limits.connections = 16;
    limits.address_share = 8;
  });
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(fair.connect("127.0.1." + std::to_string(100 - i)));
  }
  EXPECT_EQ(fair.status_of("GET /now", "admin"), 200);
  clients.back()->request("GET /now");
  EXPECT_EQ(clients.back()->receive().status, 200);
  EXPECT_EQ(clients.front()->receive_rest(), "");
}

TEST(Fairness, ConnectionsThatWaitForTheirNextRequestMakeRoomAfterThose) {
  FairServer fair([](ServerLimits& limits) { limits.connections = 4; });
  std::vector<std::unique_ptr<Client>> idle;
  for (const char* user : {"a", "b", "c", "d"}) {
    idle.push_back(fair.connect());
    idle.back()->request("GET /now", FairServer::user_header(user));
    EXPECT_EQ(idle.back()->receive().status, 200);
  }
  EXPECT_EQ(fair.status_of("GET /now", "admin"), 200);
  EXPECT_EQ(idle[0]->receive_rest(), "") << "the oldest";
}

TEST(Fairness, OneUserHasAShareOfTheConnections) {
  FairServer fair([](ServerLimits& limits) { limits.connections = 16; });
  for (int i = 0; i < 4; ++i) {
    fair.clients.push_back(fair.connect());
    fair.clients.back()->request("GET /now", FairServer::user_header("viewer"));
    EXPECT_EQ(fair.clients.back()->receive().status, 200);
  }
  EXPECT_EQ(fair.status_of("GET /now", "viewer"), 429);
  EXPECT_EQ(fair.status_of("GET /now", "other"), 200);
  // One that ends makes room for the next.
  fair.clients.erase(fair.clients.begin());
  ASSERT_TRUE(soon([&] { return fair.server.server->statistics().connections == 3; }));
  EXPECT_EQ(fair.status_of("GET /now", "viewer"), 200);
}

TEST(Fairness, NoUserHasAllTheWatches) {
  FairServer fair([](ServerLimits& limits) {
    limits.long_running = 32;
    limits.connections = 1000;
  });
  const std::string watch = "GET /pods?watch=1";
  EXPECT_EQ(fair.kept(watch, "viewer"), 8u);
  EXPECT_EQ(fair.kept(watch, "other"), 8u);
  EXPECT_EQ(fair.kept(watch, ""), 2u) << "one address has a quarter of their share";
  for (const char* from : {"127.0.0.2", "127.0.0.3", "127.0.0.4"}) {
    EXPECT_EQ(fair.kept(watch, "", from), 2u);
  }
  EXPECT_EQ(fair.kept(watch, "", "127.0.0.5"), 0u) << "all without credentials are one";
  EXPECT_EQ(fair.kept(watch, "third"), 0u) << "a quarter is kept for nodes and admins";
  EXPECT_EQ(fair.kept(watch, "node-a"), 6u) << "and some of that for admins";
  EXPECT_EQ(fair.kept(watch, "admin"), 2u);
}

TEST(Fairness, NoUserHasAllTheMemoryForBodies) {
  constexpr size_t kMegabyte = 1'000'000;
  FairServer fair([](ServerLimits& limits) { limits.buffered_body_bytes = 4 * kMegabyte; });
  const std::string most(kMegabyte * 9 / 10, 'x');
  size_t held = 0;
  // Sends all but the last byte of a body; false when it is refused.
  const auto hold = [&](const std::string& user) {
    fair.clients.push_back(fair.connect());
    const std::string length = "Content-Length: " + std::to_string(most.size() + 1) + "\r\n";
    fair.clients.back()->request("POST /pods", FairServer::user_header(user) + length, most);
    ServerStatistics now;
    EXPECT_TRUE(soon([&] {
      now = fair.server.server->statistics();
      return now.buffered_request_bytes >= held + most.size() || now.throttled > fair.refused;
    }));
    const bool refused = now.throttled > fair.refused;
    fair.refused = now.throttled;
    held += refused ? 0 : most.size();
    return !refused;
  };
  EXPECT_TRUE(hold("greedy"));
  EXPECT_FALSE(hold("greedy"));
  EXPECT_TRUE(hold("other"));
  EXPECT_FALSE(hold("greedy"));
  EXPECT_TRUE(hold("third"));
  EXPECT_FALSE(hold("fourth")) << "a quarter is kept for nodes and admins";
  EXPECT_TRUE(hold("node-a"));
}

TEST(Fairness, NoUserHasAllTheReadsOrWrites) {
  FairServer fair([](ServerLimits& limits) {
    limits.reads_in_flight = 16;
    limits.writes_in_flight = 8;
    limits.connections = 1000;
  });
  EXPECT_EQ(fair.kept("GET /pods", "viewer"), 4u);
  EXPECT_EQ(fair.status_of("GET /now", "other"), 200);
  EXPECT_EQ(fair.kept("POST /events", "node-a"), 2u);
  EXPECT_EQ(fair.kept("POST /events", "admin"), 6u);
}

}  // namespace
}  // namespace windlass::net
