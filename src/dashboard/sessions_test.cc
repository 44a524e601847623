#include "dashboard/sessions.h"

#include <gtest/gtest.h>

#include "virtual_world/world.h"

namespace windlass::dashboard {
namespace {

class SessionsTest : public ::testing::Test {
 protected:
  ViewerPtr viewer(const std::string& name) {
    auto made = std::make_shared<Viewer>();
    made->name = name;
    return made;
  }
  Sessions::Opened open(const std::string& name) {
    return *sessions_.open(sessions_.offer(viewer(name)));
  }

  virtual_world::VirtualWorld world_{1};
  Sessions sessions_{world_.clock(), world_.random()};
};

TEST_F(SessionsTest, ATokenOpensOneSession) {
  const std::string token = sessions_.offer(viewer("ann"));
  const auto opened = sessions_.open(token);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->viewer->name, "ann");
  EXPECT_EQ(sessions_.find(opened->cookie, opened->key)->name, "ann");
  EXPECT_FALSE(sessions_.open(token));
  EXPECT_FALSE(sessions_.open("guess"));
}

TEST_F(SessionsTest, ATokenIsGoodForAFewMinutes) {
  const std::string token = sessions_.offer(viewer("ann"));
  world_.run_for(Sessions::kTokenLife + seconds(1));
  EXPECT_FALSE(sessions_.open(token));
}

TEST_F(SessionsTest, NeitherCookieNorKeyAloneIsASession) {
  const auto ann = open("ann");
  const auto bob = open("bob");
  EXPECT_EQ(sessions_.find(ann.cookie, ""), nullptr);
  EXPECT_EQ(sessions_.find("", ann.key), nullptr);
  EXPECT_EQ(sessions_.find(ann.cookie, bob.key), nullptr);
  EXPECT_EQ(sessions_.find(ann.key, ann.cookie), nullptr);
}

TEST_F(SessionsTest, ASessionEndsWhenItIsIdle) {
  const auto ann = open("ann");
  world_.run_for(Sessions::kIdleLife - seconds(1));
  EXPECT_NE(sessions_.find(ann.cookie, ann.key), nullptr);
  world_.run_for(Sessions::kIdleLife + seconds(1));
  EXPECT_EQ(sessions_.find(ann.cookie, ann.key), nullptr);
}

TEST_F(SessionsTest, ASessionInUseEndsAfterSomeHours) {
  const auto ann = open("ann");
  Duration passed = Duration::zero();
  while (sessions_.find(ann.cookie, ann.key) != nullptr) {
    ASSERT_LT(passed, hours(24));
    world_.run_for(minutes(30));
    passed += minutes(30);
  }
  EXPECT_GE(passed, Sessions::kLongestLife);
}

TEST_F(SessionsTest, TheSessionLeastUsedMakesRoom) {
  const auto first = open("first");
  const auto second = open("second");
  world_.run_for(seconds(1));
  EXPECT_NE(sessions_.find(first.cookie, first.key), nullptr);
  for (size_t i = 0; i < Sessions::kMaxSessions - 1; ++i) {
    world_.run_for(milliseconds(1));
    open("other");
  }
  EXPECT_NE(sessions_.find(first.cookie, first.key), nullptr);
  EXPECT_EQ(sessions_.find(second.cookie, second.key), nullptr);
}

TEST_F(SessionsTest, LogoutEndsTheSession) {
  const auto ann = open("ann");
  sessions_.close(ann.cookie);
  EXPECT_EQ(sessions_.find(ann.cookie, ann.key), nullptr);
}

}  // namespace
}  // namespace windlass::dashboard
