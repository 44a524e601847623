#include "controllers/garbage/collector.h"

#include <gmock/gmock.h>

#include "controllers/garbage/collector_testing.h"

namespace windlass::controllers::garbage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct GarbageCollection : ::testing::Test {
  CollectorWorld world;
};

TEST_F(GarbageCollection, M54_BackgroundTakesTheOwnerFirst) {
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job));
  world.create_pod("b", world.owner(job));
  world.create_pod("stranger", "");
  world.settle();
  world.remove_job("j", "Background");
  EXPECT_FALSE(world.api.job("j"));
  EXPECT_TRUE(world.api.pod("a"));
  world.settle();
  EXPECT_FALSE(world.api.pod("a"));
  EXPECT_FALSE(world.api.pod("b"));
  EXPECT_TRUE(world.api.pod("stranger"));
  // The owner was asked for once, and every write says what it is about.
  EXPECT_EQ(world.client.count("get jobs default/j"), 2u);
  EXPECT_THAT(world.client.calls, Contains(::testing::AllOf(HasSubstr("delete pods default/a uid="),
                                                            HasSubstr("policy=Background"))));
}

TEST_F(GarbageCollection, M54_ForegroundTakesBlockingDependentsFirst) {
  const auto job = world.create_job("j");
  world.create_pod("held", world.blocking(job), ", finalizers: [x/y]");
  world.create_pod("free", world.blocking(job));
  world.settle();
  world.remove_job("j", "Foreground");
  world.settle(minutes(5));
  EXPECT_FALSE(world.api.pod("free"));
  ASSERT_TRUE(world.api.pod("held"));
  EXPECT_TRUE(world.api.pod("held")->metadata().has_deletion_timestamp());
  ASSERT_TRUE(world.api.job("j"));
  EXPECT_THAT(world.api.job("j")->metadata().finalizers(), ElementsAre("foregroundDeletion"));
  world.release<Pod>(api::kinds::pod(), "held");
  world.settle();
  EXPECT_FALSE(world.api.pod("held"));
  EXPECT_FALSE(world.api.job("j"));
}

TEST_F(GarbageCollection, M54_ForegroundDoesNotWaitForOthers) {
  const auto job = world.create_job("j");
  world.create_pod("held", world.owner(job), ", finalizers: [x/y]");
  world.settle();
  world.remove_job("j", "Foreground");
  world.settle();
  EXPECT_FALSE(world.api.job("j"));
  ASSERT_TRUE(world.api.pod("held"));
  EXPECT_TRUE(world.api.pod("held")->metadata().has_deletion_timestamp());
}

TEST_F(GarbageCollection, M54_ForegroundWithoutDependents) {
  world.create_job("j");
  world.settle();
  world.remove_job("j", "Foreground");
  EXPECT_TRUE(world.api.job("j"));
  world.settle();
  EXPECT_FALSE(world.api.job("j"));
}

TEST_F(GarbageCollection, M54_OrphanLeavesDependentsAlive) {
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job), ", labels: {tier: one}, finalizers: [x/y]");
  world.create_pod("b", world.owner(job));
  world.settle();
  world.remove_job("j", "Orphan");
  EXPECT_TRUE(world.api.job("j"));
  world.settle(minutes(5));
  EXPECT_FALSE(world.api.job("j"));
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(world.api.pod(name));
    EXPECT_FALSE(world.api.pod(name)->metadata().has_deletion_timestamp());
    EXPECT_THAT(world.api.pod(name)->metadata().owner_references(), IsEmpty());
  }
  EXPECT_THAT(world.api.pod("a")->metadata().finalizers(), ElementsAre("x/y"));
  EXPECT_EQ(world.api.pod("a")->metadata().labels().at("tier"), "one");
}

TEST_F(GarbageCollection, J150_AJobDeletedWithoutAPolicyOrphansItsPods) {
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job));
  world.settle();
  world.remove_job("j", "");
  world.settle();
  EXPECT_FALSE(world.api.job("j"));
  ASSERT_TRUE(world.api.pod("a"));
  EXPECT_THAT(world.api.pod("a")->metadata().owner_references(), IsEmpty());
}

TEST_F(GarbageCollection, OrphaningDoesNotWaitForDependentsThatAreGoing) {
  const auto job = world.create_job("j");
  world.create_pod("going", world.blocking(job), ", finalizers: [x/y]");
  world.settle();
  world.api.remove_pod("going");
  world.settle();
  world.remove_job("j", "Orphan");
  world.settle();
  EXPECT_FALSE(world.api.job("j"));
  EXPECT_THAT(world.api.pod("going")->metadata().owner_references(), IsEmpty());
}

