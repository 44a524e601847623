#include "client/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/object_identity.h"
#include "schema/core/v1/config_map.pb.h"
#include "verify/clients/scripted_client.h"
#include "virtual_world/world.h"

namespace windlass::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ObjectPtr object(const std::string& name, const std::string& version) {
  auto made = std::make_shared<api::core::v1::ConfigMap>();
  made->mutable_metadata()->set_name(name);
  made->mutable_metadata()->set_resource_version(version);
  return made;
}

// Writes down what it hears.
class Listener final : public ReflectorSink {
 public:
  void on_list_begin() override { heard.push_back("begin"); }
  void on_listed(const ObjectPtr& listed) override { heard.push_back(key_of(*listed)); }
  void on_list_end() override { heard.push_back("end"); }
  void on_event(const WatchEvent& event) override {
    heard.push_back((event.type == EventType::deleted ? "-" : "+") + key_of(*event.object));
  }
  std::vector<std::string> heard;
};

class ReflectorTest : public testing::Test {
 protected:
  ReflectorTest() { reflector.start(); }

  void list_nothing(const std::string& version) { client.answer_list(ObjectList{{}, version, ""}); }
  void run(Duration duration) { world.run_for(duration); }
  // How long until the next list or watch is asked for.
  Duration time_to_retry() {
    const MonotonicTime before = world.clock().monotonic();
    const size_t watches = client.watches.size();
    EXPECT_TRUE(world.run_until(
        [&] { return !client.lists.empty() || client.watches.size() > watches; }, minutes(5)));
    return world.clock().monotonic() - before;
  }

  virtual_world::VirtualWorld world{1};
  ScriptedClient client;
  Listener listener;
  Reflector reflector{{client, world.executor(), world.clock(), world.random(), world.log()},
                      {&api::kinds::config_map(), "default", "a=b", ""},
                      listener,
                      {.page_size = 2}};
};

TEST_F(ReflectorTest, ListsInPagesAndWatchesFromThere) {
  ASSERT_EQ(client.lists.size(), 1U);
  EXPECT_EQ(client.lists.front().collection.label_selector, "a=b");
  EXPECT_EQ(client.lists.front().options.limit, 2);
  client.answer_list(ObjectList{{object("a", "1"), object("b", "2")}, "9", "more"});
  ASSERT_EQ(client.lists.size(), 1U);
  EXPECT_EQ(client.lists.front().options.continue_token, "more");
  EXPECT_THAT(client.watches, IsEmpty());
  client.answer_list(ObjectList{{object("c", "3")}, "9", ""});
  EXPECT_THAT(listener.heard, ElementsAre("begin", "a", "b", "c", "end"));
  ASSERT_EQ(client.watches.size(), 1U);
  EXPECT_EQ(client.watches.back()->resource_version, "9");
}

TEST_F(ReflectorTest, PassesEventsOnAndBookmarksNot) {
  list_nothing("9");
  client.send(EventType::added, object("a", "10"));
  client.send(EventType::bookmark, object("", "15"));
  EXPECT_THAT(listener.heard, ElementsAre("begin", "end", "+a"));
  EXPECT_EQ(reflector.resource_version(), "15");
}

TEST_F(ReflectorTest, ResumesAWatchThatWorkedAtOnce) {
  list_nothing("9");
  client.send(EventType::added, object("a", "10"));
  client.end_watch(internal_error("connection reset"));
  ASSERT_EQ(client.watches.size(), 1U);
  EXPECT_EQ(client.watches.back()->resource_version, "10") << "from the last version seen";
}

TEST_F(ReflectorTest, ResumesAWatchThatLivedLongAtOnce) {
  list_nothing("9");
  run(minutes(5));
  client.end_watch(internal_error("time-out"));
  ASSERT_EQ(client.watches.size(), 1U);
  EXPECT_EQ(client.watches.back()->resource_version, "9");
}

