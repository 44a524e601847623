#include "node/pressure/thresholds.h"

#include <gtest/gtest.h>

namespace windlass::node::pressure {
namespace {

std::string error_of(const EvictionFlags& flags) {
  const Result<EvictionConfig> config = read_flags(flags);
  return config ? "fine" : config.error().message;
}

TEST(EvictionThresholds, K55_TheDefaultsAreAbsoluteAmounts) {
  const EvictionConfig config = *read_flags({});
  ASSERT_EQ(config.thresholds.size(), 3u);
  EXPECT_EQ(config.thresholds[0], (Threshold{EvictionSignal::memory, {100u << 20, 0, "100Mi"}}));
  EXPECT_EQ(config.thresholds[1], (Threshold{EvictionSignal::disk, {256u << 20, 0, "256Mi"}}));
  EXPECT_EQ(config.thresholds[2], (Threshold{EvictionSignal::inodes, {1000, 0, "1000"}}));
  EXPECT_EQ(config.transition, minutes(5));
  EXPECT_EQ(config.max_pod_grace, Duration::zero());
  EXPECT_TRUE(read_flags({.hard = ""})->thresholds.empty());
}

TEST(EvictionThresholds, K55_AmountsAndPercentages) {
  const EvictionConfig config = *read_flags({.hard = "pid.available<5.5%,memory.available<1Gi"});
  ASSERT_EQ(config.thresholds.size(), 2u);
  EXPECT_EQ(config.thresholds[0].signal, EvictionSignal::memory);  // dealt with first
  const Amount& share = config.thresholds[1].amount;
  EXPECT_EQ(share.of(1000), 55u);
  EXPECT_EQ(share.of(~uint64_t{0}), 1'014'570'924'054'025'338u);
  EXPECT_EQ(share.shown(1 << 30), "59055800");
  EXPECT_EQ((Amount{0, 10'000, "10%"}).shown(10u << 20), "1Mi");
  EXPECT_EQ(config.thresholds[0].amount.shown(5), "1Gi");
}

TEST(EvictionThresholds, K56_SoftOnesHaveAGracePeriod) {
  const EvictionConfig config =
      *read_flags({.hard = "memory.available<1Mi",
                   .soft = "memory.available<2Mi",
                   .soft_grace = "memory.available=1m30s,pid.available=5s",
                   .minimum_reclaim = "memory.available=10%",
                   .max_pod_grace = "60",
                   .transition = "0s"});
  ASSERT_EQ(config.thresholds.size(), 2u);
  EXPECT_TRUE(config.thresholds[0].hard());
  EXPECT_FALSE(config.thresholds[1].hard());
  EXPECT_EQ(config.thresholds[1].grace, seconds(90));
  EXPECT_EQ(config.thresholds[1].minimum_reclaim->milli_percent, 10'000u);
  EXPECT_EQ(config.max_pod_grace, minutes(1));
  EXPECT_EQ(config.transition, Duration::zero());
  EXPECT_EQ(error_of({.soft = "memory.available<2Mi"}),
            "invalid --eviction-soft \"memory.available\": needs --eviction-soft-grace-period");
}

TEST(EvictionThresholds, ErrorsNameTheFlag) {
  EXPECT_EQ(error_of({.hard = "memory.available"}),
            "invalid --eviction-hard \"memory.available\": must be SIGNAL<VALUE");
  EXPECT_EQ(error_of({.hard = "imagefs.available<10%"}),
            "invalid --eviction-hard \"imagefs.available\": is not a signal; memory.available, "
            "nodefs.available, nodefs.inodesFree and pid.available are");
  EXPECT_EQ(error_of({.hard = "memory.available<much"}),
            "invalid --eviction-hard \"much\": must be an amount such as 100Mi, or a percentage "
            "such as 10%");
  EXPECT_EQ(error_of({.hard = "memory.available<-1"}),
            "invalid --eviction-hard \"-1\": must be an amount such as 100Mi, or a percentage "
            "such as 10%");
  EXPECT_EQ(error_of({.hard = "memory.available<100%"}),
            "invalid --eviction-hard \"100%\": a percentage must be above 0 and below 100");
  EXPECT_EQ(error_of({.hard = "pid.available<1,pid.available<2"}),
            "invalid --eviction-hard \"pid.available<2\": the signal is there twice");
  EXPECT_EQ(error_of({.soft_grace = "pid.available=soon"}),
            "invalid --eviction-soft-grace-period \"soon\": must be a duration such as 90s or 5m");
  EXPECT_EQ(error_of({.minimum_reclaim = "pid.available"}),
            "invalid --eviction-minimum-reclaim \"pid.available\": must be SIGNAL=VALUE");
  EXPECT_EQ(error_of({.max_pod_grace = "1m"}),
            "invalid --eviction-max-pod-grace-period \"1m\": must be a number of seconds");
  EXPECT_EQ(error_of({.transition = ""}),
            "invalid --eviction-pressure-transition-period \"\": must be a duration such as 30s or "
            "5m");
}

}  // namespace
}  // namespace windlass::node::pressure