TEST_F(GarbageCollection, ADependentThatShowsUpAfterOrphaningStays) {
  const auto job = world.create_job("j");
  world.create_pod("a", world.owner(job));
  world.settle();
  world.remove_job("j", "Orphan");
  world.settle();
  ASSERT_FALSE(world.api.job("j"));
  // As if it had been created just before, and its cache were behind.
  world.create_pod("late", world.blocking(job));
  world.settle(minutes(5));
  ASSERT_TRUE(world.api.pod("late"));
  EXPECT_FALSE(world.api.pod("late")->metadata().has_deletion_timestamp());
  EXPECT_THAT(world.api.pod("late")->metadata().owner_references(), IsEmpty());
}

TEST_F(GarbageCollection, M52_ThePolicyOfTheLastDeleteCounts) {
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job));
  world.settle();
  world.remove_job("j", "Foreground");
  world.remove_job("j", "Orphan");
  world.settle();
  EXPECT_FALSE(world.api.job("j"));
  EXPECT_TRUE(world.api.pod("a"));
}

TEST_F(GarbageCollection, AChangeOfMindIsSeenAlsoByAStaleCache) {
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job));
  world.settle();
  world.remove_job("j", "Foreground");
  bool changed = false;
  // The collector has seen the foreground deletion, and asks the server about it.
  world.client.before = [&](const std::string& line) {
    if (line.starts_with("get jobs default/j") && !std::exchange(changed, true)) {
      world.remove_job("j", "Orphan");
    }
  };
  world.settle();
  EXPECT_TRUE(changed);
  EXPECT_FALSE(world.api.job("j"));
  ASSERT_TRUE(world.api.pod("a"));
  EXPECT_FALSE(world.api.pod("a")->metadata().has_deletion_timestamp());
}

TEST_F(GarbageCollection, DependentsOfDependentsGoToo) {
  const auto a = world.create_map("a");
  const auto b = world.create_map("b", world.owner(a));
  world.create_map("c", world.owner(b));
  world.settle();
  world.remove_map("a", "Background");
  world.settle();
  EXPECT_FALSE(world.has_map("b"));
  EXPECT_FALSE(world.has_map("c"));
}

TEST_F(GarbageCollection, ForegroundIsInherited) {
  const auto a = world.create_map("a");
  const auto b = world.create_map("b", world.blocking(a));
  world.create_map("c", world.blocking(b), ", finalizers: [x/y]");
  world.settle();
  world.remove_map("a", "Foreground");
  world.settle(minutes(1));
  EXPECT_TRUE(world.has_map("a"));
  ASSERT_TRUE(world.has_map("b"));
  EXPECT_THAT(world.map("b")->metadata().finalizers(), ElementsAre("foregroundDeletion"));
  world.release<ConfigMap>(api::kinds::config_map(), "c");
  world.settle();
  EXPECT_FALSE(world.has_map("a"));
  EXPECT_FALSE(world.has_map("b"));
  EXPECT_FALSE(world.has_map("c"));
}

TEST_F(GarbageCollection, ACircleThatWaitsForItselfEnds) {
  const auto a = world.create_map("a");
  const auto b = world.create_map("b", world.blocking(a));
  world.api.change<ConfigMap>(api::kinds::config_map(), "default", "a", "", [&](ConfigMap& map) {
    auto& ref = *map.mutable_metadata()->add_owner_references();
    ref.set_api_version("v1");
    ref.set_kind("ConfigMap");
    ref.set_name("b");
    ref.set_uid(b->metadata().uid());
    ref.set_block_owner_deletion(true);
  });
  world.settle();
  world.remove_map("a", "Foreground");
  world.settle(minutes(1));
  EXPECT_FALSE(world.has_map("a"));
  EXPECT_FALSE(world.has_map("b"));
}

TEST_F(GarbageCollection, AnObjectWithAnotherOwnerForgetsTheOneThatIsGone) {
  const auto a = world.create_map("a");
  const auto b = world.create_map("b");
  world.create_map("d", world.owner(a) + ", " + world.blocking(b));
  world.create_map("e", world.owner(a) + ", " + world.blocking(b));
  world.settle();
  world.remove_map("a", "Background");
  world.settle();
  ASSERT_TRUE(world.has_map("d"));
  ASSERT_EQ(world.map("d")->metadata().owner_references_size(), 1);
  EXPECT_EQ(world.map("d")->metadata().owner_references(0).name(), "b");
  EXPECT_TRUE(world.map("d")->metadata().owner_references(0).block_owner_deletion());
  world.remove_map("b", "Foreground");
  world.settle();
  EXPECT_FALSE(world.has_map("b"));
  EXPECT_FALSE(world.has_map("e"));
}

