#include "controllers/garbage/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::controllers::garbage {
namespace {

using ::testing::ElementsAre;
using Type = CollectorAction::Type;

constexpr OwnerState kStays = OwnerState::stays;
constexpr OwnerState kGone = OwnerState::gone;
constexpr OwnerState kWaits = OwnerState::waits;
constexpr OwnerState kOrphans = OwnerState::orphans;
constexpr OwnerState kUnresolvable = OwnerState::unresolvable;

// With one owner per state: o0, o1, ...
TrackedObject item(size_t owners, std::vector<std::string> finalizers = {}, bool deleting = false) {
  TrackedObject made{&api::kinds::pod(), "default", "p", "uid", "7"};
  for (size_t i = 0; i < owners; ++i) {
    made.owners.push_back({"batch/v1", "Job", "j", "o" + std::to_string(i), true, true});
  }
  made.finalizers = std::move(finalizers);
  made.deleting = deleting;
  return made;
}

CollectorAction decide_alone(std::vector<OwnerState> owners,
                             std::vector<std::string> finalizers = {}) {
  return decide(item(owners.size(), std::move(finalizers)), {owners});
}

std::vector<std::string> uids(const CollectorAction& action) {
  std::vector<std::string> all;
  for (const OwnerRef& owner : action.owners) {
    all.push_back(owner.uid);
  }
  return all;
}

TEST(GarbageDecision, M54_GoesWhenAllOwnersAreGone) {
  EXPECT_EQ(decide_alone({}).type, Type::none);
  EXPECT_EQ(decide_alone({kStays}).type, Type::none);
  const CollectorAction action = decide_alone({kGone, kGone});
  EXPECT_EQ(action.type, Type::remove);
  EXPECT_EQ(action.policy, "Background");
}

TEST(GarbageDecision, M54_ForgetsOwnersThatAreGoneWhileOneStays) {
  const CollectorAction action = decide_alone({kGone, kStays, kWaits});
  EXPECT_EQ(action.type, Type::set_owners);
  EXPECT_THAT(uids(action), ElementsAre("o1"));
}

TEST(GarbageDecision, M54_GoesBeforeAnOwnerThatWaits) {
  EXPECT_EQ(decide_alone({kWaits}).policy, "Background");
  EXPECT_EQ(decide_alone({kWaits, kGone}).type, Type::remove);
  // With dependents of its own they go first, too.
  const CollectorAction action = decide(item(1), {{kWaits}, 2});
  EXPECT_EQ(action.type, Type::remove);
  EXPECT_EQ(action.policy, "Foreground");
}

TEST(GarbageDecision, TwoThatWaitForEachOtherAreUnblocked) {
  const CollectorAction first = decide(item(1), {{kWaits}, 1, 1, true});
  ASSERT_EQ(first.type, Type::set_owners);
  EXPECT_EQ(first.owners.at(0).block_owner_deletion, false);
  EXPECT_EQ(first.owners.at(0).controller, true);
  TrackedObject unblocked = item(1);
  unblocked.owners = first.owners;
  EXPECT_EQ(decide(unblocked, {{kWaits}, 1, 1, true}).policy, "Foreground");
}

TEST(GarbageDecision, APolicyThatWasAskedForBeforeHolds) {
  EXPECT_EQ(decide_alone({kGone}, {"orphan"}).policy, "Orphan");
  EXPECT_EQ(decide_alone({kGone}, {"x/y", "foregroundDeletion"}).policy, "Foreground");
  EXPECT_EQ(decide_alone({kGone}, {"x/y"}).policy, "Background");
}

TEST(GarbageDecision, NothingIsDeletedOnAGuess) {
  EXPECT_EQ(decide_alone({kUnresolvable}).type, Type::none);
  EXPECT_EQ(decide_alone({kGone, kUnresolvable}).type, Type::none);
}

TEST(GarbageDecision, M54_DependentsForgetAnOwnerThatOrphansThem) {
  const CollectorAction action = decide_alone({kOrphans, kGone});
  EXPECT_EQ(action.type, Type::set_owners);
  EXPECT_THAT(uids(action), ElementsAre("o1"));
  // Also one that is going itself: its owner waits for it to forget.
  EXPECT_EQ(decide(item(1, {"x/y"}, true), {{kOrphans}}).type, Type::set_owners);
}

TEST(GarbageDecision, M54_AForegroundDeletionEndsWithTheLastBlockingDependent) {
  const TrackedObject owner = item(0, {"x/y", "foregroundDeletion"}, true);
  EXPECT_EQ(decide(owner, {{}, 3, 1}).type, Type::none);
  const CollectorAction action = decide(owner, {{}, 2, 0});
  EXPECT_EQ(action.type, Type::drop_finalizer);
  EXPECT_EQ(action.finalizer, "foregroundDeletion");
}

TEST(GarbageDecision, M54_OrphaningEndsWhenNoObjectNamesTheOwner) {
  const TrackedObject owner = item(0, {"orphan"}, true);
  EXPECT_EQ(decide(owner, {{}, 1, 0}).type, Type::none);
  EXPECT_EQ(decide(owner, {{}, 0, 0}).finalizer, "orphan");
}

TEST(GarbageDecision, WhatIsBeingDeletedIsNotDeletedAgain) {
  EXPECT_EQ(decide(item(1, {"x/y"}, true), {{kGone}}).type, Type::none);
  EXPECT_EQ(decide(item(1, {}, true), {{kWaits}, 2}).type, Type::none);
}

TEST(GarbageRecord, PatchesHoldForOneVersionOnly) {
  TrackedObject record = item(1, {"a/b", "orphan", "c"}, true);
  EXPECT_EQ(finalizers_patch(record, "orphan"),
            R"({"metadata":{"uid":"uid","resourceVersion":"7","finalizers":["a/b","c"]}})");
  EXPECT_EQ(owners_patch(record, {}),
            R"({"metadata":{"uid":"uid","resourceVersion":"7","ownerReferences":[]}})");
  EXPECT_EQ(
      owners_patch(record, record.owners),
      R"({"metadata":{"uid":"uid","resourceVersion":"7","ownerReferences":[{"apiVersion":"batch/v1",)"
      R"("kind":"Job","name":"j","uid":"o0","controller":true,"blockOwnerDeletion":true}]}})");
}

}  // namespace
}  // namespace windlass::controllers::garbage
