#include "net/admission/unproven_connections.h"

#include <gtest/gtest.h>

namespace windlass::net {
namespace {

TEST(UnprovenConnections, TheNetworkWithMostOfThemLosesItsOldest) {
  UnprovenConnections unproven;
  EXPECT_EQ(unproven.oldest_of_largest(), std::nullopt);
  unproven.add(1, "a");
  unproven.add(2, "b");
  unproven.add(3, "b");
  EXPECT_EQ(unproven.oldest_of_largest(), 2u);
  EXPECT_EQ(unproven.oldest_of("a"), 1u);
  EXPECT_EQ(unproven.count("b"), 2u);
  unproven.remove(2);
  EXPECT_EQ(unproven.oldest_of_largest(), 1u) << "as many each: the oldest of all";
  unproven.remove(1);
  unproven.remove(1);
  EXPECT_EQ(unproven.count("a"), 0u);
  EXPECT_EQ(unproven.oldest_of("a"), std::nullopt);
  EXPECT_EQ(unproven.oldest_of_largest(), 3u);
}

}  // namespace
}  // namespace windlass::net