TEST_F(GarbageCollection, ANamesakeIsNoOwner) {
  const auto first = world.create_map("a");
  world.remove_map("a", "Background");
  world.create_map("a");
  world.create_map("d", world.owner(first));
  world.settle();
  EXPECT_FALSE(world.has_map("d"));
  EXPECT_TRUE(world.has_map("a"));
}

TEST_F(GarbageCollection, NothingIsDeletedBeforeTheServerSaysThatTheOwnerIsGone) {
  world.client.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("get ") ? std::optional(internal_error("no")) : std::nullopt;
  };
  const auto a = world.create_map("a");
  world.create_map("d", world.owner(a));
  world.settle();
  world.remove_map("a", "Background");
  world.settle(minutes(10));
  EXPECT_TRUE(world.has_map("d"));
  EXPECT_EQ(world.client.count("delete"), 0u);
  EXPECT_GE(world.client.count("get"), 10u);  // asked again, ever more rarely
  EXPECT_LE(world.client.count("get"), 25u);
  world.client.refuse = nullptr;
  world.settle(minutes(2));
  EXPECT_FALSE(world.has_map("d"));
}

TEST_F(GarbageCollection, WritesThatFailAreTriedAgain) {
  int failures = 3;
  world.client.refuse = [&](const std::string& line) -> std::optional<Status> {
    if (line.starts_with("get") || failures == 0) {
      return std::nullopt;
    }
    --failures;
    return internal_error("not now");
  };
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job));
  world.settle();
  world.remove_job("j", "Foreground");
  world.settle(seconds(10));
  EXPECT_FALSE(world.api.job("j"));
  EXPECT_FALSE(world.api.pod("a"));
  EXPECT_EQ(failures, 0);
}

TEST_F(GarbageCollection, AnswersThatAreLostDoNoHarm) {
  int losses = 3;
  world.client.lose_answer = [&](const std::string&) -> std::optional<Status> {
    if (losses == 0) {
      return std::nullopt;
    }
    --losses;
    return plain_error("connection reset");
  };
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job));
  world.create_pod("b", world.blocking(job));
  world.settle();
  world.remove_job("j", "Orphan");
  world.settle(seconds(10));
  EXPECT_FALSE(world.api.job("j"));
  EXPECT_TRUE(world.api.pod("a"));
  EXPECT_TRUE(world.api.pod("b"));
  EXPECT_EQ(losses, 0);
}

TEST_F(GarbageCollection, AnObjectThatChangesMeanwhileIsReadAgain) {
  const auto a = world.create_map("a");
  world.create_map("d", world.owner(a));
  world.settle();
  world.remove_map("a", "Background");
  int changes = 3;
  world.client.before = [&](const std::string& line) {
    if (line.starts_with("delete configmaps default/d") && changes-- > 0) {
      world.api.change<ConfigMap>(
          api::kinds::config_map(), "default", "d", "",
          [&](ConfigMap& map) { (*map.mutable_data())["n"] = std::to_string(changes); });
    }
  };
  world.settle();
  EXPECT_FALSE(world.has_map("d"));
  EXPECT_EQ(world.client.count("delete"), 4u);
}

TEST_F(GarbageCollection, AnObjectThatFindsAnotherOwnerMeanwhileStays) {
  const auto a = world.create_map("a");
  const auto b = world.create_map("b");
  world.create_map("d", world.owner(a));
  world.settle();
  world.remove_map("a", "Background");
  bool changed = false;
  world.client.before = [&](const std::string& line) {
    if (line.starts_with("delete configmaps default/d") && !std::exchange(changed, true)) {
      world.api.change<ConfigMap>(
          api::kinds::config_map(), "default", "d", "", [&](ConfigMap& map) {
            map.mutable_metadata()->mutable_owner_references(0)->set_name("b");
            map.mutable_metadata()->mutable_owner_references(0)->set_uid(b->metadata().uid());
          });
    }
  };
  world.settle(minutes(1));
  EXPECT_TRUE(changed);
  ASSERT_TRUE(world.has_map("d"));
  EXPECT_FALSE(world.map("d")->metadata().has_deletion_timestamp());
}

TEST_F(GarbageCollection, AnObjectCreatedAnewMeanwhileStays) {
  const auto a = world.create_map("a");
  world.create_map("d", world.owner(a));
  world.settle();
  world.remove_map("a", "Background");
  bool changed = false;
  world.client.before = [&](const std::string& line) {
    if (line.starts_with("delete configmaps default/d") && !std::exchange(changed, true)) {
      world.remove_map("d", "Background");
      world.create_map("d");
    }
  };
  world.settle(minutes(1));
  EXPECT_TRUE(changed);
  EXPECT_TRUE(world.has_map("d"));
}