TEST_F(ReflectorTest, AWatchThatEndsAtOnceIsRetriedLaterEachTime) {
  list_nothing("9");
  Duration least = milliseconds(800);
  for (int i = 0; i < 8; ++i) {
    client.end_watch(internal_error("no"));
    const Duration delay = time_to_retry();
    EXPECT_GE(delay, least);
    EXPECT_LE(delay, 2 * least);
    least = std::min<Duration>(2 * least, seconds(30));
  }
  client.send(EventType::added, object("a", "10"));
  client.end_watch(internal_error("no"));
  client.end_watch(internal_error("no"));
  EXPECT_LE(time_to_retry(), milliseconds(1600)) << "an event makes good for the failures";
}

TEST_F(ReflectorTest, M79_410ListsAgain) {
  list_nothing("9");
  client.end_watch(gone("too old resource version"));
  time_to_retry();
  ASSERT_EQ(client.lists.size(), 1U);
  EXPECT_EQ(client.lists.front().options.continue_token, "");
  client.answer_list(ObjectList{{object("b", "20")}, "21", ""});
  EXPECT_THAT(listener.heard, ElementsAre("begin", "end", "begin", "b", "end"));
  EXPECT_EQ(client.watches.back()->resource_version, "21");
}

TEST_F(ReflectorTest, AFailedListIsRetriedWithDelay) {
  client.answer_list(fail(internal_error("down")));
  EXPECT_GE(time_to_retry(), milliseconds(800));
  Status busy;
  busy.code = 429;
  busy.details.retry_after_seconds = 17;
  client.answer_list(fail(busy));
  EXPECT_GE(time_to_retry(), seconds(17)) << "Retry-After is honoured";
  list_nothing("9");
  EXPECT_EQ(client.watches.size(), 1U);
}

TEST_F(ReflectorTest, M67_AnExpiredContinueTokenFallsBackToOneWholeList) {
  client.answer_list(ObjectList{{object("a", "1")}, "9", "more"});
  client.answer_list(fail(gone("The provided continue parameter is too old")));
  time_to_retry();
  EXPECT_EQ(client.lists.front().options.limit, 0);
  list_nothing("30");
  client.end_watch(gone("too old"));
  time_to_retry();
  EXPECT_EQ(client.lists.front().options.limit, 2) << "once, not for ever";
}

// A server that cannot give everything at once is not asked for that again.
TEST_F(ReflectorTest, M67_AWholeListThatFailsIsFollowedByPages) {
  client.answer_list(ObjectList{{object("a", "1")}, "9", "more"});
  client.answer_list(fail(gone("The provided continue parameter is too old")));
  time_to_retry();
  EXPECT_EQ(client.lists.front().options.limit, 0);
  client.answer_list(fail(internal_error("too much")));
  time_to_retry();
  EXPECT_EQ(client.lists.front().options.limit, 2);
}

class StreamedListTest : public testing::Test {
 protected:
  StreamedListTest() {
    client.streams_lists = true;
    reflector.start();
  }

  static ObjectPtr end_of_list(const std::string& version) {
    auto made = std::make_shared<api::core::v1::ConfigMap>();
    made->mutable_metadata()->set_resource_version(version);
    (*made->mutable_metadata()->mutable_annotations())["k8s.io/initial-events-end"] = "true";
    return made;
  }
  std::string watched_version() const {
    return client.watches.empty() ? "" : client.watches.back()->resource_version;
  }

  virtual_world::VirtualWorld world{1};
  ScriptedClient client;
  Listener listener;
  Reflector reflector{{client, world.executor(), world.clock(), world.random(), world.log()},
                      {&api::kinds::config_map(), "default", "", ""},
                      listener};
};

