// Watches through the whole handler: api.md 4.6.
#include "apiserver/rest/rest_testing.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WatchCallTest : public RestTest {
 protected:
  static constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

  static std::vector<std::string> lines(const FakeExchange& exchange) {
    std::vector<std::string> all;
    for (const http::Chunk& chunk : exchange.chunks) {
      for (size_t at = 0; at < chunk->size();) {
        const size_t end = chunk->find('\n', at);
        all.push_back(chunk->substr(at, end - at));
        at = end == std::string::npos ? chunk->size() : end + 1;
      }
    }
    return all;
  }
  // `ADDED a@7`, one for each line.
  static std::vector<std::string> frames(const FakeExchange& exchange) {
    std::vector<std::string> seen;
    for (const std::string& line : lines(exchange)) {
      const auto part = [&](const std::string& before) {
        const size_t at = line.find(before);
        if (at == std::string::npos) {
          return std::string();
        }
        const size_t begin = at + before.size();
        return line.substr(begin, line.find('"', begin) - begin);
      };
      const std::string name = part("\"name\":\"");
      seen.push_back(part("{\"type\":\"") + (name.empty() ? "" : " " + name) + "@" +
                     part("\"resourceVersion\":\""));
    }
    return seen;
  }
  std::string revision() { return std::to_string(store.revision()); }
  void add(const std::string& name, const std::string& metadata = "{}") {
    must_create(config_map(name), R"({"metadata":)" + metadata + "}");
    settle();
  }
  void set_label(const std::string& name, const std::string& value) {
    auto changed = copy_of(*stored(config_map(name)));
    (*api::mutable_metadata_of(*changed).mutable_labels())["l"] = value;
    ASSERT_TRUE(server.update(config_map(name), "", std::move(changed)).answer);
    settle();
  }
};

TEST_F(WatchCallTest, M75_TheHeadGoesOutAtOnce) {
  const auto watch = get(std::string(kMaps) + "?watch=true&resourceVersion=" + revision());
  EXPECT_EQ(watch->status, 200);
  EXPECT_EQ(watch->header("Content-Type"), "application/json");
  EXPECT_FALSE(watch->finished);
  EXPECT_EQ(watch->body, "");
  EXPECT_EQ(handler.open_streams(), 1u);
}

