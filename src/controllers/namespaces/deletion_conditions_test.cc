#include "controllers/namespaces/deletion_conditions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::controllers::namespaces {
namespace {

using api::core::v1::Namespace;
using testing::ElementsAre;

const Time kFirst = time_from_unix(1000);
const Time kLater = time_from_unix(2000);

// `type status reason: message @time`
std::vector<std::string> conditions(const Namespace& ns) {
  std::vector<std::string> lines;
  for (const auto& each : ns.status().conditions()) {
    lines.push_back(fmt::format("{} {} {}: {} @{}", each.type(), each.status(), each.reason(),
                                each.message(), each.last_transition_time().seconds()));
  }
  return lines;
}

TEST(DeletionConditions, AllIsGone) {
  Namespace ns;
  EXPECT_TRUE(set_deletion_conditions(ns, {}, kFirst));
  EXPECT_THAT(
      conditions(ns),
      ElementsAre("NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources "
                  "successfully discovered @1000",
                  "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All "
                  "legacy kube types successfully parsed @1000",
                  "NamespaceDeletionContentFailure False ContentDeleted: All content successfully "
                  "deleted, may be waiting on finalization @1000",
                  "NamespaceContentRemaining False ContentRemoved: All content successfully "
                  "removed @1000",
                  "NamespaceFinalizersRemaining False ContentHasNoFinalizers: All "
                  "content-preserving finalizers finished @1000"));
  EXPECT_FALSE(set_deletion_conditions(ns, {}, kLater));
}

TEST(DeletionConditions, WhatIsLeftIsCounted) {
  Namespace ns;
  Leftovers left;
  left.objects = {{"pods.", 2}, {"jobs.batch", 1}};
  left.finalizers = {{"x.io/b", 1}, {"x.io/a", 3}};
  left.errors = {"second", "first"};
  EXPECT_TRUE(set_deletion_conditions(ns, left, kFirst));
  const auto lines = conditions(ns);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2],
            "NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to delete all "
            "resource types, 2 remaining: first, second @1000");
  EXPECT_EQ(lines[3],
            "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: "
            "jobs.batch has 1 resource instances, pods. has 2 resource instances @1000");
  EXPECT_EQ(lines[4],
            "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace "
            "has finalizers remaining: x.io/a in 3 resource instances, x.io/b in 1 resource "
            "instances @1000");
}

TEST(DeletionConditions, TheTimeMovesWithTheStatusAlone) {
  Namespace ns;
  set_deletion_conditions(ns, {.objects = {{"pods.", 2}}}, kFirst);
  EXPECT_TRUE(set_deletion_conditions(ns, {.objects = {{"pods.", 1}}}, kLater));
  EXPECT_THAT(conditions(ns)[3], testing::EndsWith("pods. has 1 resource instances @1000"));
  EXPECT_TRUE(set_deletion_conditions(ns, {}, kLater));
  EXPECT_THAT(conditions(ns)[3], testing::EndsWith("All content successfully removed @2000"));
}

}  // namespace
}  // namespace windlass::controllers::namespaces
