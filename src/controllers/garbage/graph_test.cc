#include "controllers/garbage/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace windlass::controllers::garbage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

OwnerRef owned_by(const std::string& uid, bool blocks = false) {
  OwnerRef owner{"batch/v1", "Job", "name-of-" + uid, uid};
  if (blocks) {
    owner.block_owner_deletion = true;
  }
  return owner;
}

TrackedObject job(const std::string& uid, std::vector<OwnerRef> owners = {}) {
  return {&api::kinds::job(), "default", "name-of-" + uid, uid, "1", std::move(owners)};
}

TrackedObject deleted(TrackedObject record, std::string_view finalizer = "") {
  record.deleting = true;
  if (!finalizer.empty()) {
    record.finalizers.emplace_back(finalizer);
  }
  return record;
}

struct GraphTest : ::testing::Test {
  void upsert(TrackedObject record) {
    graph.upsert(std::make_shared<TrackedObject>(std::move(record)));
  }
  std::vector<std::string> take() { return std::exchange(woken, {}); }

  std::vector<std::string> woken;
  OwnerGraph graph{[this](const std::string& uid) { woken.push_back(uid); }};
};

TEST_F(GraphTest, WhoseOwnersAreThereSleeps) {
  upsert(job("o"));
  upsert(job("d", {owned_by("o")}));
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(graph.dependents("o"), 1u);
  EXPECT_EQ(graph.blocking_dependents("o"), 0u);
}

TEST_F(GraphTest, WhoseOwnerWasNeverSeenIsLookedAt) {
  upsert(job("d", {owned_by("o")}));
  EXPECT_THAT(take(), ElementsAre("d"));
}

TEST_F(GraphTest, AReferenceWithWrongCoordinatesIsLookedAt) {
  upsert(job("o"));
  OwnerRef wrong = owned_by("o");
  wrong.name = "other";
  upsert(job("d", {wrong}));
  EXPECT_THAT(take(), ElementsAre("d"));
  TrackedObject elsewhere = job("e", {owned_by("o")});
  elsewhere.ns = "other";
  upsert(elsewhere);
  EXPECT_THAT(take(), ElementsAre("e"));
}

TEST_F(GraphTest, AnOwnerThatIsGoneWakesItsDependents) {
  upsert(job("o"));
  upsert(job("a", {owned_by("o")}));
  upsert(job("b", {owned_by("o")}));
  graph.erase("o");
  EXPECT_THAT(take(), ElementsAre("a", "b"));
  EXPECT_EQ(graph.find("o"), nullptr);
  EXPECT_EQ(graph.dependents("o"), 2u);
}

