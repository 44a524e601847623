#include "node/pressure/pressure_tracker.h"

#include <gtest/gtest.h>

namespace windlass::node::pressure {
namespace {

class PressureStateTest : public ::testing::Test {
 protected:
  // `later` after the look before.
  void look(const ResourceLevels& levels, Duration later = seconds(10)) {
    now_ += later;
    tracker_->observe(now_, levels);
  }
  void configure(const EvictionFlags& flags) { tracker_.emplace(*read_flags(flags)); }
  std::string due() const {
    return tracker_->due() == nullptr ? "nothing"
                                      : std::string(signal_name(tracker_->due()->signal));
  }

  std::optional<PressureTracker> tracker_;
  MonotonicTime now_{};
};

ResourceLevels memory(uint64_t available) {
  return {{EvictionSignal::memory, {available, 1000}}};
}

TEST_F(PressureStateTest, K55_LessThanTheThresholdIsAShortage) {
  configure({.hard = "memory.available<10%"});
  look(memory(100));
  EXPECT_EQ(due(), "nothing");
  EXPECT_EQ(tracker_->conditions(), Conditions{});
  look(memory(99));
  EXPECT_EQ(due(), "memory.available");
  EXPECT_EQ(tracker_->conditions(), (Conditions{.memory = true}));
  look({});  // nothing is known
  EXPECT_EQ(due(), "nothing");
}

TEST_F(PressureStateTest, S108_K58_TheConditionGoesAfterTheTransitionPeriod) {
  configure({.hard = "memory.available<100", .transition = "20s"});
  look(memory(50));
  EXPECT_TRUE(tracker_->conditions().memory);
  look(memory(500));
  EXPECT_TRUE(tracker_->conditions().memory);
  EXPECT_EQ(due(), "nothing");
  look(memory(500));
  EXPECT_FALSE(tracker_->conditions().memory);
}

TEST_F(PressureStateTest, S107_K56_ASoftShortageHasToLast) {
  configure({.hard = "", .soft = "memory.available<100", .soft_grace = "memory.available=15s"});
  look(memory(50));
  EXPECT_TRUE(tracker_->conditions().memory);  // at once
  EXPECT_EQ(due(), "nothing");
  look(memory(150));  // over in between: counted anew
  look(memory(50));
  look(memory(50));
  EXPECT_EQ(due(), "nothing");
  look(memory(50));
  EXPECT_EQ(due(), "memory.available");
  EXPECT_FALSE(tracker_->due()->hard());
}

TEST_F(PressureStateTest, K57_AShortageLastsUntilTheMinimumReclaimIsThere) {
  configure({.hard = "memory.available<100", .minimum_reclaim = "memory.available=50"});
  look(memory(120));
  EXPECT_EQ(due(), "nothing");  // never was short
  look(memory(80));
  EXPECT_EQ(missing(*tracker_->due(), memory(80)), 70u);
  look(memory(149));
  EXPECT_EQ(due(), "memory.available");
  look(memory(150));
  EXPECT_EQ(due(), "nothing");
}

TEST_F(PressureStateTest, K59_MemoryFirstAndHardBeforeSoft) {
  configure({.hard = "pid.available<10,nodefs.inodesFree<10,memory.available<10",
             .soft = "memory.available<20",
             .soft_grace = "memory.available=0s"});
  const env::ResourceLevel low{5, 100};
  look({{EvictionSignal::pids, low}, {EvictionSignal::inodes, low}, {EvictionSignal::memory, low}});
  EXPECT_EQ(due(), "memory.available");
  EXPECT_TRUE(tracker_->due()->hard());
  EXPECT_EQ(tracker_->conditions(), (Conditions{true, true, true}));
  look({{EvictionSignal::pids, low}, {EvictionSignal::inodes, low}});
  EXPECT_EQ(due(), "nodefs.inodesFree");
  look({{EvictionSignal::pids, low}});
  EXPECT_EQ(due(), "pid.available");
}

}  // namespace
}  // namespace windlass::node::pressure
