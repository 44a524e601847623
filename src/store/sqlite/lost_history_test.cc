// No acknowledged write is lost without a word: a file that was removed, cut or replaced is found
// at the start, and before the next acknowledgement while the store runs (safety.md S1;
// docs/decisions/0046).
#include <gmock/gmock.h>

#include <array>
#include <functional>

#include "base/sanitized_testing.h"
#include "store/sqlite/journal_testing.h"

namespace windlass::store {
namespace {

using testing::HasSubstr;

constexpr size_t kCutStep = kSanitized ? 8'191 : 1'021;
constexpr std::array kFiles = {"store.db", "store.db-wal", "store.db-newest"};

class LostHistory : public testing::Test {
 protected:
  static LogOptions options(bool accept = false) {
    LogOptions options = small_options();
    options.checkpoint_pages = 1'000'000;  // what is written stays in the log
    options.accept_lost_writes = accept;
    return options;
  }
  // A store that was killed: its log has everything since `in_file` writes.
  void make(int in_file, int in_log) {
    {
      Machine machine(disk_, record_, 1);
      ASSERT_TRUE(machine.open(options()));
      machine.work(in_file);
      machine.close();
    }
    Machine machine(disk_, record_, 2);
    ASSERT_TRUE(machine.open(options()));
    in_file_ = machine.store().revision();
    machine.work(in_log);
    newest_ = machine.store().revision();
    expected_ = state_of(machine.store());
    disk_.process_death();
  }
  // "" when it starts with everything.
  std::string start(FaultDisk& disk) {
    JournalRecord unused;
    Machine machine(disk, unused, 3);
    const auto opened = machine.open(options());
    const bool whole =
        opened && machine.store().revision() == newest_ && state_of(machine.store()) == expected_;
    disk.process_death();
    return !opened ? opened.error().message : whole ? "" : "LOST WITHOUT A WORD";
  }
  std::string refusal_at(Revision found) const {
    return "/disk/store.db ends at revision " + std::to_string(found) + ", but revision " +
           std::to_string(newest_) + " was acknowledged";
  }

