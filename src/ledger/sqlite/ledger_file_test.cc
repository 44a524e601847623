#include "ledger/sqlite/ledger_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/sanitized_testing.h"
#include "ledger/sqlite/ledger_testing.h"
#include "verify/journals/fault_disk.h"

namespace windlass::ledger {
namespace {

using sqlite::SqliteResult;
using store::FaultDisk;
using testing::HasSubstr;

const Time kFileNow = time_from_unix(1'700'000'500);

LedgerPlace place_on(const FaultDisk& disk) {
  return {.vfs = disk.vfs(), .shared = false};
}

LedgerOptions options_on(const FaultDisk& disk) {
  LedgerOptions options;
  options.place = place_on(disk);
  options.copy_pages = 20;
  return options;
}

std::unique_ptr<AttemptReader> reader_on(FaultDisk& disk, const std::string& file = "ledger.db") {
  LedgerPlace place = place_on(disk);
  place.file = file;
  auto opened = AttemptReader::open(disk.directory(), place);
  EXPECT_TRUE(opened) << opened.error().message;
  return *std::move(opened);
}

std::map<std::string, std::string> records_on(FaultDisk& disk) {
  std::map<std::string, std::string> records;
  for (const AttemptPtr& attempt : find_all(*reader_on(disk))) {
    records[attempt->metadata().name()] = attempt->SerializeAsString();
  }
  return records;
}

SqliteResult append_one(LedgerFile& file, AttemptPtr attempt, Time now = kFileNow) {
  return file.append(std::span(&attempt, 1), now);
}

TEST(LedgerFile, KeepsRecordsAndReplacesThatOfTheSamePod) {
  FaultDisk disk;
  auto replaced = test_attempt(2);
  replaced->set_phase("Succeeded");
  {
    auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
    const std::vector<AttemptPtr> group = {test_attempt(1), test_attempt(2)};
    ASSERT_EQ(file->append(group, kFileNow), SqliteResult::done);
    ASSERT_EQ(append_one(*file, replaced), SqliteResult::done);
  }
  auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
  const auto found = find_all(*reader_on(disk));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->SerializeAsString(), test_attempt(1)->SerializeAsString());
  EXPECT_EQ(found[1]->phase(), "Succeeded");
}

// What was acknowledged, over crashes; and what may be there besides.
class Expected {
 public:
  void tried(const std::vector<AttemptPtr>& group, bool acknowledged) {
    for (const AttemptPtr& attempt : group) {
      auto& states = states_[attempt->metadata().name()];
      if (acknowledged) {
        states.clear();
      }
      states.push_back(attempt->SerializeAsString());
      sure_[attempt->metadata().name()] |= acknowledged;
    }
  }
  void compare(const std::map<std::string, std::string>& records) const {
    for (const auto& [uid, states] : states_) {
      const auto found = records.find(uid);
      if (found == records.end()) {
        EXPECT_FALSE(sure_.at(uid)) << "an acknowledged record is lost: " << uid;
      } else {
        EXPECT_THAT(states, testing::Contains(found->second)) << uid;
      }
    }
    for (const auto& [uid, record] : records) {
      EXPECT_TRUE(states_.contains(uid)) << uid;
    }
  }

