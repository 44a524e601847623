// Issues of scale as numbers that do not depend on the machine: pods looked at and status bytes
// written over a whole Job, for one size and for one sixteen times as large (safety.md Z4).
#include <gtest/gtest.h>

#include <cmath>

#include "verify/engine/job_life_testing.h"

namespace windlass::engine::testing {
namespace {

constexpr double kMaxExponent = 1.05;
constexpr int64_t kSmall = 1000;
constexpr int64_t kLarge = 16 * kSmall;

struct Cost {
  uint64_t visits = 0;
  size_t bytes_per_pod = 0;
};

Cost cost_of(LifePlan plan) {
  Meter meter;
  Life life(plan, meter);
  life.run();
  EXPECT_EQ(life.status().succeeded, plan.pods);
  return {life.visits(), life.most_table_bytes() / life.most_pods()};
}

double exponent(uint64_t small, uint64_t large) {
  return std::log(static_cast<double>(large) / static_cast<double>(small)) /
         std::log(static_cast<double>(kLarge) / static_cast<double>(kSmall));
}

void expect_linear(LifePlan small, LifePlan large) {
  small.pods = kSmall;
  large.pods = kLarge;
  const Cost little = cost_of(small);
  const Cost much = cost_of(large);
  EXPECT_LE(exponent(little.visits, much.visits), kMaxExponent);
  EXPECT_LE(much.visits / static_cast<uint64_t>(kLarge), 16U) << "visits of one pod";
  EXPECT_LE(much.bytes_per_pod, 128U);
}

TEST(Growth, AThousandAtATime) {
  expect_linear({}, {});
}

TEST(Growth, AllAtOnce) {
  expect_linear({.parallelism = kSmall, .wave = kSmall}, {.parallelism = kLarge, .wave = kLarge});
}

TEST(Growth, InAnyOrder) {
  expect_linear({.parallelism = kSmall, .shuffled = true},
                {.parallelism = kLarge, .shuffled = true});
}

TEST(Growth, NotIndexed) {
  expect_linear({.indexed = false}, {.indexed = false});
}

// Asked after every observation, as a controller asks, the engine looks at what changed.
TEST(Growth, ADecisionWithoutNewsLooksAtNothing) {
  FakeCluster cluster(indexed_job(500, 500));
  cluster.check_oracle = false;
  cluster.run();
  const uint64_t before = cluster.engine().state().visits();
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(cluster.engine().decide(cluster.now).has_writes());
  }
  EXPECT_EQ(cluster.engine().state().visits(), before);
}

}  // namespace
}  // namespace windlass::engine::testing
