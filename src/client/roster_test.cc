#include "client/roster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/config_map_testing.h"
#include "client/informer.h"
#include "verify/clients/scripted_client.h"
#include "virtual_world/world.h"

namespace windlass::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Keeps the text of what has one, and writes down what it hears.
struct TextView {
  explicit TextView(ClientEnv env)
      : informer(env, {&api::kinds::config_map()},
                 [this](const api::Message& message) -> std::optional<std::string> {
                   ++projections;
                   const std::string text = text_of(message);
                   return text.empty() ? std::nullopt : std::optional(text);
                 }) {
    informer.add_handler({[this](const std::string& added) { heard.push_back("+" + added); },
                          [this](const std::string& before, const std::string& now) {
                            heard.push_back(before + ">" + now);
                          },
                          [this](const std::string& last) { heard.push_back("-" + last); }});
    informer.when_synced([this] { heard.push_back("synced"); });
  }

  int projections = 0;
  std::vector<std::string> heard;
  Informer<std::string> informer;
};

struct RosterTest : ::testing::Test {
  void list(std::vector<ObjectPtr> items) {
    client.answer_list(ObjectList{std::move(items), "5", ""});
  }

  virtual_world::VirtualWorld world{1};
  ScriptedClient client;
  Rosters rosters;
  ClientEnv alone{client, world.executor(), world.clock(), world.random(), world.log()};
  ClientEnv shared{client, world.executor(), world.clock(), world.random(), world.log(), &rosters};
};

TEST_F(RosterTest, ViewsThatShareOneListAndWatchOnce) {
  TextView a(shared);
  TextView b(shared);
  a.informer.start();
  b.informer.start();
  ASSERT_TRUE(world.run_until_idle());
  ASSERT_EQ(client.lists.size(), 1U);
  list({text_object("x", "u1", "1", "one")});
  EXPECT_THAT(a.heard, ElementsAre("+one", "synced"));
  EXPECT_THAT(b.heard, ElementsAre("+one", "synced"));
  ASSERT_EQ(client.watches.size(), 1U);
  client.send(EventType::modified, text_object("x", "u1", "6", "two"));
  EXPECT_EQ(a.heard.back(), "one>two");
  EXPECT_EQ(b.heard.back(), "one>two");
}

TEST_F(RosterTest, AViewThatStartsLaterIsToldAllThatIsThere) {
  TextView a(shared);
  TextView b(shared);
  a.informer.start();
  list({text_object("x", "u1", "1", "one"), text_object("y", "u2", "2", "two")});
  client.send(EventType::deleted, text_object("y", "u2", "6", "two"));
  client.send(EventType::added, text_object("w", "u3", "7", "three"));
  EXPECT_THAT(b.heard, IsEmpty());
  EXPECT_FALSE(b.informer.has_synced());
  b.informer.start();
  EXPECT_THAT(b.heard, IsEmpty());  // never inside the call
  ASSERT_TRUE(world.run_until_idle());
  EXPECT_THAT(b.heard, ElementsAre("+three", "+one", "synced"));
  EXPECT_TRUE(b.informer.has_synced());
}

TEST_F(RosterTest, AViewMadeAfterTheStartHasAListOfItsOwn) {
  TextView a(shared);
  a.informer.start();
  list({text_object("x", "u1", "1", "one")});
  TextView late(shared);
  late.informer.start();
  list({text_object("x", "u1", "1", "one")});
  EXPECT_THAT(late.heard, ElementsAre("+one", "synced"));
}

TEST_F(RosterTest, AViewThatIsGoneHearsNothingMoreAndTheOthersDo) {
  TextView a(shared);
  auto b = std::make_unique<TextView>(shared);
  a.informer.start();
  b->informer.start();
  b.reset();
  ASSERT_TRUE(world.run_until_idle());
  list({text_object("x", "u1", "1", "one")});
  EXPECT_THAT(a.heard, ElementsAre("+one", "synced"));
}

TEST_F(RosterTest, WhatAViewIsNotAboutComesAndGoes) {
  TextView a(alone);
  a.informer.start();
  list({text_object("x", "u1", "1", "")});
  EXPECT_EQ(a.informer.find("ns/x"), nullptr);
  client.send(EventType::modified, text_object("x", "u1", "6", "one"));
  client.send(EventType::modified, text_object("x", "u1", "7", ""));
  client.send(EventType::modified, text_object("x", "u1", "8", "two"));
  client.send(EventType::deleted, text_object("x", "u1", "9", "two"));
  EXPECT_THAT(a.heard, ElementsAre("synced", "+one", "-one", "+two", "-two"));
  EXPECT_EQ(a.informer.size(), 0U);
}

TEST_F(RosterTest, WhatIsStillRightIsNeitherReadAnewNorTold) {
  TextView a(alone);
  a.informer.keep_while(
      [](const std::string& kept, const api::Message& now) { return kept == text_of(now); });
  a.informer.start();
  list({text_object("x", "u1", "1", "one")});
  client.send(EventType::modified, text_object("x", "u1", "6", "one"));
  EXPECT_THAT(a.heard, ElementsAre("+one", "synced"));
  EXPECT_EQ(a.projections, 1);
  client.send(EventType::modified, text_object("x", "u1", "7", "two"));
  EXPECT_EQ(a.heard.back(), "one>two");
}

TEST_F(RosterTest, APlaceThatIsUsedAgainHasNothingOfWhoWasThereBefore) {
  TextView a(alone);
  a.informer.keep_while([](const std::string&, const api::Message&) { return true; });
  a.informer.start();
  list({text_object("x", "u1", "1", "one")});
  client.send(EventType::deleted, text_object("x", "u1", "6", "one"));
  client.send(EventType::added, text_object("y", "u2", "7", "two"));
  EXPECT_EQ(*a.informer.find("ns/y"), "two");
  EXPECT_THAT(a.heard, ElementsAre("+one", "synced", "-one", "+two"));
}

}  // namespace
}  // namespace windlass::client
