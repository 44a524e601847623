#include "ledger/sqlite/attempt_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/sanitized_testing.h"
#include "ledger/sqlite/ledger_file.h"
#include "ledger/sqlite/ledger_testing.h"
#include "posix/files/data_directory.h"
#include "posix/testing.h"
#include "verify/ledgers/memory_ledger.h"
#include "virtual_world/world.h"

namespace windlass::ledger {
namespace {

using posix::TemporaryDirectory;
using sqlite::SqliteResult;
using testing::HasSubstr;

std::unique_ptr<LedgerFile> file_in(const TemporaryDirectory& folder) {
  return LedgerFile::open(posix::enter_directory(folder.path()).value(), {}).value();
}

Result<std::unique_ptr<AttemptReader>> open_reader(const TemporaryDirectory& folder) {
  TRY(auto directory, posix::enter_directory(folder.path()));
  return AttemptReader::open(std::move(directory), {});
}

AttemptFilter random_filter(Generator& random) {
  AttemptFilter filter;
  const auto maybe = [&](auto& field, auto value) {
    if (random.chance(0.25)) {
      field = value;
    }
  };
  maybe(filter.ns, "batch");
  maybe(filter.job, fmt::format("job-{}", random.uniform(5)));
  maybe(filter.job_uid, "second");
  maybe(filter.counted, random.chance(0.8) ? "Failed" : "Zork");
  maybe(filter.node, fmt::format("node-{}", random.uniform(6)));
  maybe(filter.rule, static_cast<int32_t>(random.uniform(4)));
  maybe(filter.rule_name, "oom");
  maybe(filter.exit_code, static_cast<int32_t>(random.uniform(8)));
  maybe(filter.since, time_from_unix(1'700'000'000 + static_cast<int64_t>(random.uniform(9))));
  maybe(filter.until, time_from_unix(1'700'000'000 + static_cast<int64_t>(random.uniform(12))));
  maybe(filter.indexes, IndexSet{1, 3, 5, 7, static_cast<int32_t>(8 + random.uniform(90))});
  if (random.chance(0.1)) {
    filter.pod_uid = test_uid(random.uniform(200));
  }
  return filter;
}

TEST(AttemptReader, FindsWhatThePlainestReadingFinds) {
  const TemporaryDirectory folder;
  virtual_world::VirtualWorld world(1);
  MemoryLedger plain(world.executor());
  Generator random(7);
  auto file = file_in(folder);
  for (int i = 0; i < 300; ++i) {
    const AttemptPtr attempt = random_attempt(random);
    ASSERT_EQ(file->append(std::span(&attempt, 1), time_from_unix(0)), SqliteResult::done);
    plain.record(attempt, [](const Result<void>&) {});
  }
  const auto reader = open_reader(folder).value();
  size_t found = 0;
  for (int i = 0; i < (kSanitized ? 300 : 2'000); ++i) {
    const AttemptFilter filter = random_filter(random);
    const auto expected = plain.page(filter, 5'000, "").value().items;
    const auto have = find_all(*reader, filter, 1 + random.uniform(400));
    ASSERT_EQ(have.size(), expected.size());
    for (size_t k = 0; k < have.size(); ++k) {
      ASSERT_EQ(have[k]->SerializeAsString(), expected[k]->SerializeAsString());
    }
    found += have.size();
  }
  EXPECT_GT(found, 1'000u);
}

TEST(AttemptReader, SeesWhatAnotherConnectionWritesMeanwhile) {
  const TemporaryDirectory folder;
  auto file = file_in(folder);
  const auto reader = open_reader(folder).value();
  for (uint64_t i = 0; i < 50; ++i) {
    const AttemptPtr attempt = test_attempt(i);
    ASSERT_EQ(file->append(std::span(&attempt, 1), time_from_unix(0)), SqliteResult::done);
    EXPECT_EQ(find_all(*reader).size(), i + 1);
  }
}

TEST(AttemptReader, ReadsAFileThatNoProcessHasOpen) {
  const TemporaryDirectory folder;
  {
    auto file = file_in(folder);
    const AttemptPtr attempt = test_attempt(1);
    file->append(std::span(&attempt, 1), time_from_unix(0));
  }
  EXPECT_EQ(find_all(*open_reader(folder).value()).size(), 1u);
}

TEST(AttemptReader, FollowsAFileThatWasReplaced) {
  const TemporaryDirectory folder;
  auto file = file_in(folder);
  const auto reader = open_reader(folder).value();
  const AttemptPtr attempt = test_attempt(1);
  file->append(std::span(&attempt, 1), time_from_unix(0));
  EXPECT_EQ(find_all(*reader).size(), 1u);
  file.reset();
  for (const char* name : {"ledger.db", "ledger.db-wal", "ledger.db-shm"}) {
    std::filesystem::remove(folder / name);
  }
  file = file_in(folder);
  EXPECT_EQ(find_all(*reader).size(), 0u);
}

TEST(AttemptReader, NamesWhatItCannotRead) {
  const TemporaryDirectory folder;
  EXPECT_THAT(open_reader(folder).error().message, HasSubstr("ledger.db"));
  EXPECT_FALSE(std::filesystem::exists(folder / "ledger.db")) << "reading makes nothing";
  folder.write("ledger.db",
               "zork zork zork zork zork zork zork zork zork zork zork zork zork zork "
               "zork zork zork zork zork zork zork zork zork zork zork zork zork zork");
  EXPECT_THAT(open_reader(folder).error().message, HasSubstr("file is not a database"));
  folder.write("ledger.db", "");
  EXPECT_THAT(open_reader(folder).error().message, HasSubstr("is empty"));
}

TEST(AttemptReader, AWriterRefusesAFileThatOthersCanOpen) {
  const TemporaryDirectory folder;
  file_in(folder).reset();
  ::chmod((folder / "ledger.db").c_str(), 0644);
  const auto opened = LedgerFile::open(posix::enter_directory(folder.path()).value(), {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("(mode 0644): chmod 600 "));
}

TEST(AttemptReader, AnUnknownTokenIsABadRequest) {
  const TemporaryDirectory folder;
  file_in(folder).reset();
  const auto reader = open_reader(folder).value();
  for (const char* token : {"zork", "1", "1.", ".1", "1.2.3", "1.2 ", "99999999999999999999.1"}) {
    const auto page = reader->find({}, 1, token);
    ASSERT_FALSE(page) << token;
    EXPECT_EQ(page.error().code, 400) << token;
  }
}

TEST(AttemptReader, ARecordThatIsDamagedShowsWhatItsColumnsHold) {
  const TemporaryDirectory folder;
  {
    auto file = file_in(folder);
    const AttemptPtr attempt = test_attempt(42);
    file->append(std::span(&attempt, 1), time_from_unix(0));
  }
  {
    auto database = sqlite::Database::open(folder / "ledger.db", "").value();
    ASSERT_TRUE(database.must_run("UPDATE attempts SET body = x'FFFFFFFF'"));
  }
  const auto found = find_all(*open_reader(folder).value());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->metadata().name(), test_uid(42));
  EXPECT_EQ(found[0]->metadata().namespace_(), "batch");
  EXPECT_EQ(found[0]->job().name(), "train");
  EXPECT_EQ(found[0]->index(), 42);
  EXPECT_EQ(found[0]->message(), "the rest of this record is damaged");
}

// Version 1 as the program of that version made it. Stays as it is when the layout changes: every
// program has to open it.
constexpr const char* kVersionOne = R"(
PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
CREATE TABLE names(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE jobs(id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, name TEXT NOT NULL,
  uid TEXT NOT NULL, UNIQUE (namespace, name, uid));
CREATE INDEX jobs_by_uid ON jobs(uid);
CREATE TABLE attempts(id INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE, recorded INTEGER NOT NULL,
  at INTEGER NOT NULL, job INTEGER NOT NULL, job_index INTEGER, exit_code INTEGER,
  counted INTEGER, rule INTEGER, rule_name INTEGER, node INTEGER, body BLOB NOT NULL);
CREATE INDEX attempts_by_job ON attempts(job, at, id, job_index, exit_code, counted, rule,
  rule_name, node);
CREATE INDEX attempts_by_time ON attempts(at, id, job, job_index, exit_code, counted, rule,
  rule_name, node);
PRAGMA application_id = 0x574E4C47; PRAGMA user_version = 1;
INSERT INTO names VALUES (1, 'Failed'), (2, 'node-1');
INSERT INTO jobs VALUES (1, 'batch', 'old', 'uid-of-old');
INSERT INTO attempts VALUES (1, x'000000010000400080000000000000FF', 1700000000, 1700000000, 1, 3,
  42, 1, NULL, NULL, 2, x'0A2E1A0562617463680A0578782D78781A');
)";

TEST(AttemptReader, AFileOfVersionOneIsOpenedAndItsRecordsAreFound) {
  const TemporaryDirectory folder;
  folder.write("ledger.db", "");
  ::chmod((folder / "ledger.db").c_str(), 0600);
  ASSERT_TRUE(sqlite::Database::open(folder / "ledger.db", "").value().must_run(kVersionOne));
  {
    auto file = file_in(folder);
    EXPECT_EQ(file->take_notices().size(), 0u);
    auto attempt = test_attempt(2, "old");
    const AttemptPtr added = attempt;
    ASSERT_EQ(file->append(std::span(&added, 1), time_from_unix(0)), SqliteResult::done);
  }
  const auto reader = open_reader(folder).value();
  EXPECT_EQ(find_all(*reader, {.job_uid = "uid-of-old"}).size(), 2u);
  const auto old = find_all(*reader, {.exit_code = 42, .node = "node-1", .counted = "Failed"});
  ASSERT_EQ(old.size(), 1u);
  EXPECT_EQ(old[0]->index(), 3);
}

}  // namespace
}  // namespace windlass::ledger
