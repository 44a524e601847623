// A damaged file is named and refused, never shortened without a word (safety.md V6, I38).
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "base/sanitized_testing.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/journal_testing.h"
#include "store/sqlite/row.h"

namespace windlass::store {
namespace {

constexpr size_t kStep = kSanitized ? 7 : 1;

using testing::AnyOf;
using testing::HasSubstr;

TEST(Checksum, IsCrc32c) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720, B.4
  EXPECT_EQ(crc32c("56789", crc32c("1234")), crc32c("123456789"));
  std::string text;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(crc32c(text, 7), crc32c_by_tables(text, 7)) << "of " << i << " bytes";
    text += static_cast<char>(i * 37);
  }
}

TEST(Row, TheChecksumCoversEverything) {
  const Row row{7, 3, Change::updated, "pods", "x/a", "bytes"};
  const uint32_t good = checksum_of(row);
  for (const Row& other : {Row{8, 3, Change::updated, "pods", "x/a", "bytes"},
                           Row{7, 4, Change::updated, "pods", "x/a", "bytes"},
                           Row{7, 3, Change::deleted, "pods", "x/a", "bytes"},
                           Row{7, 3, Change::updated, "jobs", "x/a", "bytes"},
                           Row{7, 3, Change::updated, "pods", "x/b", "bytes"},
                           Row{7, 3, Change::updated, "pods", "x/a", "byteS"}}) {
    EXPECT_NE(checksum_of(other), good);
  }
  for (const Change change : {Change::created, Change::updated, Change::deleted}) {
    EXPECT_EQ(change_named(name_of(change)), change);
  }
  EXPECT_EQ(change_named("x"), std::nullopt);
}

class Damage : public testing::Test {
 protected:
  // A store that was closed, or with `killed` one that has a full log.
  void make(int writes, bool killed = false) {
    LogOptions options = small_options();
    options.checkpoint_pages = killed ? 1'000'000 : options.checkpoint_pages;
    options.compact_rows = killed ? 1'000'000 : options.compact_rows;
    Machine machine(disk_, record_, 1);
    ASSERT_TRUE(machine.open(options));
    machine.work(writes);
    expected_ = state_of(machine.store());
    revision_ = machine.store().revision();
    if (killed) {
      disk_.process_death();
    } else {
      machine.close();
      disk_.process_death();
    }
  }
  // "" when it starts and everything is there.
  std::string start(FaultDisk& disk) {
    JournalRecord unused;
    Machine machine(disk, unused, 1);
    const auto opened = machine.open();
    if (!opened) {
      return opened.error().message;
    }
    return state_of(machine.store()) == expected_ && machine.store().revision() == revision_
               ? ""
               : "WRONG";
  }
  // Changes the file as an outsider with SQLite would.
  void change(const char* sql) {
    sqlite3* connection = nullptr;
    ASSERT_EQ(
        sqlite3_open_v2("/disk/store.db", &connection, SQLITE_OPEN_READWRITE, disk_.vfs().c_str()),
        SQLITE_OK);
    const std::string text = std::string("PRAGMA locking_mode = EXCLUSIVE;") + sql;
    EXPECT_EQ(sqlite3_exec(connection, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
  }

  FaultDisk disk_;
  JournalRecord record_;
  State expected_;
  Revision revision_ = 0;
};

TEST_F(Damage, NoneIsFoundWhereNoneIs) {
  make(40);
  EXPECT_EQ(start(disk_), "");
}

TEST_F(Damage, ATruncatedFileIsRefused) {
  make(40);
  const std::string whole = disk_.content("store.db");
  const auto start_with = [&](size_t size) {
    FaultDisk disk;
    disk.copy_from(disk_);
    disk.content("store.db") = whole.substr(0, size);
    return start(disk);
  };
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{100}, size_t{4096}, size_t{8192}, whole.size() / 2}) {
    EXPECT_THAT(start_with(size), HasSubstr("store.db")) << size;
  }
  // The last page may be a free one, and then nothing is missing.
  for (const size_t size : {whole.size() - 8192, whole.size() - 1}) {
    EXPECT_THAT(start_with(size), testing::AnyOf(HasSubstr("store.db"), "")) << size;
  }
}

