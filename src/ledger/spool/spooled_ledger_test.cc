#include "ledger/spool/spooled_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "base/sanitized_testing.h"
#include "ledger/sqlite/ledger_testing.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/journals/fault_disk.h"
#include "virtual_world/world.h"

namespace windlass::ledger {
namespace {

using store::FaultDisk;
using testing::HasSubstr;

// A database that outlives the ledger's process.
struct TestDatabase {
  std::map<std::string, std::string> records;  // bodies by UID
  std::vector<std::string> order;
  std::optional<std::string> failure;
  std::set<std::string> refused;  // UIDs
  std::function<void()> on_store = [] {};
  size_t calls = 0;
  std::vector<Time> removals;
};

class TestSink final : public AttemptSink {
 public:
  explicit TestSink(TestDatabase& database) : database_(database) {}

  Result<std::vector<Rejected>> store(std::span<const StoredAttempt> attempts) override {
    database_.calls += attempts.empty() ? size_t{0} : size_t{1};
    if (database_.failure) {
      return fail(plain_error(*database_.failure));
    }
    std::vector<Rejected> rejected;
    for (size_t i = 0; i < attempts.size(); ++i) {
      api::ledger::v1::Attempt attempt;
      EXPECT_TRUE(attempt.ParseFromString(attempts[i].body));
      if (database_.refused.contains(attempt.metadata().name())) {
        rejected.push_back({i, "no such text"});
        continue;
      }
      database_.records[attempt.metadata().name()] = attempts[i].body;
      database_.order.push_back(attempt.metadata().name());
    }
    database_.on_store();
    return rejected;
  }
  Result<size_t> remove_old(Time oldest, Duration, size_t) override {
    database_.removals.push_back(oldest);
    return size_t{0};
  }
  void interrupt() override {}

 private:
  TestDatabase& database_;
};

class SpooledLedgerTest : public testing::Test {
 protected:
  ~SpooledLedgerTest() override { close(); }

  bool open(uint64_t spool_bytes = uint64_t{1} << 30) {
    LedgerOptions options;
    options.place = {.file = "spool.db", .vfs = disk_.vfs(), .shared = false};
    options.keep_bytes = spool_bytes;
    options.remove_rows = 10;
    auto file = LedgerFile::open(disk_.directory(), options);
    if (!file) {
      return false;
    }
    const Duration forever = hours(24 * 365 * 100);
    ledger_ = std::make_unique<SpooledLedger>(
        SpooledLedger::Parts{world_.executor("core"), world_.executor("sender"), world_.clock(),
                             world_.log(), metrics_},
        std::make_unique<SqliteLedger>(world_.executor("core"), world_.executor("spool"),
                                       world_.clock(), world_.log(), metrics_, *std::move(file),
                                       forever),
        std::make_unique<TestSink>(database_), hours(24 * 90));
    return true;
  }
  void close() {
    ledger_.reset();
    world_.run_for(seconds(1));
  }
  void record(const AttemptPtr& attempt) {
    ledger_->record(attempt, [this, attempt](const Result<void>& result) {
      if (result) {
        acknowledged_[attempt->metadata().name()] = attempt->SerializeAsString();
      } else {
        ++failed_;
      }
    });
  }