TEST_F(GarbageCollection, AnOwnerInAnotherNamespaceIsNone) {
  const auto a = world.create_map("a");
  world.api.create<ConfigMap>(api::kinds::config_map(),
                              fmt::format("{{metadata: {{name: d, namespace: kube-public, "
                                          "ownerReferences: [{}]}}}}",
                                          world.owner(a)));
  world.create_map("e", world.owner(a));
  world.settle(seconds(1));
  EXPECT_FALSE(world.has_map("d", "kube-public"));
  EXPECT_TRUE(world.has_map("e"));  // the wrong reference does not speak for the right one
  EXPECT_THAT(
      world.events("kube-public"),
      ElementsAre(fmt::format("Warning OwnerRefInvalidNamespace ConfigMap/d: ownerRef "
                              "[v1/ConfigMap, namespace: kube-public, name: a, uid: {}] does not "
                              "exist in namespace \"kube-public\"",
                              a->metadata().uid())));
}

TEST_F(GarbageCollection, AClusterWideObjectWithANamespacedOwnerIsLeftAlone) {
  const auto a = world.create_map("a");
  const auto create = [&](const std::string& name, const std::string& owner) {
    world.api.create_node(
        fmt::format("{{metadata: {{name: {}, ownerReferences: [{}]}}}}", name, owner));
  };
  create("node-1", world.owner(a));
  world.settle();
  world.remove_map("a", "Background");
  world.settle(minutes(1));
  EXPECT_TRUE(world.api.find<Node>(api::kinds::node(), "", "node-1"));
  EXPECT_THAT(world.events(),
              Contains(HasSubstr("Warning OwnerRefInvalidNamespace Node/node-1: ownerRef "
                                 "[v1/ConfigMap, namespace: , name: a, uid:")));
}

TEST_F(GarbageCollection, AClusterWideOwnerServesEveryNamespace) {
  const auto node = world.api.create_node("{metadata: {name: node-1}}");
  world.create_map("d", world.owner(node));
  world.settle(minutes(1));
  EXPECT_TRUE(world.has_map("d"));
  world.api.remove(api::kinds::node(), "", "node-1");
  world.settle();
  EXPECT_FALSE(world.has_map("d"));
}

TEST_F(GarbageCollection, AnOwnerOfAnUnknownKindIsLeftAlone) {
  world.create_map("d", "{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u}");
  world.create_map("e", "{apiVersion: batch/v1, kind: Pod, name: r, uid: u}");
  world.settle(hours(1));
  EXPECT_TRUE(world.has_map("d"));
  EXPECT_TRUE(world.has_map("e"));
  EXPECT_THAT(world.client.calls, IsEmpty());
}

TEST_F(GarbageCollection, AnotherCollectorGoesOnWhereTheFirstWasLost) {
  const auto job = world.create_job("j");
  for (int i = 0; i < 30; ++i) {
    world.create_pod("p" + std::to_string(i), world.blocking(job));
  }
  world.settle();
  world.remove_job("j", "Foreground");
  size_t before = world.client.calls.size();
  ASSERT_TRUE(world.api.world.run_until([&] { return world.client.calls.size() >= before + 25; },
                                        seconds(1)));
  EXPECT_FALSE(world.api.pods().empty());
  world.start();
  world.settle(seconds(1));
  EXPECT_THAT(world.api.pods(), IsEmpty());
  EXPECT_FALSE(world.api.job("j"));
}

TEST_F(GarbageCollection, WhatHappenedWhileItWasAwayIsMadeUpFor) {
  world.collector.reset();
  const auto a = world.create_map("a");
  world.create_map("d", world.owner(a));
  const auto job = world.create_job("j");
  world.create_pod("p", world.blocking(job));
  world.remove_map("a", "Background");
  world.remove_job("j", "Foreground");
  world.settle();
  world.start();
  world.settle(seconds(1));
  EXPECT_FALSE(world.has_map("d"));
  EXPECT_FALSE(world.api.pod("p"));
  EXPECT_FALSE(world.api.job("j"));
}

TEST_F(GarbageCollection, AtRestItIsSilent) {
  const auto job = world.create_job("j");
  world.create_pod("a", world.blocking(job));
  world.settle(hours(1));
  EXPECT_THAT(world.client.calls, IsEmpty());
}

}  // namespace
}  // namespace windlass::controllers::garbage
