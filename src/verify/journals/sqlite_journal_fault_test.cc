// Each file call of a store's life goes wrong once, in every way, n = 1, 2, 3 … until a run is
// clean; after each a restart must find everything that was acknowledged and nothing half
// (safety.md V2, S1, S2, S6, I33-I39).
#include <gmock/gmock.h>

#include "base/sanitized_testing.h"
#include "store/sqlite/journal_testing.h"

namespace windlass::store {
namespace {

using Fault = FaultDisk::DiskFault;
using Survival = FaultDisk::Survival;

constexpr int kWrites = 60;
// More calls than a run has: then the loop does not end.
constexpr uint64_t kMaxCalls = 20'000;
constexpr uint64_t kEvery = kSanitized ? 4 : 1;

struct FaultCase {
  const char* name;
  Fault fault;
  bool sticky;
  Survival survival;
};

void PrintTo(const FaultCase& tried, std::ostream* out) {
  *out << tried.name;
}

class SqliteJournalFaults : public testing::TestWithParam<FaultCase> {};

// Opens the store, writes, closes it; the fault strikes somewhere. Then the power goes.
void live(FaultDisk& disk, JournalRecord& record, uint64_t seed) {
  Machine machine(disk, record, seed);
  if (!machine.open()) {
    return;
  }
  machine.work(kWrites);
  machine.close();
}

// A restart without faults works, goes on, and a second one finds the same.
void check_restart(FaultDisk& disk, JournalRecord& record, uint64_t seed) {
  {
    Machine machine(disk, record, seed);
    const auto opened = machine.open();
    ASSERT_TRUE(opened) << opened.error().message;
    record.expect_restarted(machine.store());
    const Revision before = machine.store().revision();
    machine.work(8);
    EXPECT_FALSE(machine.store().poisoned());
    EXPECT_GT(machine.store().revision(), before) << "S2: revisions only grow";
    machine.close();
  }
  Machine again(disk, record, seed);
  const auto opened = again.open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(again.store().revision(), record.acknowledged());
  record.expect_restarted(again.store());
}

TEST_P(SqliteJournalFaults, S1_S6_ARestartFindsWhatWasAcknowledged) {
  const FaultCase& tried = GetParam();
  uint64_t runs = 0;
  for (uint64_t call = 1; call < kMaxCalls; call += kEvery) {
    SCOPED_TRACE("call " + std::to_string(call));
    FaultDisk disk;
    JournalRecord record;
    disk.plan(tried.fault, call, tried.sticky);
    live(disk, record, call);
    const bool happened = disk.happened();
    disk.power_loss(tried.survival, call);
    check_restart(disk, record, call);
    if (HasFailure()) {
      return;
    }
    ++runs;
    if (!happened) {
      EXPECT_GT(runs, 50U / kEvery) << "the faults reach the whole life of the store";
      return;
    }
  }
  FAIL() << "no clean run";
}

// A new process finds in the machine's memory what a failed sync has lost. It must not acknowledge
// anything that a power loss would take together with that.
TEST(SqliteJournalFaults, S1_ANewProcessDoesNotBuildOnWhatASyncHasLost) {
  const FaultCase tried{"", Fault::io_error, false, Survival::none};
  for (uint64_t call = 1; call < kMaxCalls; call += kEvery) {
    SCOPED_TRACE("call " + std::to_string(call));
    FaultDisk disk;
    JournalRecord record;
    disk.plan(tried.fault, call, tried.sticky);
    live(disk, record, call);
    const bool happened = disk.happened();
    disk.process_death();
    {
      Machine machine(disk, record, call);
      const auto opened = machine.open();
      ASSERT_TRUE(opened) << opened.error().message;
      record.expect_restarted(machine.store());
      machine.work(8);
      EXPECT_FALSE(machine.store().poisoned());
    }
    disk.power_loss(tried.survival, call);
    check_restart(disk, record, call);
    if (HasFailure() || !happened) {
      return;
    }
  }
  FAIL() << "no clean run";
}

INSTANTIATE_TEST_SUITE_P(
    All, SqliteJournalFaults,
    testing::Values(FaultCase{"ErrorOnce", Fault::io_error, false, Survival::none},
                    FaultCase{"ErrorOnceAndSomeSurvives", Fault::io_error, false, Survival::some},
                    FaultCase{"ErrorForGood", Fault::io_error, true, Survival::all},
                    FaultCase{"FullOnce", Fault::full, false, Survival::none},
                    FaultCase{"FullForGood", Fault::full, true, Survival::some},
                    FaultCase{"ShortWrite", Fault::short_write, false, Survival::some},
                    FaultCase{"ShortWritesForGood", Fault::short_write, true, Survival::all},
                    FaultCase{"TornWrite", Fault::torn_write, false, Survival::all},
                    FaultCase{"CrashAndNothingUnsyncedSurvives", Fault::crash, false,
                              Survival::none},
                    FaultCase{"CrashAndEverythingSurvives", Fault::crash, false, Survival::all},
                    FaultCase{"CrashAndSomeSurvives", Fault::crash, false, Survival::some}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(SqliteJournalFaults, FullOnceIsOvercomeWithoutARestart) {
  for (uint64_t call = 1; call < kMaxCalls; call += kEvery) {
    SCOPED_TRACE("call " + std::to_string(call));
    FaultDisk disk;
    JournalRecord record;
    Machine machine(disk, record, call);
    ASSERT_TRUE(machine.open());
    disk.plan(Fault::full, call, false);
    machine.work(kWrites);
    EXPECT_FALSE(machine.store().poisoned());
    machine.sim().run_for(seconds(3));
    EXPECT_FALSE(machine.store().full());
    machine.write("z", false, 50);
    machine.settle();
    EXPECT_EQ(machine.store().revision(), machine.store().head_revision());
    EXPECT_NE(machine.store().get({"pods", "x", "z"}), nullptr);
    if (HasFailure() || !disk.happened()) {
      EXPECT_GT(call, 30U);
      return;
    }
  }
  FAIL() << "no clean run";
}

TEST(SqliteJournalFaults, AfterAFailedSyncNothingIsAcknowledgedAnyMore) {
  // fsync fails once and then "succeeds": what it lost is lost, so nothing may build on it.
  for (uint64_t call = 1; call < kMaxCalls; call += kEvery) {
    FaultDisk disk;
    JournalRecord record;
    Machine machine(disk, record, call);
    ASSERT_TRUE(machine.open());
    disk.plan(Fault::io_error, call, false);
    machine.work(kWrites);
    if (!disk.happened()) {
      return;
    }
    if (machine.store().poisoned()) {
      const Revision before = record.acknowledged();
      machine.write("z", false, 50);
      machine.sim().run_for(seconds(5));
      EXPECT_EQ(record.acknowledged(), before);
      EXPECT_EQ(machine.refusals().back(), WriteRefusal::poisoned);
      EXPECT_THAT(machine.store().poisoned()->message, testing::HasSubstr("store.db"));
    }
  }
  FAIL() << "no clean run";
}

}  // namespace
}  // namespace windlass::store
