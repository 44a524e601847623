#include "ledger/sqlite/sqlite_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/sqlite/ledger_testing.h"
#include "verify/journals/fault_disk.h"
#include "virtual_world/world.h"

namespace windlass::ledger {
namespace {

using store::FaultDisk;
using testing::HasSubstr;

class SqliteLedgerTest : public testing::Test {
 protected:
  SqliteLedgerTest() { open(); }
  ~SqliteLedgerTest() override {
    ledger_.reset();
    source_.reset();
    world_.run_for(seconds(1));
  }

  void open() {
    LedgerOptions options;
    options.place = {.vfs = disk_.vfs(), .shared = false};
    options.remove_rows = 2;
    ledger_ = std::make_unique<SqliteLedger>(
        world_.executor("core"), world_.executor("ledger"), world_.clock(), world_.log(), metrics_,
        LedgerFile::open(disk_.directory(), options).value(), hours(24));
  }
  // This disk has no memory that connections could share: one sees what is there when it is opened.
  void open_source() {
    source_ = std::make_unique<SqliteAttemptSource>(
        world_.executor("core"), world_.executor("search"),
        AttemptReader::open(disk_.directory(), {.vfs = disk_.vfs(), .shared = false}).value());
  }
  void record(uint64_t number) {
    ledger_->record(test_attempt(number), [this](const Result<void>& result) {
      answers_.push_back(result ? "ok" : result.error().message);
      codes_.push_back(result ? 200 : result.error().code);
    });
  }
  AttemptPage find(const AttemptFilter& filter = {}) {
    AttemptPage found;
    open_source();
    source_->find(filter, 100, "", [&](Result<AttemptPage> page) { found = std::move(*page); });
    world_.run_for(seconds(1));
    return found;
  }

  virtual_world::VirtualWorld world_{1};
  FaultDisk disk_;
  MetricRegistry metrics_;
  std::unique_ptr<SqliteLedger> ledger_;
  std::unique_ptr<SqliteAttemptSource> source_;
  std::vector<std::string> answers_;
  std::vector<int> codes_;
};

TEST_F(SqliteLedgerTest, AnswersOnceARecordIsDurable) {
  for (uint64_t i = 0; i < 10; ++i) {
    record(i);
  }
  EXPECT_TRUE(answers_.empty()) << "never inside the call";
  world_.run_for(milliseconds(1));
  EXPECT_EQ(answers_, std::vector<std::string>(10, "ok"));
  disk_.power_loss(FaultDisk::Survival::none, 1);
  ledger_.reset();
  world_.run_for(seconds(1));
  open();
  EXPECT_EQ(find().items.size(), 10u);
  EXPECT_THAT(metrics_.text(), HasSubstr("windlass_ledger_records_total{result=\"recorded\"} 10"));
}

TEST_F(SqliteLedgerTest, AFullDiskIsAnErrorForAsLongAsItIsFull) {
  disk_.set_capacity(disk_.used());
  record(1);
  world_.run_for(seconds(1));
  ASSERT_EQ(codes_, std::vector<int>{507});
  EXPECT_THAT(ledger_->trouble(), HasSubstr("full"));
  disk_.set_capacity(UINT64_MAX);
  record(1);
  world_.run_for(seconds(1));
  EXPECT_EQ(codes_, (std::vector<int>{507, 200}));
  EXPECT_EQ(ledger_->trouble(), "");
  EXPECT_EQ(find().items.size(), 1u);
}

TEST_F(SqliteLedgerTest, OldRecordsGoWhenTheirTimeHasPassed) {
  record(1);
  world_.run_for(hours(23));
  record(2);
  world_.run_for(seconds(1));
  EXPECT_EQ(find().items.size(), 2u);
  world_.run_for(hours(2));
  EXPECT_EQ(find().items.size(), 1u);
  world_.run_for(hours(24));
  EXPECT_EQ(find().items.size(), 0u);
  EXPECT_THAT(metrics_.text(), HasSubstr("windlass_ledger_removed_total{reason=\"age\"} 2"));
}

TEST_F(SqliteLedgerTest, AClockThatJumpsRemovesNothing) {
  record(1);
  world_.run_for(seconds(1));
  world_.clock().shift_wall(hours(24 * 365));
  world_.run_for(hours(1));
  EXPECT_EQ(find().items.size(), 1u) << "it jumped forward";
  world_.clock().shift_wall(-hours(2 * 24 * 365));
  record(2);
  world_.run_for(hours(1));
  EXPECT_EQ(find().items.size(), 2u) << "it jumped back";
}

TEST_F(SqliteLedgerTest, AWrongClockAtTheStartMayBeSetInTime) {
  record(1);
  world_.run_for(seconds(1));
  ledger_.reset();
  world_.clock().shift_wall(hours(24 * 365));
  open();
  world_.run_for(minutes(5));
  world_.clock().shift_wall(-hours(24 * 365));
  world_.run_for(hours(1));
  EXPECT_EQ(find().items.size(), 1u);
}

TEST_F(SqliteLedgerTest, GoneWhileRecordsAndSearchesWaitItAnswersNoMore) {
  record(1);
  open_source();
  source_->find({}, 1, "", [](const Result<AttemptPage>&) { FAIL(); });
  ledger_.reset();
  source_.reset();
  world_.run_for(seconds(1));
  EXPECT_TRUE(answers_.empty());
}

}  // namespace
}  // namespace windlass::ledger
