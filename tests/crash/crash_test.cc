// Kills the store under load, again and again: reliability.md S1, S2, S6 with a real process.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "base/generator.h"
#include "crash_driver.h"
#include "posix/testing.h"

namespace windlass::crash {
namespace {

constexpr int kLives = 250;
// Within what every run of the tests can spare; a slow machine has fewer lives, but not none.
constexpr auto kBudget = seconds(50);
constexpr int kMinLives = 20;

// One life in four is killed at any moment of its first 150 ms, so also while it starts. The others
// come as far as writing on the slowest machine, too, and are killed amid whatever they do then.
Life some_life(Generator& random) {
  if (random.chance(0.25)) {
    return {.writes = 0, .delay = microseconds(random.uniform(150'000))};
  }
  return {.writes = 1 + static_cast<int>(random.uniform(300)),
          .delay = microseconds(random.uniform(5'000))};
}

TEST(Crash, S1_S2_S6_WhatWasAcknowledgedSurvivesEveryKill) {
  const char* program = std::getenv("WINDLASS_CRASH_SUBJECT");
  ASSERT_NE(program, nullptr) << "names the program to kill; see tests/crash/README.md";
  const char* wanted = std::getenv("WINDLASS_CRASH_LIVES");
  const int lives = wanted == nullptr ? kLives : std::atoi(wanted);
  const auto begin = std::chrono::steady_clock::now();
  const posix::TemporaryDirectory folder;
  Driver driver(program, folder.path());
  Generator random(20'261'115);
  int done = 0;
  for (; done < lives; ++done) {
    if (wanted == nullptr && done >= kMinLives &&
        std::chrono::steady_clock::now() - begin > kBudget) {
      break;
    }
    driver.live(static_cast<uint64_t>(done), some_life(random));
    if (!driver.faults().empty()) {
      break;
    }
  }
  for (const std::string& fault : driver.faults()) {
    ADD_FAILURE() << "life " << done << ": " << fault;
  }
  EXPECT_GT(driver.lives(), done / 2) << "most lives come as far as writing";
  EXPECT_GT(driver.acknowledged(), static_cast<uint64_t>(done)) << "there was load";
  RecordProperty("kills", done);
  fmt::print("{} kills, {} acknowledged writes\n", done, driver.acknowledged());
}

}  // namespace
}  // namespace windlass::crash
