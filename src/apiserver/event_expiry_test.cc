#include "apiserver/event_expiry.h"

#include <gtest/gtest.h>

#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

struct EventExpiryTest : ServerTest {
  static ObjectRef event(std::string name) {
    return {&api::kinds::event(), "default", std::move(name)};
  }
  void add(const std::string& name) { must_create(event(name), R"({"involvedObject":{}})"); }

  std::unique_ptr<EventExpiry> expiry = std::make_unique<EventExpiry>(
      server, world.executor(), world.clock(), EventExpiryOptions{.page = 2});
};

TEST_F(EventExpiryTest, N23_AnHourAfterItLastHappened) {
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    add(name);
  }
  world.run_for(minutes(40));
  add("late");
  ASSERT_TRUE(server
                  .patch(event("b"), "", PatchType::merge,
                         R"({"lastTimestamp":")" + format_rfc3339(world.clock().now()) + R"("})")
                  .answer);
  EXPECT_NE(stored(event("a")), nullptr);
  const store::Revision before = store.revision();
  world.run_for(minutes(22));
  for (const char* name : {"a", "c", "d", "e"}) {
    EXPECT_EQ(stored(event(name)), nullptr) << name;
  }
  EXPECT_NE(stored(event("b")), nullptr);
  EXPECT_NE(stored(event("late")), nullptr);
  EXPECT_EQ(events(api::kinds::event(), before).size(), 4u) << "watchers are told";
  world.run_for(minutes(60));
  EXPECT_EQ(stored(event("b")), nullptr);
  EXPECT_EQ(stored(event("late")), nullptr);
}

TEST_F(EventExpiryTest, TheOldestGoBeforeTheirHourWhenThereAreTooMany) {
  expiry = std::make_unique<EventExpiry>(server, world.executor(), world.clock(),
                                         EventExpiryOptions{.page = 2, .most = 3});
  for (const char* name : {"e", "d", "c", "b", "a"}) {
    add(name);
  }
  // It happens again, and so is not among the oldest any more.
  ASSERT_TRUE(server.patch(event("e"), "", PatchType::merge, R"({"count":2})").answer);
  world.run_for(seconds(59));
  EXPECT_NE(stored(event("d")), nullptr);
  world.run_for(seconds(2));
  for (const char* name : {"d", "c"}) {
    EXPECT_EQ(stored(event(name)), nullptr) << name;
  }
  for (const char* name : {"e", "b", "a"}) {
    EXPECT_NE(stored(event(name)), nullptr) << name;
  }
  world.run_for(minutes(10));
  EXPECT_NE(stored(event("b")), nullptr) << "three are not too many";
}

// A server that begins with what an earlier one has stored does not let it begin another hour.
TEST_F(EventExpiryTest, N23_TheHourGoesOnOverARestart) {
  add("a");
  world.run_for(minutes(40));
  expiry.reset();
  const EventExpiry next(server, world.executor(), world.clock());
  add("b");
  world.run_for(minutes(22));
  EXPECT_EQ(stored(event("a")), nullptr);
  EXPECT_NE(stored(event("b")), nullptr);
  world.run_for(minutes(40));
  EXPECT_EQ(stored(event("b")), nullptr);
}

}  // namespace
}  // namespace windlass::apiserver
