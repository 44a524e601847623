#include "client/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/config_map_testing.h"
#include "schema/meta/v1/meta.pb.h"
#include "verify/clients/scripted_client.h"
#include "virtual_world/world.h"

namespace windlass::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Data {
  std::string name;
  std::string text;
};

Data project(const api::Message& message) {
  return {api::metadata_of(message).name(), text_of(message)};
}

class InformerTest : public ::testing::Test {
 protected:
  InformerTest() {
    informer.add_handler(
        {[this](const Data& added) { heard.push_back("+" + added.name + added.text); },
         [this](const Data& before, const Data& now) {
           heard.push_back("~" + now.name + before.text + ">" + now.text);
         },
         [this](const Data& last) { heard.push_back("-" + last.name + last.text); }});
    informer.when_synced([this] { heard.push_back("synced"); });
    informer.start();
  }
  void list(std::vector<ObjectPtr> items, const std::string& version) {
    client.answer_list(ObjectList{std::move(items), version, ""});
  }
  void relist(std::vector<ObjectPtr> items, const std::string& version) {
    client.end_watch(gone("too old"));
    ASSERT_TRUE(world.run_until([&] { return !client.lists.empty(); }, minutes(1)));
    heard.clear();
    list(std::move(items), version);
  }

  virtual_world::VirtualWorld world{1};
  ScriptedClient client;
  std::vector<std::string> heard;
  Informer<Data> informer{{client, world.executor(), world.clock(), world.random(), world.log()},
                          {&api::kinds::config_map()},
                          project};
};

TEST_F(InformerTest, TheFirstListFillsTheViewAndThenItIsSynced) {
  EXPECT_FALSE(informer.has_synced());
  list({text_object("a", "u1", "1", "x"), text_object("b", "u2", "2", "y")}, "5");
  EXPECT_TRUE(informer.has_synced());
  EXPECT_THAT(heard, ElementsAre("+ax", "+by", "synced"));
  EXPECT_EQ(informer.find("ns", "a")->text, "x");
  EXPECT_EQ(informer.find("ns/b")->text, "y");
  EXPECT_EQ(informer.find("ns", "c"), nullptr);
  EXPECT_EQ(informer.size(), 2U);
}

TEST_F(InformerTest, AProjectionMayKeepTheSharedObject) {
  Informer<ObjectPtr> shared({client, world.executor(), world.clock(), world.random(), world.log()},
                             {&api::kinds::config_map()},
                             [](const ObjectPtr& object) { return object; });
  list({}, "5");
  shared.start();
  const ObjectPtr object = text_object("a", "u1", "1", "x");
  list({object}, "5");
  ASSERT_NE(shared.find("ns/a"), nullptr);
  EXPECT_EQ(shared.find("ns/a")->get(), object.get());
}

TEST_F(InformerTest, FollowsEvents) {
  list({text_object("a", "u1", "1", "x")}, "5");
  heard.clear();
  client.send(EventType::modified, text_object("a", "u1", "6", "y"));
  client.send(EventType::added, text_object("b", "u2", "7", "z"));
  client.send(EventType::deleted, text_object("a", "u1", "8", "y"));
  EXPECT_THAT(heard, ElementsAre("~ax>y", "+bz", "-ay"));
  EXPECT_EQ(informer.size(), 1U);
}

TEST_F(InformerTest, WhatComesLateOrTwiceIsNotTold) {
  list({text_object("a", "u1", "6", "new")}, "6");
  heard.clear();
  client.send(EventType::modified, text_object("a", "u1", "6", "new"));
  client.send(EventType::modified, text_object("a", "u1", "5", "old"));
  client.send(EventType::deleted, text_object("b", "u2", "7", ""));
  client.send(EventType::deleted, text_object("a", "u0", "7", ""));
  EXPECT_THAT(heard, IsEmpty());
  EXPECT_EQ(informer.find("ns/a")->text, "new");
}

TEST_F(InformerTest, ARelistTellsTheDifference) {
  list({text_object("a", "u1", "1", "x"), text_object("b", "u2", "2", "y"),
        text_object("c", "u3", "3", "z")},
       "5");
  relist({text_object("b", "u2", "2", "y"), text_object("c", "u3", "9", "w"),
          text_object("d", "u4", "8", "v")},
         "10");
  EXPECT_THAT(heard, ElementsAre("~cz>w", "+dv", "-ax"));
  EXPECT_EQ(informer.size(), 3U);
}

TEST_F(InformerTest, ARelistIsAnnouncedWithItsVersion) {
  informer.when_listed_again([this] { heard.push_back("again"); });
  list({}, "5");
  EXPECT_THAT(heard, ElementsAre("synced"));
  relist({text_object("a", "u1", "6", "x")}, "9");
  EXPECT_THAT(heard, ElementsAre("+ax", "again"));
  EXPECT_EQ(informer.version(), 9u);
}

TEST_F(InformerTest, W3_ANewObjectOfTheSameNameIsNotAnUpdate) {
  list({text_object("a", "u1", "1", "x")}, "5");
  heard.clear();
  client.send(EventType::modified, text_object("a", "u2", "7", "y"));
  EXPECT_THAT(heard, ElementsAre("-ax", "+ay"));
  relist({text_object("a", "u3", "9", "z")}, "10");
  EXPECT_THAT(heard, ElementsAre("-ay", "+az"));
}

TEST_F(InformerTest, IteratesInKeyOrderAndByNamespace) {
  list({text_object("b", "u2", "2", "y"), text_object("a", "u1", "1", "x")}, "5");
  std::vector<std::string> keys;
  informer.for_each([&](const std::string& key, const Data&) { keys.push_back(key); });
  informer.for_each_in("ns", [&](const std::string& key, const Data&) { keys.push_back(key); });
  informer.for_each_in("n", [&](const std::string& key, const Data&) { keys.push_back(key); });
  EXPECT_THAT(keys, ElementsAre("ns/a", "ns/b", "ns/a", "ns/b"));
}

TEST(ObjectIdentity, KeysAndVersions) {
  EXPECT_EQ(object_key("ns", "a"), "ns/a");
  EXPECT_EQ(object_key("", "a"), "a");
  EXPECT_EQ(split_key("ns/a").ns, "ns");
  EXPECT_EQ(split_key("ns/a").name, "a");
  EXPECT_EQ(split_key("a").ns, "");
  EXPECT_EQ(version_number("17"), 17U);
  EXPECT_EQ(version_number(""), 0U);
  EXPECT_EQ(version_number("-1"), 0U);
  EXPECT_EQ(version_number("1x"), 0U);
}

}  // namespace
}  // namespace windlass::client
