// DELETE of a collection on a store that takes only so many writes at once: api.md M55.
#include <gtest/gtest.h>

#include "apiserver/rest/rest_testing.h"
#include "verify/journals/delayed_journal.h"

namespace windlass::apiserver {
namespace {

constexpr size_t kPendingWrites = 64;
constexpr size_t kObjects = 1'000;

struct SlowStore : testing::Test {
  std::shared_ptr<FakeExchange> send(http::Request request) {
    auto exchange = std::make_shared<FakeExchange>();
    request.headers.push_back({"Authorization", "Bearer t"});
    Prepared prepared = handler.prepare(std::move(request));
    std::get<std::unique_ptr<http::Call>>(prepared)->run(exchange);
    world.run_for(seconds(60));
    return exchange;
  }

  virtual_world::VirtualWorld world{1};
  store::DelayedJournal journal{world.executor(), world.random(), milliseconds(1)};
  store::Store store{&journal, {.pending_writes = kPendingWrites}};
  Server server{store, world.clock(), world.random(), api::FeatureGates()};
  RestHandler handler{
      server,
      world.executor(),
      world.clock(),
      world.random(),
      Authenticator({{digest_of_token("t"), authenticated_user("admin", {"system:masters"})}}),
      {}};
};

TEST_F(SlowStore, M55_AllOfThemGo) {
  server.create_system_namespaces();
  for (size_t i = 0; i < kObjects; ++i) {
    const ObjectRef ref{&api::kinds::config_map(), "default", "m" + std::to_string(i)};
    ASSERT_TRUE(server.create(ref, ref.kind->make()).answer.has_value()) << i;
    world.run_for(milliseconds(2));
  }
  const auto deleted = send({"DELETE", "/api/v1/namespaces/default/configmaps", {}, "", {}});
  EXPECT_EQ(deleted->status, 200) << deleted->body;
  EXPECT_TRUE(deleted->finished);
  EXPECT_GT(deleted->chunks.size(), 1u) << "the answer is as long as a list, and streamed like one";
  EXPECT_TRUE(store.list({.resource = "configmaps"})->items.empty());
}

TEST_F(SlowStore, M55_OnlyThoseThatMatchGoFromHoweverMany) {
  server.create_system_namespaces();
  for (size_t i = 0; i < kObjects; ++i) {
    const ObjectRef ref{&api::kinds::config_map(), "default", "m" + std::to_string(i)};
    const char* labels = i % 10 == 0 ? R"({"metadata":{"labels":{"a":"b"}}})" : "{}";
    ASSERT_TRUE(server.create(ref, from_json(*ref.kind, labels)).answer.has_value()) << i;
    world.run_for(milliseconds(2));
  }
  const auto deleted =
      send({"DELETE", "/api/v1/namespaces/default/configmaps?labelSelector=a%3Db", {}, "", {}});
  EXPECT_EQ(deleted->status, 200) << deleted->body;
  EXPECT_EQ(store.list({.resource = "configmaps"})->items.size(), kObjects - kObjects / 10);
}

}  // namespace
}  // namespace windlass::apiserver