  virtual_world::VirtualWorld world_{1};
  FaultDisk disk_;
  MetricRegistry metrics_;
  TestDatabase database_;
  std::unique_ptr<SpooledLedger> ledger_;
  std::map<std::string, std::string> acknowledged_;
  size_t failed_ = 0;
};

TEST_F(SpooledLedgerTest, RecordsReachTheDatabaseInTheirOrder) {
  ASSERT_TRUE(open());
  std::vector<std::string> order;
  for (uint64_t i = 0; i < 1'200; ++i) {
    record(test_attempt(i));
    order.push_back(test_uid(i));
  }
  world_.run_for(seconds(1));
  EXPECT_EQ(acknowledged_.size(), 1'200u);
  EXPECT_EQ(database_.order, order);
  EXPECT_EQ(database_.calls, 3u) << "in batches";
  EXPECT_EQ(ledger_->lag(), "");
  EXPECT_THAT(metrics_.text(), HasSubstr("windlass_ledger_spool_records 0"));
  EXPECT_THAT(metrics_.text(),
              HasSubstr("windlass_ledger_database_records_total{result=\"stored\"} 1200"));
}

TEST_F(SpooledLedgerTest, ADatabaseThatIsGoneDelaysAndLosesNothing) {
  ASSERT_TRUE(open());
  database_.failure = "connection refused";
  for (uint64_t i = 0; i < 700; ++i) {
    record(test_attempt(i));
  }
  world_.run_for(milliseconds(100));
  EXPECT_EQ(acknowledged_.size(), 700u);
  world_.run_for(hours(2));
  EXPECT_THAT(ledger_->lag(), HasSubstr("connection refused (700 attempts wait in the spool"));
  EXPECT_EQ(ledger_->trouble(), "") << "nothing is lost";
  EXPECT_THAT(metrics_.text(), HasSubstr("windlass_ledger_spool_records 700"));
  EXPECT_LT(database_.calls, 2 * 3600 / 14u) << "tries less and less often";
  database_.failure.reset();
  world_.run_for(seconds(20));
  EXPECT_EQ(database_.records, acknowledged_);
  EXPECT_EQ(ledger_->lag(), "");
}

TEST_F(SpooledLedgerTest, ADatabaseThatCannotBeUsedIsKnownBeforeTheFirstRecord) {
  database_.failure = "password authentication failed";
  ASSERT_TRUE(open());
  world_.run_for(seconds(1));
  EXPECT_THAT(ledger_->lag(), HasSubstr("password authentication failed (0 attempts wait"));
  database_.failure.reset();
  world_.run_for(seconds(20));
  EXPECT_EQ(ledger_->lag(), "");
}

TEST_F(SpooledLedgerTest, AProcessThatEndsLeavesItsSpoolToTheNext) {
  ASSERT_TRUE(open());
  database_.failure = "gone";
  for (uint64_t i = 0; i < 20; ++i) {
    record(test_attempt(i));
  }
  world_.run_for(seconds(5));
  disk_.power_loss(FaultDisk::Survival::none, 1);
  close();
  database_.failure.reset();
  ASSERT_TRUE(open());
  world_.run_for(seconds(5));
  EXPECT_EQ(acknowledged_.size(), 20u);
  EXPECT_EQ(database_.records, acknowledged_);
}

TEST_F(SpooledLedgerTest, ARecordThatIsReplacedWhileItIsSentIsSentAgain) {
  ASSERT_TRUE(open());
  auto replaced = test_attempt(1);
  replaced->set_phase("Succeeded");
  bool is_replaced = false;
  database_.on_store = [&] {
    if (!std::exchange(is_replaced, true)) {
      record(replaced);
    }
  };
  record(test_attempt(1));
  world_.run_for(seconds(5));
  EXPECT_EQ(database_.records.at(test_uid(1)), replaced->SerializeAsString());
}

TEST_F(SpooledLedgerTest, WhatTheDatabaseRejectsDoesNotHoldUpTheRest) {
  ASSERT_TRUE(open());
  database_.refused = {test_uid(3)};
  for (uint64_t i = 0; i < 6; ++i) {
    record(test_attempt(i));
  }
  world_.run_for(seconds(1));
  EXPECT_EQ(database_.records.size(), 5u);
  EXPECT_EQ(ledger_->left_out(), 1u);
  EXPECT_EQ(ledger_->lag(), "");
  EXPECT_THAT(metrics_.text(),
              HasSubstr("windlass_ledger_database_records_total{result=\"rejected\"} 1"));
}

TEST_F(SpooledLedgerTest, AFullSpoolLeavesOutTheOldestAndSaysHowMany) {
  ASSERT_TRUE(open(400 * 1024));
  database_.failure = "gone";
  uint64_t number = 0;
  for (int minute = 0; minute < 20; ++minute) {
    for (int i = 0; i < 50; ++i) {
      auto large = test_attempt(number++);
      large->mutable_log()->set_tail(std::string(2'000, 'x'));
      record(large);
    }
    world_.run_for(minutes(1));
  }
  EXPECT_EQ(acknowledged_.size(), 1'000u) << "it delays nothing";
  const uint64_t lost = ledger_->left_out();
  EXPECT_GT(lost, 500u);
  EXPECT_THAT(ledger_->trouble(), HasSubstr(std::to_string(lost) + " left out"));
  EXPECT_THAT(metrics_.text(),
              HasSubstr("windlass_ledger_database_records_total{result=\"left_out\"} " +
                        std::to_string(lost)));
  database_.failure.reset();
  world_.run_for(minutes(1));
  EXPECT_EQ(database_.records.size(), 1'000u - lost);
  EXPECT_TRUE(database_.records.contains(test_uid(999))) << "the newest are there";
  EXPECT_EQ(ledger_->trouble(), "");
}

TEST_F(SpooledLedgerTest, OldRecordsLeaveTheDatabaseWhenTheClockCanBeTrusted) {
  ASSERT_TRUE(open());
  world_.run_for(minutes(5));
  EXPECT_TRUE(database_.removals.empty());
  world_.run_for(minutes(30));
  ASSERT_FALSE(database_.removals.empty());
  EXPECT_LT(database_.removals.back(), world_.clock().now() - hours(24 * 90) + seconds(1));
}

// A crash of the machine at any call to its disk, while records come and go.
TEST_F(SpooledLedgerTest, ACrashAtAnyCallLosesNothingThatWasAcknowledged) {
  constexpr uint64_t kStep = kSanitized ? 7 : 2;
  bool clean = false;
  uint64_t number = 0;
  for (uint64_t call = 1; !clean; call += kStep) {
    SCOPED_TRACE(call);
    ASSERT_LT(call, 2'000u);
    ASSERT_TRUE(open());
    world_.run_for(seconds(1));
    disk_.plan(FaultDisk::DiskFault::crash, call, true);
    for (int group = 0; group < 4; ++group) {
      database_.failure = group % 2 == 0 ? std::optional<std::string>("gone") : std::nullopt;
      for (int i = 0; i < 3; ++i) {
        record(test_attempt(number++));
      }
      world_.run_for(seconds(2));
    }
    clean = !disk_.happened();
    disk_.power_loss(FaultDisk::Survival::some, call);
    close();
    disk_.clear_plan();
    database_.failure.reset();
    ASSERT_TRUE(open());
    world_.run_for(seconds(2));
    for (const auto& [uid, body] : acknowledged_) {
      ASSERT_TRUE(database_.records.contains(uid)) << uid;
    }
    close();
    disk_.power_loss(FaultDisk::Survival::all, call);
  }
  EXPECT_GT(failed_, 0u);
}

}  // namespace
}  // namespace windlass::ledger