  FaultDisk disk_;
  JournalRecord record_;
  Revision in_file_ = 0;
  Revision newest_ = 0;
  State expected_;
};

TEST_F(LostHistory, ARemovedLogIsRefusedAndMayBePutBack) {
  make(20, 30);
  FaultDisk whole;
  whole.copy_from(disk_);
  ASSERT_TRUE(disk_.directory()->remove("store.db-wal"));
  const std::string answer = start(disk_);
  EXPECT_THAT(answer, HasSubstr(refusal_at(in_file_)));
  EXPECT_THAT(answer, HasSubstr("--accept-lost-writes"));
  EXPECT_EQ(disk_.content("store.db"), whole.content("store.db"))
      << "a refused start changes nothing";
  disk_.content("store.db-wal") = whole.content("store.db-wal");
  EXPECT_EQ(start(disk_), "");
}

TEST_F(LostHistory, ALogThatWasCutAnywhereIsRefused) {
  make(5, 30);
  const std::string log = disk_.content("store.db-wal");
  ASSERT_GT(log.size(), 100'000U);
  for (size_t size = 0; size < log.size(); size += kCutStep) {
    FaultDisk disk;
    disk.copy_from(disk_);
    disk.content("store.db-wal") = log.substr(0, size);
    EXPECT_THAT(start(disk), HasSubstr(" was acknowledged: ")) << size << " bytes";
  }
  EXPECT_EQ(start(disk_), "");
}

TEST_F(LostHistory, ARemovedOrOlderFileIsRefused) {
  make(20, 0);
  const std::string older = disk_.content("store.db");
  make(10, 10);
  ASSERT_TRUE(disk_.directory()->remove("store.db-wal"));
  disk_.content("store.db") = older;
  EXPECT_THAT(start(disk_), HasSubstr(" was acknowledged: "));
  ASSERT_TRUE(disk_.directory()->remove("store.db"));
  ASSERT_TRUE(disk_.directory()->remove("store.db-wal"));
  EXPECT_THAT(start(disk_), HasSubstr("/disk/store.db is gone, but revision " +
                                      std::to_string(newest_) + " was acknowledged"));
  EXPECT_FALSE(disk_.has("store.db")) << "no empty store takes its place";
}

TEST_F(LostHistory, TheLossCanBeAcceptedAndNoRevisionIsGivenTwice) {
  make(20, 30);
  ASSERT_TRUE(disk_.directory()->remove("store.db-wal"));
  JournalRecord later;
  {
    Machine machine(disk_, later, 4);
    const auto opened = machine.open(options(true));
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_GT(machine.store().revision(), newest_);
    EXPECT_EQ(machine.store().watch("pods", "", in_file_, nullptr), nullptr)
        << "a watcher from before lists anew";
    EXPECT_EQ(machine.store().watch("pods", "", newest_, nullptr), nullptr);
    machine.work(20);
    expected_ = state_of(machine.store());
    newest_ = machine.store().revision();
    machine.close();
  }
  disk_.process_death();
  EXPECT_EQ(start(disk_), "") << "once is enough";
}

TEST_F(LostHistory, AnEmptyStoreCanBeAcceptedToo) {
  make(20, 30);
  ASSERT_TRUE(disk_.directory()->remove("store.db"));
  ASSERT_TRUE(disk_.directory()->remove("store.db-wal"));
  JournalRecord later;
  Machine machine(disk_, later, 4);
  ASSERT_TRUE(machine.open(options(true)));
  EXPECT_GT(machine.store().revision(), newest_);
  EXPECT_TRUE(state_of(machine.store()).empty());
  EXPECT_EQ(machine.file().loss()->last, newest_);
}

// Removed together with the log, it would take the only witness of the loss with it.
TEST_F(LostHistory, ARemovedMarkIsRefusedAndMayBePutBack) {
  for (const int in_file : {0, 20}) {
    make(in_file, 30);
    for (const bool log_too : {true, false}) {
      FaultDisk disk;
      disk.copy_from(disk_);
      ASSERT_TRUE(disk.directory()->remove("store.db-newest"));
      if (log_too) {
        ASSERT_TRUE(disk.directory()->remove("store.db-wal"));
      }
      const std::string answer = start(disk);
      EXPECT_THAT(answer, HasSubstr("/disk/store.db-newest is gone"));
      EXPECT_THAT(answer, HasSubstr("--accept-lost-writes"));
      EXPECT_FALSE(disk.has("store.db-newest"));
      EXPECT_EQ(disk.content("store.db"), disk_.content("store.db"));
      disk.copy_from(disk_);
      EXPECT_EQ(start(disk), "");
    }
  }
}

TEST_F(LostHistory, WithoutAMarkTheLossCanBeAcceptedToo) {
  make(20, 30);
  ASSERT_TRUE(disk_.directory()->remove("store.db-newest"));
  ASSERT_TRUE(disk_.directory()->remove("store.db-wal"));
  JournalRecord later;
  {
    Machine machine(disk_, later, 4);
    ASSERT_TRUE(machine.open(options(true)));
    EXPECT_GT(machine.store().revision(), newest_);
    EXPECT_EQ(machine.store().watch("pods", "", newest_, nullptr), nullptr);
    newest_ = machine.store().revision();
    expected_ = state_of(machine.store());
    machine.close();
  }
  EXPECT_EQ(start(disk_), "") << "once is enough";
}

// A first start that was killed before the mark was whole has acknowledged nothing, and an older
// program made none.
TEST_F(LostHistory, AStoreThatHasNeverHadAMarkGetsOne) {
  make(20, 30);
  {
    auto database = Database::open("/disk/store.db", disk_.vfs());
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE(database->must_run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = 1"));
    ASSERT_EQ(database->checkpoint(true), SqliteResult::done);
  }
  ASSERT_TRUE(disk_.directory()->remove("store.db-newest"));
  EXPECT_EQ(start(disk_), "");
  ASSERT_TRUE(disk_.has("store.db-newest"));
  ASSERT_TRUE(disk_.directory()->remove("store.db-newest"));
  EXPECT_THAT(start(disk_), HasSubstr("/disk/store.db-newest is gone"));
}

TEST_F(LostHistory, AMarkThatAnOlderProgramDidNotWriteIsBroughtUpToDate) {
  make(20, 0);
  const std::string older = disk_.content("store.db-newest");
  make(20, 20);
  disk_.content("store.db-newest") = older;
  EXPECT_EQ(start(disk_), "");
  EXPECT_THAT(disk_.content("store.db-newest"), HasSubstr(std::to_string(newest_) + " "));
}

TEST_F(LostHistory, HalfAMarkIsEnoughAndNoneIsDamage) {
  make(20, 30);
  std::string& mark = disk_.content("store.db-newest");
  const std::string whole = mark;
  ASSERT_EQ(whole.size(), 8'192U);
  // The older slot, as a write that power loss has cut off leaves it.
  const size_t older = whole.find(std::to_string(newest_) + " ") < 4'096 ? 4'096 : 0;
  mark[older + 20] = static_cast<char>(mark[older + 20] ^ 1);
  EXPECT_EQ(start(disk_), "");
  for (const std::string& damaged :
       {std::string(8'192, '\0'), std::string(), whole.substr(0, 4'096)}) {
    disk_.content("store.db-newest") = damaged;
    EXPECT_THAT(start(disk_), HasSubstr("/disk/store.db-newest is damaged"));
  }
}

// Two commits are enough: what the first one acknowledged is known although no sync has followed.
TEST_F(LostHistory, TheMarkIsOnTheDiskSoonAfterTheLastCommit) {
  {
    Machine machine(disk_, record_, 1);
    ASSERT_TRUE(machine.open(options()));
    machine.work(20);
    newest_ = machine.store().revision();
    machine.sim().run_for(SqliteJournal::kMarkSyncDelay);
    disk_.power_loss(FaultDisk::Survival::none, 1);
  }
  ASSERT_TRUE(disk_.directory()->remove("store.db-wal"));
  EXPECT_THAT(start(disk_), HasSubstr(refusal_at(1)));
}

struct Displacement {
  const char* name;
  std::function<void(FaultDisk&, const std::string&)> happen;
};

void PrintTo(const Displacement& tried, std::ostream* out) {
  *out << tried.name;
}

class DisplacedFile : public testing::TestWithParam<Displacement> {};

TEST_P(DisplacedFile, S1_StopsAcknowledgements) {
  for (const std::string name : kFiles) {
    SCOPED_TRACE(name);
    FaultDisk disk;
    JournalRecord record;
    Machine machine(disk, record, 1);
    ASSERT_TRUE(machine.open());
    machine.work(3);
    ASSERT_FALSE(machine.store().poisoned());
    const Revision before = record.acknowledged();
    GetParam().happen(disk, name);
    machine.write("z", false, 50);
    machine.settle();
    EXPECT_EQ(record.acknowledged(), before);
    ASSERT_TRUE(machine.store().poisoned());
    EXPECT_THAT(machine.store().poisoned()->message, HasSubstr("/disk/" + name));
    EXPECT_THAT(machine.store().poisoned()->message,
                HasSubstr("save the lost objects with kubectl"));
    machine.write("z", false, 50);
    EXPECT_EQ(machine.refusals().back(), WriteRefusal::poisoned);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DisplacedFile,
                         testing::Values(Displacement{"Removed",
                                                      [](FaultDisk& disk, const std::string& name) {
                                                        ASSERT_TRUE(disk.directory()->remove(name));
                                                      }},
                                         Displacement{"Replaced",
                                                      [](FaultDisk& disk, const std::string& name) {
                                                        const std::string content =
                                                            disk.content(name);
                                                        ASSERT_TRUE(disk.directory()->create(name));
                                                        disk.content(name) = content;
                                                      }}),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Before the next commit makes the file long enough again, with a hole in it.
TEST(HeldFiles, ACutFileStopsAcknowledgements) {
  for (const std::string name : {"store.db", "store.db-wal"}) {
    FaultDisk disk;
    JournalRecord record;
    Machine machine(disk, record, 1);
    LogOptions options = small_options();
    options.checkpoint_pages = 1'000'000;
    ASSERT_TRUE(machine.open(options));
    machine.work(20);
    const Revision before = record.acknowledged();
    std::string& content = disk.content(name);
    content.resize(content.size() - 9'000);
    machine.write("z", false, 50);
    machine.settle();
    EXPECT_EQ(record.acknowledged(), before);
    ASSERT_TRUE(machine.store().poisoned());
    EXPECT_THAT(machine.store().poisoned()->message, HasSubstr("/disk/" + name + " was cut to "));
  }
}

}  // namespace
}  // namespace windlass::store
