#include "virtual_world/faults.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "virtual_world/world.h"

namespace windlass::virtual_world {
namespace {

TEST(VirtualFaults, NothingFiresUntilToldTo) {
  VirtualFaults faults(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(faults.fires("a.b"));
  }
  EXPECT_EQ(faults.record().at("a.b").reached, 100U);
  EXPECT_EQ(faults.fired("a.b"), 0U);
  EXPECT_EQ(faults.fired("never asked"), 0U);
}

TEST(VirtualFaults, FiresWithItsProbability) {
  VirtualFaults faults(1);
  faults.set("always", 1);
  faults.set("half", 0.5);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(faults.fires("always"));
    faults.fires("half");
  }
  EXPECT_NEAR(static_cast<double>(faults.fired("half")), 500, 60);
}

TEST(VirtualFaults, APointThatNeverFiresDoesNotMoveTheOthers) {
  const auto run = [](bool with_other) {
    VirtualFaults faults(3);
    faults.set("half", 0.5);
    std::string fired;
    for (int i = 0; i < 50; ++i) {
      if (with_other) {
        faults.fires("other");
      }
      fired += faults.fires("half") ? '1' : '0';
    }
    return fired;
  };
  EXPECT_EQ(run(false), run(true));
}

TEST(VirtualFaults, TheSeedArmsPoints) {
  std::set<std::string> patterns;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    VirtualFaults faults(seed);
    VirtualFaults again(seed);
    faults.arm_by_seed(0.5, 1);
    again.arm_by_seed(0.5, 1);
    std::string pattern;
    for (int point = 0; point < 8; ++point) {
      const std::string name = "point." + std::to_string(point);
      const bool armed = faults.fires(name);
      EXPECT_EQ(faults.fires(name), armed) << "armed is for the whole run";
      EXPECT_EQ(again.fires(name), armed);
      pattern += armed ? '1' : '0';
    }
    patterns.insert(pattern);
  }
  EXPECT_GT(patterns.size(), 10U);
}

TEST(VirtualFaults, DisarmHeals) {
  VirtualFaults faults(1);
  faults.set("always", 1);
  EXPECT_TRUE(faults.fires("always"));
  faults.disarm();
  EXPECT_FALSE(faults.fires("always"));
}

TEST(NoFaults, NeverFire) {
  EXPECT_FALSE(env::no_faults().fires("a.b"));
}

}  // namespace
}  // namespace windlass::virtual_world
