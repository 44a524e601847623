#include "http/rate_limit.h"

#include <gtest/gtest.h>

namespace windlass::http {
namespace {

TEST(RateLimit, LetsABurstThroughAndThenTheRate) {
  RateLimit limit(10, 3);
  MonotonicTime now(hours(1));
  const MonotonicTime start = now;
  int passed = 0;
  while (now - start < seconds(10)) {
    const Duration wait = limit.take(now);
    passed += wait == Duration::zero() ? 1 : 0;
    now += wait;
  }
  EXPECT_NEAR(passed, 3 + 100, 1);
}

TEST(RateLimit, KeepsNoMoreThanABurst) {
  RateLimit limit(100, 2);
  MonotonicTime now(hours(1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(limit.take(now), Duration::zero());
  }
  EXPECT_GT(limit.take(now), Duration::zero());
  now += hours(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(limit.take(now), Duration::zero());
  }
  EXPECT_GT(limit.take(now), Duration::zero());
}

TEST(RateLimit, WithoutARateThereIsNone) {
  RateLimit limit(0, 0);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(limit.take(MonotonicTime(hours(1))), Duration::zero());
  }
}

}  // namespace
}  // namespace windlass::http
