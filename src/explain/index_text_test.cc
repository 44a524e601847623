#include "explain/index_text.h"

#include <gtest/gtest.h>

namespace windlass::explain {
namespace {

TEST(RemainingIndexesTest, AreThoseInNeitherSet) {
  EXPECT_EQ(remaining_indexes(5, {}, {}).to_string(), "0-4");
  EXPECT_EQ(remaining_indexes(10, {0, 1, 5}, {3}).to_string(), "2,4,6-9");
  EXPECT_EQ(remaining_indexes(3, {0, 1}, {2}).to_string(), "");
  EXPECT_EQ(remaining_indexes(0, {}, {}).to_string(), "");
}

// A Job that was scaled down may still have ended indexes beyond its completions.
TEST(RemainingIndexesTest, IgnoresIndexesBeyondTheCompletions) {
  EXPECT_EQ(remaining_indexes(2, {1, 7}, {9}).to_string(), "0");
}

TEST(RemainingIndexesTest, HoldsAtTheLargestCompletions) {
  EXPECT_EQ(remaining_indexes(2147483647, {2147483646}, {}).to_string(), "0-2147483645");
}

}  // namespace
}  // namespace windlass::explain
