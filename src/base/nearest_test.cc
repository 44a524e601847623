#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace windlass {
namespace {

TEST(EditDistance, CountsMistakes) {
  EXPECT_EQ(edit_distance("", "", 5), 0U);
  EXPECT_EQ(edit_distance("abc", "abc", 5), 0U);
  EXPECT_EQ(edit_distance("abc", "abxc", 5), 1U);
  EXPECT_EQ(edit_distance("abc", "ac", 5), 1U);
  EXPECT_EQ(edit_distance("abc", "axc", 5), 1U);
  EXPECT_EQ(edit_distance("abc", "acb", 5), 1U) << "swapped neighbours are one mistake";
  EXPECT_EQ(edit_distance("", "abc", 5), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3U);
  EXPECT_EQ(edit_distance("aBc", "AbC", 5), 1U) << "case alone is one mistake";
  EXPECT_EQ(edit_distance("abcdef", "uvwxyz", 2), 3U) << "limit + 1 when it is more";
}

TEST(NearestName, FindsTheMisspelt) {
  constexpr std::array<std::string_view, 6> kNames = {
      "backoffLimit", "backoffLimitPerIndex", "completions", "parallelism", "suspend", "ttl"};
  EXPECT_EQ(nearest_name("backoffLimitPerindex", kNames), "backoffLimitPerIndex");
  EXPECT_EQ(nearest_name("backofLimit", kNames), "backoffLimit");
  EXPECT_EQ(nearest_name("paralelism", kNames), "parallelism");
  EXPECT_EQ(nearest_name("Suspend", kNames), "suspend");
  EXPECT_EQ(nearest_name("completion", kNames), "completions");
  EXPECT_EQ(nearest_name("ttl", kNames), "ttl");
}

TEST(NearestName, SuggestsNothingFarAway) {
  constexpr std::array<std::string_view, 2> kNames = {"suspend", "completions"};
  EXPECT_EQ(nearest_name("image", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100'000, 's'), kNames), std::nullopt);
  EXPECT_EQ(nearest_name("suspend", {}), std::nullopt);
}

TEST(NearestName, OfEqualsTheFirst) {
  constexpr std::array<std::string_view, 2> kNames = {"abcx", "abcy"};
  EXPECT_EQ(nearest_name("abcz", kNames), "abcx");
}

}  // namespace
}  // namespace windlass