TEST_F(GraphTest, AnOwnerBeginsToWaitOnceForAll) {
  upsert(job("o"));
  upsert(job("a", {owned_by("o", true)}));
  upsert(deleted(job("o"), kForegroundFinalizer));
  EXPECT_THAT(take(), ElementsAre("a", "o"));
  TrackedObject again = deleted(job("o"), kForegroundFinalizer);
  again.resource_version = "9";
  upsert(again);
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(GraphTest, AWaitingOwnerWakesWithItsLastBlockingDependent) {
  upsert(job("o"));
  upsert(job("a", {owned_by("o", true)}));
  upsert(job("b", {owned_by("o", true)}));
  upsert(job("c", {owned_by("o")}));
  upsert(deleted(job("o"), kForegroundFinalizer));
  take();
  graph.erase("a");
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(graph.blocking_dependents("o"), 1u);
  upsert(job("b"));  // forgets its owner
  EXPECT_THAT(take(), ElementsAre("o"));
  EXPECT_EQ(graph.dependents("o"), 1u);
}

TEST_F(GraphTest, ABlockingReferenceThatIsUnblockedCounts) {
  upsert(deleted(job("o"), kForegroundFinalizer));
  upsert(job("a", {owned_by("o", true)}));
  take();
  upsert(job("a", {owned_by("o", false)}));
  EXPECT_THAT(take(), ElementsAre("o", "a"));
  EXPECT_EQ(graph.blocking_dependents("o"), 0u);
  EXPECT_EQ(graph.dependents("o"), 1u);
}

TEST_F(GraphTest, AnOrphaningOwnerWakesWithItsLastDependentOfAnyKind) {
  upsert(job("o"));
  upsert(job("a", {owned_by("o")}));
  upsert(deleted(job("b", {owned_by("o")})));
  take();
  upsert(deleted(job("o"), kOrphanFinalizer));
  EXPECT_THAT(take(), ElementsAre("a", "b", "o"));
  upsert(job("a"));
  EXPECT_THAT(take(), IsEmpty());
  upsert(deleted(job("b")));
  EXPECT_THAT(take(), ElementsAre("o"));
}

TEST_F(GraphTest, NothingIsKeptOfWhatIsGone) {
  upsert(job("o"));
  upsert(job("a", {owned_by("o"), owned_by("p")}));
  EXPECT_EQ(graph.size(), 3u);
  graph.erase("o");
  graph.erase("a");
  graph.erase("a");
  EXPECT_EQ(graph.size(), 0u);
}

TEST_F(GraphTest, AnObjectMayOwnItself) {
  upsert(job("o", {owned_by("o", true)}));
  EXPECT_EQ(graph.dependents("o"), 1u);
  graph.erase("o");
  EXPECT_EQ(graph.size(), 0u);
}

TEST_F(GraphTest, TwoReferencesToOneOwnerAreOneLink) {
  upsert(job("a", {owned_by("o", true), owned_by("o")}));
  EXPECT_EQ(graph.dependents("o"), 1u);
  EXPECT_EQ(graph.blocking_dependents("o"), 1u);
  graph.erase("a");
  EXPECT_EQ(graph.size(), 0u);
}

TEST_F(GraphTest, WhatHappenedBeforeAListenerCameCanBeHeardLater) {
  upsert(job("d", {owned_by("o")}));
  upsert(job("e", {owned_by("p")}));
  upsert(job("p"));
  upsert(deleted(job("f"), kOrphanFinalizer));
  take();
  graph.wake_unsettled();
  EXPECT_THAT(take(), ElementsAre("d", "f"));
}

TEST_F(GraphTest, KnowsWhetherADependentWaits) {
  upsert(job("o"));
  upsert(job("a", {owned_by("o")}));
  EXPECT_FALSE(graph.has_waiting_dependent("o"));
  upsert(deleted(job("a", {owned_by("o")}), kForegroundFinalizer));
  EXPECT_TRUE(graph.has_waiting_dependent("o"));
}

// Whatever comes, changes its owners and goes, in whatever order, the dependents of each owner are
// those that name it. Objects that own themselves are among them.
RC_GTEST_PROP(GraphProperty, DependentsAreThoseThatNameTheOwner, ()) {
  constexpr int kObjects = 6;
  OwnerGraph graph([](const std::string&) {});
  std::map<std::string, std::map<std::string, bool>> named;  // by whom, and whether it blocks
  const auto any_uid = rc::gen::map(rc::gen::inRange(0, kObjects),
                                    [](int number) { return "u" + std::to_string(number); });
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const std::string uid = *any_uid;
    if (*rc::gen::inRange(0, 3) == 0) {
      graph.erase(uid);
      named.erase(uid);
    } else {
      TrackedObject record = job(uid);
      auto& owners = named[uid];
      owners.clear();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        const std::string owner = *any_uid;
        const bool blocks = *rc::gen::arbitrary<bool>();
        record.owners.push_back(owned_by(owner, blocks));
        owners[owner] = owners[owner] || blocks;
      }
      graph.upsert(std::make_shared<TrackedObject>(record));
    }
    std::set<std::string> spoken_of;
    for (int i = 0; i < kObjects; ++i) {
      const std::string owner = "u" + std::to_string(i);
      size_t dependents = 0;
      size_t blocking = 0;
      for (const auto& [dependent, owners] : named) {
        const auto found = owners.find(owner);
        dependents += found != owners.end() ? 1U : 0U;
        blocking += found != owners.end() && found->second ? 1U : 0U;
      }
      RC_ASSERT(graph.dependents(owner) == dependents);
      RC_ASSERT(graph.blocking_dependents(owner) == blocking);
      if (dependents > 0 || named.contains(owner)) {
        spoken_of.insert(owner);
      }
    }
    RC_ASSERT(graph.size() == spoken_of.size());
  }
}

}  // namespace
}  // namespace windlass::controllers::garbage