 private:
  std::map<std::string, std::vector<std::string>> states_;
  std::map<std::string, bool> sure_;
};

// A few groups; false when the machine went down.
bool work_on(FaultDisk& disk, Generator& random, Expected& expected) {
  auto opened = LedgerFile::open(disk.directory(), options_on(disk));
  if (!opened) {
    return false;
  }
  bool all = true;
  for (int i = 0; i < 4; ++i) {
    std::vector<AttemptPtr> group;
    for (uint64_t count = random.uniform(4) + 1; count > 0; --count) {
      group.push_back(random_attempt(random));
    }
    const SqliteResult outcome = (*opened)->append(group, kFileNow);
    expected.tried(group, outcome == SqliteResult::done);
    (*opened)->maintain(Time::min());
    all = all && outcome == SqliteResult::done;
  }
  return all;
}

TEST(LedgerFile, ACrashAtAnyCallLosesNothingThatWasAcknowledged) {
  constexpr uint64_t kStep = kSanitized ? 5 : 1;
  for (const auto survival :
       {FaultDisk::Survival::none, FaultDisk::Survival::all, FaultDisk::Survival::some}) {
    bool clean = false;
    for (uint64_t call = 1; !clean; call += kStep) {
      SCOPED_TRACE(call);
      ASSERT_LT(call, 2'000u);
      FaultDisk disk;
      Generator random(call);
      Expected expected;
      ASSERT_TRUE(work_on(disk, random, expected));
      disk.plan(FaultDisk::DiskFault::crash, call, true);
      clean = work_on(disk, random, expected) && !disk.happened();
      disk.power_loss(survival, call);
      disk.clear_plan();
      ASSERT_TRUE(work_on(disk, random, expected));
      expected.compare(records_on(disk));
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(LedgerFile, AnErrorOfAnyCallIsToldAndOvercome) {
  constexpr uint64_t kStep = kSanitized ? 5 : 1;
  bool clean = false;
  for (uint64_t call = 1; !clean; call += kStep) {
    SCOPED_TRACE(call);
    ASSERT_LT(call, 2'000u);
    FaultDisk disk;
    Generator random(call);
    Expected expected;
    ASSERT_TRUE(work_on(disk, random, expected));
    disk.plan(FaultDisk::DiskFault::io_error, call, false);
    work_on(disk, random, expected);
    clean = !disk.happened();
    disk.clear_plan();
    ASSERT_TRUE(work_on(disk, random, expected));
    expected.compare(records_on(disk));
    ASSERT_FALSE(HasFailure());
  }
}

TEST(LedgerFile, RefusesWhileTheDiskIsFullAndGoesOnWhenThereIsRoom) {
  FaultDisk disk;
  auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
  ASSERT_EQ(append_one(*file, test_attempt(1)), SqliteResult::done);
  disk.set_capacity(disk.used() + 2'000);
  auto large = test_attempt(2);
  large->mutable_log()->set_tail(std::string(16'384, 'x'));
  EXPECT_EQ(append_one(*file, large), SqliteResult::full);
  EXPECT_THAT(file->why(), HasSubstr("full"));
  EXPECT_EQ(append_one(*file, large), SqliteResult::full);
  disk.set_capacity(UINT64_MAX);
  EXPECT_EQ(append_one(*file, large), SqliteResult::done);
  EXPECT_EQ(find_all(*reader_on(disk)).size(), 2u);
}

TEST(LedgerFile, ADamagedFileIsSetAsideAndANewOneBegun) {
  for (const char* content :
       {"", "not a database at all, but text that is long enough to be read"}) {
    FaultDisk disk;
    { auto file = LedgerFile::open(disk.directory(), options_on(disk)).value(); }
    disk.content("ledger.db") = content;
    auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
    const auto notices = file->take_notices();
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_THAT(notices[0], HasSubstr("/disk/ledger.db.damaged-1"));
    EXPECT_EQ(disk.content("ledger.db.damaged-1"), content) << "nothing of it is lost";
    EXPECT_EQ(append_one(*file, test_attempt(1)), SqliteResult::done);
    EXPECT_EQ(find_all(*reader_on(disk)).size(), 1u);
  }
}

TEST(LedgerFile, DamageThatAWriteFindsSetsTheFileAsideToo) {
  FaultDisk disk;
  {
    auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
    std::vector<AttemptPtr> group;
    for (uint64_t i = 0; i < 200; ++i) {
      group.push_back(test_attempt(i));
    }
    ASSERT_EQ(file->append(group, kFileNow), SqliteResult::done);
  }
  std::string& content = disk.content("ledger.db");
  // Of the tables of names and Jobs, which are not read before a record comes.
  std::fill(content.begin() + 2 * 4096, content.begin() + 7 * 4096, '\x55');
  ASSERT_TRUE(disk.directory()->remove("ledger.db-wal"));
  auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
  ASSERT_EQ(file->take_notices().size(), 0u);
  EXPECT_EQ(append_one(*file, test_attempt(1'000, "other")), SqliteResult::done);
  EXPECT_EQ(file->take_notices().size(), 1u);
  EXPECT_TRUE(disk.has("ledger.db.damaged-1"));
  EXPECT_EQ(find_all(*reader_on(disk)).size(), 1u);
}

TEST(LedgerFile, ALogWithoutItsFileIsSetAside) {
  FaultDisk disk;
  { auto file = LedgerFile::open(disk.directory(), options_on(disk)).value(); }
  ASSERT_TRUE(disk.directory()->remove("ledger.db"));
  disk.content("ledger.db-wal") = "frames";
  auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
  EXPECT_EQ(disk.content("ledger.db.damaged-1-wal"), "frames");
}

Result<void> change_file(FaultDisk& disk, const char* sql) {
  TRY(sqlite::Database database, sqlite::Database::open("/disk/ledger.db", disk.vfs()));
  TRY_VOID(database.must_run("PRAGMA locking_mode = EXCLUSIVE"));
  TRY_VOID(database.must_run(sql));
  return database.checkpoint(true) == SqliteResult::done ? Result<void>()
                                                         : fail(plain_error(database.error()));
}

TEST(LedgerFile, ANewerFileAndThatOfAnotherProgramAreRefused) {
  FaultDisk disk;
  { auto file = LedgerFile::open(disk.directory(), options_on(disk)).value(); }
  ASSERT_TRUE(change_file(disk, "PRAGMA user_version = 2"));
  const auto newer = LedgerFile::open(disk.directory(), options_on(disk));
  ASSERT_FALSE(newer);
  EXPECT_THAT(newer.error().message, HasSubstr("/disk/ledger.db has the layout version 2"));
  EXPECT_FALSE(AttemptReader::open(disk.directory(), place_on(disk)));
  ASSERT_TRUE(change_file(disk, "PRAGMA application_id = 7"));
  const auto other = LedgerFile::open(disk.directory(), options_on(disk));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("not a ledger of windlass"));
  EXPECT_FALSE(disk.has("ledger.db.damaged-1")) << "it is another's, or of use to a newer program";
}

TEST(LedgerFile, AFileThatIsRemovedWhileItIsOpenIsMissedAndMadeAnew) {
  FaultDisk disk;
  auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
  ASSERT_TRUE(disk.directory()->remove("ledger.db"));
  ASSERT_TRUE(disk.directory()->remove("ledger.db-wal"));
  EXPECT_EQ(append_one(*file, test_attempt(1)), SqliteResult::failed)
      << "an acknowledgement would be for a file that is gone";
  EXPECT_EQ(append_one(*file, test_attempt(1)), SqliteResult::done);
  EXPECT_EQ(find_all(*reader_on(disk)).size(), 1u);
}

TEST(LedgerFile, WhatIsTooOldGoesAStepAtATimeWithItsJob) {
  FaultDisk disk;
  LedgerOptions options = options_on(disk);
  options.remove_rows = 2;
  auto file = LedgerFile::open(disk.directory(), options).value();
  for (uint64_t i = 0; i < 5; ++i) {
    append_one(*file, test_attempt(i, i < 3 ? "old" : "new"), kFileNow + seconds(i));
  }
  EXPECT_FALSE(file->maintain(kFileNow));
  EXPECT_TRUE(file->maintain(kFileNow + seconds(3))) << "there is more to do";
  EXPECT_FALSE(file->maintain(kFileNow + seconds(3)));
  EXPECT_EQ(file->removed_by_age(), 3u);
  const auto left = find_all(*reader_on(disk));
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0]->job().name(), "new");
  file.reset();
  auto database = sqlite::Database::open("/disk/ledger.db", disk.vfs()).value();
  ASSERT_TRUE(database.must_run("PRAGMA locking_mode = EXCLUSIVE"));
  EXPECT_EQ(database.ask("SELECT group_concat(name) FROM jobs").value(), "new");
}

TEST(LedgerFile, StaysWithinItsSizeByRemovingTheOldest) {
  FaultDisk disk;
  LedgerOptions options = options_on(disk);
  options.keep_bytes = 600'000;
  options.remove_rows = 20;
  options.free_pages = 4;
  auto file = LedgerFile::open(disk.directory(), options).value();
  for (uint64_t i = 0; i < 400; ++i) {
    auto attempt = test_attempt(i);
    attempt->mutable_log()->set_tail(std::string(8'000, 'x'));
    ASSERT_EQ(append_one(*file, attempt), SqliteResult::done);
    while (file->maintain(Time::min())) {
    }
  }
  EXPECT_LE(file->bytes(), options.keep_bytes + 20'000);
  EXPECT_GT(file->removed_by_size(), 300u);
  EXPECT_EQ(file->removed_by_age(), 0u);
  const auto left = find_all(*reader_on(disk));
  ASSERT_GT(left.size(), 30u);
  EXPECT_EQ(left.back()->metadata().name(), test_uid(399));
  EXPECT_EQ(left.size() + file->removed_by_size(), 400u);
  file.reset();
  EXPECT_LT(disk.content("ledger.db").size(), 800'000u) << "pages go back to the file system";
}

TEST(LedgerFile, RecordsThatCameLaterDoNotLookOlderWhenTheClockGoesBack) {
  FaultDisk disk;
  auto file = LedgerFile::open(disk.directory(), options_on(disk)).value();
  append_one(*file, test_attempt(1), kFileNow);
  file = LedgerFile::open(disk.directory(), options_on(disk)).value();
  append_one(*file, test_attempt(2), time_from_unix(0));
  file->maintain(kFileNow);
  EXPECT_EQ(find_all(*reader_on(disk)).size(), 2u);
}

}  // namespace
}  // namespace windlass::ledger