TEST_F(StreamedListTest, M81_TheListIsTheBeginningOfTheWatch) {
  EXPECT_EQ(watched_version(), "list");
  client.send(EventType::added, object("a", "1"));
  client.send(EventType::added, object("b", "2"));
  EXPECT_EQ(reflector.resource_version(), "") << "not all of it is known yet";
  client.send(EventType::bookmark, end_of_list("9"));
  EXPECT_EQ(reflector.resource_version(), "9");
  client.send(EventType::added, object("c", "10"));
  EXPECT_THAT(listener.heard, ElementsAre("begin", "a", "b", "end", "+c"));
  EXPECT_THAT(client.lists, IsEmpty());
  world.run_for(minutes(2));
  EXPECT_EQ(watched_version(), "list") << "nothing waits for its end any more";
  client.end_watch({});
  EXPECT_EQ(watched_version(), "10");
}

TEST_F(StreamedListTest, ChangesMayComeBeforeTheListIsOver) {
  client.send(EventType::added, object("a", "1"));
  client.send(EventType::modified, object("a", "3"));
  client.send(EventType::deleted, object("a", "4"));
  client.send(EventType::bookmark, object("", "4"));
  client.send(EventType::bookmark, end_of_list("4"));
  EXPECT_THAT(listener.heard, ElementsAre("begin", "a", "a", "-a", "end"));
}

TEST_F(StreamedListTest, M82_ARefusalMeansPagesFromThenOn) {
  Status refused;
  refused.code = 422;
  client.end_watch(refused);
  ASSERT_EQ(client.lists.size(), 1U) << "at once";
  client.answer_list(ObjectList{{object("a", "1")}, "9", ""});
  EXPECT_EQ(watched_version(), "9");
  EXPECT_THAT(listener.heard, ElementsAre("begin", "begin", "a", "end"));
  Status gone;
  gone.code = 410;
  client.end_watch(gone);
  world.run_for(seconds(2));
  EXPECT_EQ(client.lists.size(), 1U);
}

TEST_F(StreamedListTest, AServerThatDoesNotKnowOfItGoesQuiet) {
  client.send(EventType::added, object("a", "1"));
  world.run_for(seconds(10));
  EXPECT_THAT(client.lists, IsEmpty());
  world.run_for(seconds(10));
  ASSERT_EQ(client.lists.size(), 1U);
  EXPECT_THAT(client.watches, IsEmpty());
  client.answer_list(ObjectList{{object("a", "1")}, "9", ""});
  EXPECT_EQ(watched_version(), "9");
}

TEST_F(StreamedListTest, AServerThatDoesNotKnowOfItMayTellOfChangesForEver) {
  for (int i = 0; i < 59; ++i) {
    client.send(EventType::modified, object("a", std::to_string(i + 1)));
    world.run_for(seconds(1));
  }
  EXPECT_THAT(client.lists, IsEmpty());
  client.send(EventType::modified, object("a", "60"));
  world.run_for(seconds(2));
  EXPECT_EQ(client.lists.size(), 1U);
}

TEST_F(StreamedListTest, AStreamThatBreaksIsFollowedByPagesOnce) {
  client.send(EventType::added, object("a", "1"));
  client.end_watch({});
  EXPECT_THAT(client.lists, IsEmpty()) << "after a delay";
  world.run_for(seconds(2));
  ASSERT_EQ(client.lists.size(), 1U);
  client.answer_list(ObjectList{{object("a", "1")}, "9", ""});
  Status gone;
  gone.code = 410;
  client.end_watch(gone);
  world.run_for(seconds(4));
  EXPECT_EQ(watched_version(), "list");
}

TEST(Reflector, NothingHappensAfterDestruction) {
  virtual_world::VirtualWorld world(1);
  ScriptedClient client;
  Listener listener;
  const ClientEnv env{client, world.executor(), world.clock(), world.random(), world.log()};
  auto reflector =
      std::make_unique<Reflector>(env, Collection{&api::kinds::config_map()}, listener);
  reflector->start();
  reflector.reset();
  client.answer_list(ObjectList{{object("a", "1")}, "9", ""});
  EXPECT_THAT(listener.heard, ElementsAre("begin"));
  EXPECT_THAT(client.watches, IsEmpty());
}

}  // namespace
}  // namespace windlass::client
