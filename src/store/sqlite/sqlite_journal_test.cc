#include "store/sqlite/sqlite_journal.h"

#include <gmock/gmock.h>

#include "store/sqlite/journal_testing.h"

namespace windlass::store {
namespace {

using testing::HasSubstr;

class SqliteJournalTest : public testing::Test {
 protected:
  // A new process on the same disk.
  Machine& restart() {
    if (machine_) {
      machine_->close();
    }
    disk_.process_death();
    machine_ = std::make_unique<Machine>(disk_, record_, ++seed_);
    const auto opened = machine_->open(options_);
    EXPECT_TRUE(opened) << opened.error().message;
    return *machine_;
  }
  // Ends the process, and says why the next one cannot start; "" when it can.
  std::string refusal_to_start() {
    machine_.reset();
    disk_.process_death();
    Machine machine(disk_, record_, ++seed_);
    const auto opened = machine.open(options_);
    return opened ? "" : opened.error().message;
  }

  FaultDisk disk_;
  JournalRecord record_;
  LogOptions options_ = small_options();
  std::unique_ptr<Machine> machine_;
  uint64_t seed_ = 0;
};

TEST_F(SqliteJournalTest, S1_AWriteIsSeenOnceItIsCommitted) {
  Machine& machine = restart();
  machine.write("a", false, 100);
  EXPECT_EQ(machine.store().get({"pods", "x", "a"}), nullptr);
  machine.settle();
  EXPECT_NE(machine.store().get({"pods", "x", "a"}), nullptr);
  EXPECT_EQ(record_.acknowledged(), 2U);
}

TEST_F(SqliteJournalTest, WhatComesTogetherIsCommittedTogether) {
  Machine& machine = restart();
  for (int i = 0; i < 64; ++i) {
    machine.write("name" + std::to_string(i), false, 100);
  }
  machine.settle();
  EXPECT_EQ(machine.journal().groups(), 1U);
  EXPECT_EQ(machine.store().revision(), 65U);
}

TEST_F(SqliteJournalTest, AGroupIsBoundedInBytes) {
  Machine& machine = restart();
  for (int i = 0; i < 10; ++i) {
    machine.write("name" + std::to_string(i), false, 1'000'000);
  }
  machine.settle();
  EXPECT_EQ(machine.journal().groups(), 3U);
  EXPECT_EQ(machine.store().revision(), 11U);
}

TEST_F(SqliteJournalTest, S6_ARestartGoesOnWhereItEnded) {
  restart().work(50);
  const Revision before = machine_->store().revision();
  record_.expect_restarted(restart().store());
  EXPECT_EQ(machine_->store().revision(), before);
  EXPECT_EQ(machine_->store().next_revision(), before + 1);
}

TEST_F(SqliteJournalTest, M87_TheCounterSurvivesThatEverythingIsDeleted) {
  restart().write("a", false, 10);
  machine_->write("a", true, 10);
  machine_->settle();
  options_.keep_revisions = 1;
  for (int i = 0; i < 30; ++i) {
    machine_->write("b", false, 10);
    machine_->write("b", true, 10);
    machine_->settle();
  }
  EXPECT_EQ(restart().store().next_revision(), 64U);
  EXPECT_EQ(state_of(machine_->store()), State());
}

TEST_F(SqliteJournalTest, S4_S5_AWatchResumesAcrossARestart) {
  for (int round = 0; round < 20; ++round) {
    Machine& before = restart();
    before.work(40);
    const State listed = state_of(before.store());
    const Revision revision = before.store().revision();
    before.work(6);
    Machine& after = restart();
    const auto watcher = after.store().watch("pods", "", revision, [] {});
    ASSERT_NE(watcher, nullptr) << "twelve revisions are kept";
    State seen = listed;
    Revision last = revision;
    for (auto next = watcher->next(); next.version; next = watcher->next()) {
      EXPECT_GT(next.version->revision(), last);
      last = next.version->revision();
      EXPECT_EQ(seen.count(next.version->key()) == 0, next.version->change() == Change::created);
      seen[next.version->key()] = {last, next.version->bytes()};
      if (next.version->is_deletion()) {
        seen.erase(next.version->key());
      }
    }
    EXPECT_EQ(seen, state_of(after.store()));
    EXPECT_EQ(last, after.store().revision());
  }
}

TEST_F(SqliteJournalTest, M79_AWatchFromBeforeTheKeptHistoryIsRefusedAfterARestart) {
  restart().work(100);
  Machine& after = restart();
  EXPECT_GT(after.file().compacted(), 1U);
  EXPECT_EQ(after.store().compacted("pods"), after.file().compacted());
  EXPECT_EQ(after.store().watch("pods", "", 2, [] {}), nullptr);
}

TEST_F(SqliteJournalTest, CompactionBoundsRowsAndFile) {
  options_.free_pages = 0;
  Machine& machine = restart();
  for (int i = 0; i < 3'000; ++i) {
    machine.write("a", false, 2'000);
    if (i % 7 == 0) {
      machine.settle();
    }
  }
  machine.settle();
  EXPECT_LT(machine.file().row_count(), 60U);
  EXPECT_LT(disk_.content("store.db").size(), 4'000'000U);
  EXPECT_LT(disk_.content("store.db-wal").size(), 1'000'000U);
  EXPECT_EQ(machine.store().revision(), 3'001U);
}

TEST_F(SqliteJournalTest, V3_OnAFullDiskReadsAndDeletionsGoOnAndItRecoversByItself) {
  disk_.set_capacity(1'000'000);
  Machine& machine = restart();
  int written = 0;
  while (!machine.store().full() && written < 10'000) {
    machine.write("name" + std::to_string(written++), false, 2'000);
    machine.settle();
  }
  ASSERT_TRUE(machine.store().full());
  EXPECT_EQ(machine.store().full()->code, 507);
  EXPECT_EQ(machine.store().revision(), machine.store().head_revision())
      << "the one that met the full disk got the reserve";
  EXPECT_FALSE(machine.store().poisoned());

  machine.write("other", false, 10);
  EXPECT_EQ(machine.refusals().back(), WriteRefusal::full);
  EXPECT_NE(machine.store().get({"pods", "x", "name0"}), nullptr);
  const Revision before = machine.store().revision();
  for (int i = 0; i < written; ++i) {
    machine.write("name" + std::to_string(i), true, 2'000);
    machine.sim().run_for(milliseconds(20));
  }
  EXPECT_GT(machine.store().revision(), before + 300) << "deletions are committed";
  machine.sim().run_for(seconds(5));
  EXPECT_FALSE(machine.store().full()) << "the deletions made room";
  machine.write("other", false, 10);
  machine.settle();
  EXPECT_NE(machine.store().get({"pods", "x", "other"}), nullptr);
  record_.expect_restarted(restart().store());
}

TEST_F(SqliteJournalTest, V3_AFullDiskIsLookedAtAgain) {
  disk_.set_capacity(600'000);
  Machine& machine = restart();
  // What can be given back is soon used up; then only another program can make room.
  for (int i = 0; i < 1'000; ++i) {
    if (machine.store().full()) {
      machine.sim().run_for(seconds(2));
    }
    if (machine.store().full()) {
      break;
    }
    machine.write("name" + std::to_string(i), false, 2'000);
    machine.settle();
  }
  ASSERT_TRUE(machine.store().full());
  machine.sim().run_for(minutes(1));
  EXPECT_TRUE(machine.store().full());
  disk_.set_capacity(10'000'000);
  machine.sim().run_for(seconds(2));
  EXPECT_FALSE(machine.store().full());
  machine.write("other", false, 10);
  machine.settle();
  EXPECT_EQ(machine.store().revision(), machine.store().head_revision());
}

TEST_F(SqliteJournalTest, S1_WhatFoundNoRoomIsNeitherSeenNorBuiltOn) {
  Machine& machine = restart();
  machine.write("a", false, 100);
  machine.settle();
  disk_.plan(FaultDisk::DiskFault::full, 1, true);
  machine.write("a", false, 200);
  machine.write("b", false, 200);
  machine.write("a", false, 300);
  machine.settle();
  ASSERT_TRUE(machine.store().full());
  EXPECT_EQ(record_.acknowledged(), 2U);
  EXPECT_EQ(machine.store().head({"pods", "x", "a"})->revision(), 2U);
  EXPECT_EQ(machine.store().head({"pods", "x", "b"}), nullptr);
  disk_.clear_plan();
  machine.sim().run_for(seconds(2));
  EXPECT_FALSE(machine.store().full());
  machine.write("a", false, 400);
  machine.settle();
  EXPECT_EQ(record_.acknowledged(), 6U);
  record_.expect_restarted(restart().store());
}

TEST_F(SqliteJournalTest, StartsOnAFullDiskForReadsAndDeletions) {
  restart().work(30);
  machine_->close();
  disk_.set_capacity(disk_.used() - 1'000);
  Machine& machine = restart();
  EXPECT_TRUE(machine.store().full());
  record_.expect_restarted(machine.store());
  machine.write("new", false, 10);
  EXPECT_EQ(machine.refusals().back(), WriteRefusal::full);
}

TEST_F(SqliteJournalTest, ANewStoreDoesNotBeginWithoutRoom) {
  disk_.set_capacity(50'000);
  EXPECT_THAT(refusal_to_start(), HasSubstr("no space"));
}

TEST_F(SqliteJournalTest, V2_AFailedWritePoisonsTheStoreAndSaysWhy) {
  Machine& machine = restart();
  machine.write("a", false, 100);
  machine.settle();
  // Behind the look at its three files.
  disk_.plan(FaultDisk::DiskFault::io_error, 4, false);
  machine.write("a", false, 200);
  machine.settle();
  ASSERT_TRUE(machine.store().poisoned());
  EXPECT_EQ(machine.store().poisoned()->code, 500);
  EXPECT_THAT(machine.store().poisoned()->message, HasSubstr("store.db: disk I/O error"));
  EXPECT_EQ(machine.store().get({"pods", "x", "a"})->revision(), 2U) << "reads go on";
  machine.write("b", false, 10);
  EXPECT_EQ(machine.refusals().back(), WriteRefusal::poisoned);
}

}  // namespace
}  // namespace windlass::store
