#include "engine/policy/retry.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

TEST(Retries, R0_2_OneSecondDoublingToSixty) {
  Retry retry;
  Time now = time_from_unix(0);
  EXPECT_TRUE(retry.open(now));
  for (const int expected : {1, 2, 4, 8, 16, 32, 60, 60}) {
    retry.failed();
    retry.settle(now, {});
    EXPECT_EQ(retry.not_before(), now + seconds(expected));
    EXPECT_FALSE(retry.open(now));
    now += seconds(expected);
    EXPECT_TRUE(retry.open(now));
  }
  retry.succeeded();
  retry.settle(now, {});
  EXPECT_EQ(retry.not_before(), std::nullopt);
}

}  // namespace
}  // namespace windlass::engine
