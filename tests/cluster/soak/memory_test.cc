#include "cluster/soak/memory.h"

#include <gtest/gtest.h>

namespace windlass::cluster_tests {
namespace {

TEST(Growth, IsBetweenTheSecondAndTheLastQuarter) {
  const Growth growth = growth_of({1000, 2000, 10'000, 10'100, 10'000, 9'000, 10'050, 10'200});
  EXPECT_EQ(growth.before_kb, 10'100);
  EXPECT_EQ(growth.after_kb, 10'200);
  EXPECT_TRUE(growth.within_limits());
}

TEST(Growth, AboveATenthAndAMegabyteIsTooMuch) {
  EXPECT_TRUE((Growth{10'000, 12'024}.within_limits()));
  EXPECT_FALSE((Growth{10'000, 12'025}.within_limits()));
}

TEST(Growth, OfFewSamplesIsNothing) {
  EXPECT_TRUE(growth_of({}).within_limits());
  EXPECT_TRUE(growth_of({5}).within_limits());
}

}  // namespace
}  // namespace windlass::cluster_tests