TEST_F(WatchCallTest, M75_AWatchThatMatchesLittleLeavesOthersTheirTurn) {
  for (int i = 0; i < 1000; ++i) {
    must_create(config_map("a" + std::to_string(i)), "{}");
  }
  const auto watch = std::make_shared<FakeExchange>();
  begin(request("GET", std::string(kMaps) +
                           "?watch=1&labelSelector=no%3Dmatch&sendInitialEvents=true&"
                           "resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watch);
  while (!watch->answered && world.step()) {
  }
  bool before_its_end = false;
  world.executor().post([&] { before_its_end = watch->body.empty(); });
  settle();
  EXPECT_TRUE(before_its_end);
  EXPECT_THAT(watch->body, HasSubstr("k8s.io/initial-events-end"));
  EXPECT_EQ(lines(*watch).size(), 1u);
}

TEST_F(WatchCallTest, M76_M78_X3_EventsInOrderEachInOneFrame) {
  add("before");
  const std::string start = revision();
  const auto watch = get(std::string(kMaps) + "?watch=1&resourceVersion=" + start);
  add("a");
  set_label("a", "1");
  server.remove(config_map("a"), {});
  settle();
  const uint64_t first = std::stoull(start) + 1;
  EXPECT_THAT(frames(*watch), ElementsAre("ADDED a@" + std::to_string(first),
                                          "MODIFIED a@" + std::to_string(first + 1),
                                          "DELETED a@" + std::to_string(first + 2)));
  EXPECT_THAT(*watch->chunks[0],
              StartsWith(R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1",)"));
  EXPECT_EQ(watch->chunks[0]->back(), '\n');
}

TEST_F(WatchCallTest, M78_WithoutAVersionItBeginsWithWhatThereIs) {
  add("b");
  add("a");
  for (const char* version : {"", "&resourceVersion=0"}) {
    const auto watch = get(std::string(kMaps) + "?watch=true" + version);
    const auto seen = frames(*watch);
    ASSERT_EQ(seen.size(), 2u) << version;
    EXPECT_THAT(seen[0], StartsWith("ADDED a@"));
    EXPECT_THAT(seen[1], StartsWith("ADDED b@"));
  }
}

TEST_F(WatchCallTest, M77_WhatStopsMatchingIsDeletedWithItsOldContent) {
  add("a", R"({"labels":{"l":"1"}})");
  const auto watch =
      get(std::string(kMaps) + "?watch=true&labelSelector=l%3D1&resourceVersion=" + revision());
  set_label("a", "2");
  set_label("a", "1");
  const auto seen = frames(*watch);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen[0], StartsWith("DELETED a@"));
  EXPECT_THAT(*watch->chunks[0], HasSubstr(R"("labels":{"l":"1"})"));
  EXPECT_THAT(seen[1], StartsWith("ADDED a@"));
}

TEST_F(WatchCallTest, AnEventIsEncodedOnceForAllWhoWatchIt) {
  std::vector<std::shared_ptr<FakeExchange>> watches;
  for (int i = 0; i < 20; ++i) {
    watches.push_back(get(std::string(kMaps) + "?watch=true&resourceVersion=" + revision()));
  }
  add("a");
  for (const auto& watch : watches) {
    ASSERT_EQ(watch->chunks.size(), 1u);
    EXPECT_EQ(watch->chunks[0].get(), watches[0]->chunks[0].get())
        << "the same bytes, not equal ones";
  }
}

TEST_F(WatchCallTest, WhatComesTogetherIsSentInOnePieceThatAllShare) {
  const std::string start = revision();
  const auto first = get(std::string(kMaps) + "?watch=true&resourceVersion=" + start);
  const auto second = get(std::string(kMaps) + "?watch=true&resourceVersion=" + start);
  const auto everywhere = get("/api/v1/configmaps?watch=true&resourceVersion=" + start);
  for (const char* name : {"a", "b", "c"}) {
    must_create(config_map(name), "{}");
  }
  settle();
  ASSERT_EQ(first->chunks.size(), 1u);
  EXPECT_EQ(lines(*first).size(), 3u);
  EXPECT_EQ(second->chunks.at(0).get(), first->chunks[0].get());
  EXPECT_EQ(everywhere->chunks.at(0).get(), first->chunks[0].get());
  // What was there before looks the same by its revisions, but is told in another way.
  ASSERT_TRUE(server.remove(config_map("b"), {}).answer);
  settle();
  const auto late = get(std::string(kMaps) + "?watch=true&resourceVersion=0");
  EXPECT_EQ(frames(*late).size(), 2u);
  const auto resumed = get(std::string(kMaps) + "?watch=true&resourceVersion=" + start);
  EXPECT_EQ(frames(*resumed), frames(*first));
}

TEST_F(WatchCallTest, AThousandWatchersAreOneToTheStore) {
  for (int i = 0; i < 1'000; ++i) {
    get(std::string(kMaps) + "?watch=true&resourceVersion=" + revision());
  }
  EXPECT_EQ(handler.open_streams(), 1'000u);
  must_create(config_map("a"), "{}");
  int tasks = 0;
  while (world.step()) {
    ++tasks;
  }
  EXPECT_LE(tasks, 8) << "a slice of them at a time, not a task for each";
}

TEST_F(WatchCallTest, M84_AQuietWatchStaysOpen) {
  const auto watch = get(std::string(kMaps) + "?watch=true&resourceVersion=" + revision());
  world.run_for(minutes(29));
  EXPECT_FALSE(watch->finished);
}

TEST_F(WatchCallTest, M2_TheOlderPathsOfAWatch) {
  add("a");
  const auto watch = get("/api/v1/watch/namespaces/default/configmaps");
  EXPECT_FALSE(watch->finished);
  EXPECT_THAT(watch->body, StartsWith(R"({"type":"ADDED")"));
  EXPECT_THAT(get("/api/v1/watch/configmaps")->body, StartsWith(R"({"type":"ADDED")"));
}

TEST_F(WatchCallTest, M79_M20d_TooOldIsToldInsideTheStream) {
  store::StoreLimits limits;
  limits.history_events = 4;
  store::Store small(nullptr, limits);
  Server old_server(small, world.clock(), world.random(), api::FeatureGates());
  old_server.create_system_namespaces();
  RestHandler old_handler(old_server, world.executor(), world.clock(), world.random(),
                          test_authenticator(), {});
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(
        old_server
            .create(config_map("m" + std::to_string(i)), from_json(api::kinds::config_map(), "{}"))
            .answer);
  }
  auto prepared =
      old_handler.prepare(request("GET", std::string(kMaps) + "?watch=true&resourceVersion=5"));
  const auto exchange = std::make_shared<FakeExchange>();
  std::get<std::unique_ptr<http::Call>>(prepared)->run(exchange);
  settle();
  EXPECT_EQ(exchange->status, 200);
  EXPECT_THAT(exchange->body,
              AllOf(StartsWith(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1",)"
                               R"("metadata":{},"status":"Failure","message":)"
                               R"("too old resource version: 5 ()"),
                    HasSubstr(R"("reason":"Expired","code":410}})")));
  EXPECT_TRUE(exchange->finished);
}

TEST_F(WatchCallTest, M80_BookmarksOnlyForThoseWhoAskForThem) {
  const std::string start = "&timeoutSeconds=300&resourceVersion=" + revision();
  const auto with = get(std::string(kMaps) + "?watch=true&allowWatchBookmarks=true" + start);
  const auto without = get(std::string(kMaps) + "?watch=true" + start);
  must_create_pod("elsewhere");
  world.run_for(seconds(61));
  EXPECT_THAT(frames(*with), ElementsAre("BOOKMARK@" + revision()));
  EXPECT_THAT(*with->chunks[0],
              StartsWith(R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1",)"
                         R"("metadata":{"resourceVersion":")"));
  world.run_for(seconds(240));
  EXPECT_TRUE(with->finished);
  EXPECT_EQ(with->chunks.size(), 5u) << "each minute, and once before the end";
  EXPECT_EQ(without->chunks.size(), 0u);
}

TEST_F(WatchCallTest, M81_X2_WatchListEndsItsBeginningWithABookmarkEvenWhenThereIsNothing) {
  const std::string query =
      "?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch="
      "true";
  const auto empty = get(std::string(kMaps) + query);
  ASSERT_EQ(empty->chunks.size(), 1u);
  EXPECT_THAT(empty->body, HasSubstr(R"("annotations":{"k8s.io/initial-events-end":"true"})"));

  add("a");
  const auto one = get(std::string(kMaps) + query);
  add("b");
  ASSERT_EQ(one->chunks.size(), 3u);
  EXPECT_THAT(*one->chunks[0], AllOf(HasSubstr("ADDED"), HasSubstr(R"("name":"a")")));
  EXPECT_THAT(*one->chunks[1], HasSubstr("initial-events-end"));
  EXPECT_THAT(*one->chunks[2], AllOf(HasSubstr("ADDED"), HasSubstr(R"("name":"b")")));

  const auto silent = get(std::string(kMaps) +
                          "?resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true");
  EXPECT_EQ(lines(*silent).size(), 2u) << "no bookmark was allowed";
}

TEST_F(WatchCallTest, M82_CombinationsThatMakeNoSense) {
  const auto no_match = get(std::string(kMaps) + "?watch=true&sendInitialEvents=true");
  EXPECT_EQ(no_match->status, 422);
  EXPECT_THAT(no_match->body,
              HasSubstr("ListOptions.meta.k8s.io \\\"\\\" is invalid: resourceVersionMatch: "
                        "Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
                        "NotOlderThan"));
  const auto no_initial =
      get(std::string(kMaps) + "?watch=true&resourceVersion=1&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(no_initial->status, 422);
  EXPECT_THAT(no_initial->body, HasSubstr("resourceVersionMatch is forbidden for watch unless "
                                          "sendInitialEvents is provided"));
  const auto legal = get(std::string(kMaps) +
                         "?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(legal->status, 200);
}

TEST_F(WatchCallTest, M83_TheStreamEndsCleanlyAfterItsTime) {
  const auto watch = get(std::string(kMaps) + "?watch=true&timeoutSeconds=5");
  world.run_for(seconds(4));
  EXPECT_FALSE(watch->finished);
  world.run_for(seconds(2));
  EXPECT_TRUE(watch->finished);
  EXPECT_FALSE(watch->aborted);
  EXPECT_EQ(handler.open_streams(), 0u);
  const auto endless = get(std::string(kMaps) + "?watch=true");
  world.run_for(minutes(29));
  EXPECT_FALSE(endless->finished);
  world.run_for(minutes(32));
  EXPECT_TRUE(endless->finished);
}

TEST_F(WatchCallTest, M85_TableWatchNamesItsColumnsOnce) {
  add("a");
  const auto watch =
      get(std::string(kMaps) + "?watch=true&resourceVersion=0",
          {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}});
  add("b");
  ASSERT_EQ(watch->chunks.size(), 2u);
  EXPECT_THAT(*watch->chunks[0],
              AllOf(StartsWith(R"({"type":"ADDED","object":{"kind":"Table",)"
                               R"("apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":")"),
                    HasSubstr(R"("columnDefinitions":[{"name":"Name")")));
  EXPECT_THAT(*watch->chunks[1],
              AllOf(HasSubstr(R"("columnDefinitions":null,"rows":[{"cells":["b")"),
                    HasSubstr(R"("kind":"PartialObjectMetadata")")));
}

TEST_F(WatchCallTest, M86_WatchOfAnObjectByItsPathIsAGet) {
  add("a");
  const auto answer = get(std::string(kMaps) + "/a?watch=true");
  EXPECT_TRUE(answer->finished);
  EXPECT_THAT(answer->body, StartsWith(R"({"kind":"ConfigMap")"));
  const auto old_form = get("/api/v1/watch/namespaces/default/configmaps/a");
  EXPECT_FALSE(old_form->finished);
  EXPECT_THAT(old_form->body, StartsWith(R"({"type":"ADDED")"));
}

TEST_F(WatchCallTest, M86_WatchOfAnObjectByItsPathStaysWithItWhateverElseIsSelected) {
  add("a");
  add("b");
  const std::string path = "/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=";
  const auto selected = get(path + "metadata.namespace%3Ddefault");
  ASSERT_EQ(lines(*selected).size(), 1U) << selected->body;
  EXPECT_THAT(selected->body, HasSubstr(R"("name":"a")"));
  EXPECT_EQ(lines(*get(path)).size(), 1U);
  EXPECT_EQ(lines(*get(path + "metadata.name%3Db")).size(), 0U);
}

TEST_F(WatchCallTest, M75_ProtobufFramesHaveALength) {
  add("a");
  const auto watch = get(std::string(kMaps) + "?watch=true",
                         {{"Accept", "application/vnd.kubernetes.protobuf,application/json"}});
  EXPECT_EQ(watch->header("Content-Type"), "application/vnd.kubernetes.protobuf;stream=watch");
  ASSERT_EQ(watch->chunks.size(), 1u);
  const std::string& frame = *watch->chunks[0];
  const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(frame[i])}; };
  EXPECT_EQ(byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3), frame.size() - 4);
  EXPECT_THAT(frame, HasSubstr("ADDED"));
  EXPECT_THAT(frame, HasSubstr(std::string("k8s\0", 4)));
}

TEST_F(WatchCallTest, ASlowClientHoldsNothingUpAndGoesOnWhereItStopped) {
  auto slow = std::make_shared<FakeExchange>();
  slow->reads = false;
  begin(request("GET", std::string(kMaps) + "?watch=true&resourceVersion=" + revision()), slow);
  settle();
  const std::string big(100'000, 'x');
  for (int i = 0; i < 30; ++i) {
    must_create(config_map("m" + std::to_string(i)), R"({"data":{"k":")" + big + "\"}}");
    settle();
  }
  EXPECT_LT(slow->most_unsent, (2U << 20)) << "what is sent and not read is bounded";
  EXPECT_LT(slow->chunks.size(), 30u);
  slow->reads = true;
  slow->take();
  settle();
  EXPECT_EQ(slow->chunks.size(), 30u);
}

TEST_F(WatchCallTest, AClientThatLeavesIsForgotten) {
  const auto watch = get(std::string(kMaps) + "?watch=true");
  EXPECT_EQ(handler.open_streams(), 1u);
  watch->close();
  EXPECT_EQ(handler.open_streams(), 0u);
  add("a");
  EXPECT_EQ(watch->chunks.size(), 0u);
}

TEST_F(WatchCallTest, M63_BadVersionOfAWatchIsA500) {
  const auto bad = get(std::string(kMaps) + "?watch=true&resourceVersion=abc");
  EXPECT_EQ(bad->status, 500);
  EXPECT_THAT(bad->body, AllOf(HasSubstr(R"(resourceVersion: Invalid value: \"abc\")"),
                               Not(HasSubstr("invalid resource version"))));
}

}  // namespace
}  // namespace windlass::apiserver