TEST_F(Damage, ARowThatIsGoneOrChangedIsNamed) {
  make(40);
  struct Case {
    const char* sql;
    const char* said;
  };
  for (const auto& [sql, said] : {
           Case{"UPDATE log SET object = x'00' WHERE revision = (SELECT max(revision) FROM log)",
                "the checksum of revision "},
           Case{"UPDATE log SET key = 'x/other' WHERE revision = (SELECT min(revision) FROM log)",
                "the checksum of revision "},
           Case{"DELETE FROM log WHERE revision = (SELECT max(revision) FROM log)", "rows where"},
           Case{"DELETE FROM log WHERE revision = (SELECT min(revision) FROM log)", ""},
           Case{"DELETE FROM log", "rows where"},
           Case{"DELETE FROM state", "no row in table state"},
           Case{"UPDATE state SET newest = 5", ""},
           Case{"UPDATE state SET compacted = newest + 1", "compacted"},
           Case{"DROP TABLE log", "no such table"},
       }) {
    FaultDisk whole;
    whole.copy_from(disk_);
    change(sql);
    const std::string answer = start(disk_);
    EXPECT_THAT(answer, HasSubstr(said)) << sql;
    EXPECT_THAT(answer, HasSubstr("store.db")) << sql;
    disk_.copy_from(whole);
    disk_.process_death();
  }
}

TEST_F(Damage, AnotherProgramsFileOrANewerOneIsRefused) {
  make(5);
  change("PRAGMA user_version = 3");
  EXPECT_THAT(start(disk_), HasSubstr("has the layout version 3, this program knows version 2"));
  change("PRAGMA user_version = 2; PRAGMA application_id = 7");
  EXPECT_THAT(start(disk_), HasSubstr("is not a store of windlass"));
  disk_.content("store.db") = std::string(20'000, 'x');
  EXPECT_THAT(start(disk_), HasSubstr("store.db: file is not a database"));
}

TEST_F(Damage, ALogWithoutItsFileIsRefused) {
  make(5, true);
  ASSERT_TRUE(disk_.directory()->remove("store.db"));
  EXPECT_THAT(start(disk_), HasSubstr("store.db is gone, its log is still there"));
}

// One changed bit anywhere: it is found, or it is where nothing is kept.
TEST_F(Damage, V7_AFlippedBitIsFoundOrDoesNotMatter) {
  make(40);
  const size_t size = disk_.content("store.db").size();
  ASSERT_GT(size, 20'000U);
  size_t found = 0;
  for (size_t at = 0; at < size; at += kStep * (at < 1'024 ? 1 : 23)) {
    FaultDisk disk;
    disk.copy_from(disk_);
    char& byte = disk.content("store.db")[at];
    byte = static_cast<char>(byte ^ (1 << (at % 8)));
    const std::string answer = start(disk);
    ASSERT_NE(answer, "WRONG") << "byte " << at;
    EXPECT_THAT(answer, AnyOf("", HasSubstr("store.db"))) << "byte " << at;
    found += answer.empty() ? 0U : 1U;
  }
  EXPECT_GT(found, 500 / kStep);
}

// SQLite alone would end such a log at the damage and forget what follows.
TEST_F(Damage, AFlippedBitInTheLogIsFoundOrDoesNotMatter) {
  make(40, true);
  const size_t size = disk_.content("store.db-wal").size();
  ASSERT_GT(size, 50'000U);
  size_t found = 0;
  size_t missed = 0;  // by a look at the log alone: the last commit may be one that a crash cut off
  for (size_t at = 0; at < size; at += kStep * 101) {
    FaultDisk disk;
    disk.copy_from(disk_);
    char& byte = disk.content("store.db-wal")[at];
    byte = static_cast<char>(byte ^ (1 << (at % 8)));
    const std::string answer = start(disk);
    const bool by_mark = answer.find(" was acknowledged: ") != std::string::npos;
    EXPECT_THAT(answer, AnyOf("", HasSubstr("store.db-wal is damaged at byte "),
                              HasSubstr(" was acknowledged: ")))
        << "byte " << at;
    found += answer.empty() ? 0U : 1U;
    missed += by_mark ? 1U : 0U;
    EXPECT_TRUE(!by_mark || at > size - 40'000) << "byte " << at;
  }
  EXPECT_GT(missed, 0U);
  EXPECT_GT(found, 200 / kStep);
}

}  // namespace
}  // namespace windlass::store
