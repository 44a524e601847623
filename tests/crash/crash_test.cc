// Kills the store under load, again and again: safety.md S1, S2, S6 with a real process.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

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

namespace files = std::filesystem;

struct FileDamage {
  const char* name;
  // With a copy of the directory from before the last life.
  std::function<void(const std::string& directory, const std::string& older)> happen;
};

void PrintTo(const FileDamage& tried, std::ostream* out) {
  *out << tried.name;
}

const FileDamage kLogRemoved{"LogRemoved", [](const std::string& directory, const std::string&) {
                               files::remove(directory + "/store.db-wal");
                             }};
const FileDamage kLogEmptied{"LogEmptied", [](const std::string& directory, const std::string&) {
                               files::resize_file(directory + "/store.db-wal", 0);
                             }};
const FileDamage kBothRemoved{"BothRemoved", [](const std::string& directory, const std::string&) {
                                files::remove(directory + "/store.db");
                                files::remove(directory + "/store.db-wal");
                              }};
const FileDamage kBothReplaced{"BothReplacedByOlderOnes",
                               [](const std::string& directory, const std::string& older) {
                                 for (const char* name : {"/store.db", "/store.db-wal"}) {
                                   files::copy(older + name, directory + name + ".old");
                                   files::rename(directory + name + ".old", directory + name);
                                 }
                               }};

// A kill right after a checkpoint leaves a log with nothing in it: then its removal loses nothing.
constexpr int kMaxRounds = 20;

class CrashDamage : public testing::TestWithParam<FileDamage> {
 protected:
  // Lives, damages and starts again until a start is refused; each start that is not must find
  // everything.
  void expect_refusal(bool while_it_runs) {
    const char* program = std::getenv("WINDLASS_CRASH_SUBJECT");
    ASSERT_NE(program, nullptr) << "names the program to kill; see tests/crash/README.md";
    const posix::TemporaryDirectory folder;
    const std::string data = folder / "data";
    Driver driver(program, data);
    driver.live(0, {.writes = 50});
    files::copy(data, folder / "older");
    for (int round = 0; round < kMaxRounds && driver.refusal().empty(); ++round) {
      Life life{.writes = 300};
      if (while_it_runs) {
        life.damage = [&] { GetParam().happen(data, folder / "older"); };
      }
      driver.live(1, life);
      EXPECT_EQ(driver.stopped(), while_it_runs);
      if (!while_it_runs) {
        GetParam().happen(data, folder / "older");
      }
      driver.live(2, {.writes = 1});
      ASSERT_THAT(driver.faults(), testing::IsEmpty());
    }
    EXPECT_THAT(driver.refusal(), testing::HasSubstr("was acknowledged: "));
  }
};

TEST_P(CrashDamage, S1_IsRefusedByTheNextStart) {
  expect_refusal(false);
}
INSTANTIATE_TEST_SUITE_P(All, CrashDamage,
                         testing::Values(kLogRemoved, kLogEmptied, kBothRemoved, kBothReplaced),
                         [](const auto& instance) { return std::string(instance.param.name); });

class CrashDamageUnderWay : public CrashDamage {};

TEST_P(CrashDamageUnderWay, S1_StopsTheStore) {
  expect_refusal(true);
}
INSTANTIATE_TEST_SUITE_P(All, CrashDamageUnderWay,
                         testing::Values(kLogRemoved, kBothRemoved, kBothReplaced),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace windlass::crash
