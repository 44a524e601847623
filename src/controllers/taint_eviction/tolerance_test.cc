#include "controllers/taint_eviction/tolerance.h"

#include <gtest/gtest.h>

namespace windlass::controllers::taint_eviction {
namespace {

using Kind = Tolerance::Kind;

TEST(Tolerance, T3_WhatMatches) {
  const Taint taint{"k", "v"};
  EXPECT_TRUE(tolerates({"", true}, taint));
  EXPECT_FALSE(tolerates({"", false}, taint));
  EXPECT_TRUE(tolerates({"k", true, "other"}, taint));
  EXPECT_TRUE(tolerates({"k", false, "v"}, taint));
  EXPECT_FALSE(tolerates({"k", false, "w"}, taint));
  EXPECT_FALSE(tolerates({"j", true}, taint));
}

TEST(Tolerance, T4_OneUntoleratedTaintIsEnough) {
  EXPECT_EQ(tolerance({{"a", ""}, {"b", ""}}, {{"a", true}}).kind, Kind::not_at_all);
}

TEST(Tolerance, T5_TheSmallestOfTheUsedOnesCounts) {
  const std::vector<Taint> both = {{"a", ""}, {"b", ""}};
  EXPECT_EQ(tolerance(both, {{"a", true, "", "", 10}, {"b", true, "", "", 3}}),
            (Tolerance{Kind::for_a_while, seconds(3)}));
  EXPECT_EQ(tolerance(both, {{"a", true, "", "", 10}, {"b", true}}),
            (Tolerance{Kind::for_a_while, seconds(10)}));
  EXPECT_EQ(tolerance(both, {{"a", true}, {"b", true}}).kind, Kind::for_ever);
  EXPECT_EQ(tolerance(both, {{"", true, "", "", -7}}),
            (Tolerance{Kind::for_a_while, Duration::zero()}));
}

TEST(Tolerance, T4_TheFirstMatchingTolerationIsUsed) {
  EXPECT_EQ(tolerance({{"a", ""}}, {{"a", true, "", "", 10}, {"a", true, "", "", 1}}),
            (Tolerance{Kind::for_a_while, seconds(10)}));
}

TEST(Tolerance, T8_NoTaintsMeanForEver) {
  EXPECT_EQ(tolerance({}, {}).kind, Kind::for_ever);
  EXPECT_EQ(tolerance({}, {{"a", true, "", "", 1}}).kind, Kind::for_ever);
}

TEST(Tolerance, ATolerationOfAllTimeDoesNotOverflow) {
  const Tolerance allowed =
      tolerance({{"a", ""}}, {{"a", true, "", "", std::numeric_limits<int64_t>::max()}});
  EXPECT_EQ(allowed.kind, Kind::for_a_while);
  EXPECT_GT(allowed.time, hours(24 * 365));
}

}  // namespace
}  // namespace windlass::controllers::taint_eviction
