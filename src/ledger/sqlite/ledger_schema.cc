#include "ledger/sqlite/ledger_schema.h"

#include <fmt/format.h>

#include <charconv>

namespace windlass::ledger {
namespace {

using sqlite::Database;
using sqlite::SqliteResult;

// Names stand once in a table of their own, and both indexes hold every column that a filter asks
// for: a search reads no record that it does not answer with.
constexpr const char* kCreateTables = R"(
CREATE TABLE names(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE jobs(
  id INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  uid TEXT NOT NULL,
  UNIQUE (namespace, name, uid)
);
CREATE INDEX jobs_by_uid ON jobs(uid);
CREATE TABLE attempts(
  id INTEGER PRIMARY KEY,
  uid BLOB NOT NULL UNIQUE,
  recorded INTEGER NOT NULL,
  at INTEGER NOT NULL,
  job INTEGER NOT NULL,
  job_index INTEGER,
  exit_code INTEGER,
  counted INTEGER,
  rule INTEGER,
  rule_name INTEGER,
  node INTEGER,
  body BLOB NOT NULL
);
CREATE INDEX attempts_by_job
  ON attempts(job, at, id, job_index, exit_code, counted, rule, rule_name, node);
CREATE INDEX attempts_by_time
  ON attempts(at, id, job, job_index, exit_code, counted, rule, rule_name, node);
)";

Result<int> number_of(Database& database, const char* sql) {
  TRY(const std::string text, database.ask(sql));
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

int hex_value(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

}  // namespace

Result<void> make_ledger(env::DataDirectory& directory, const LedgerPlace& place) {
  const std::string name = place.file + ".new";
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    TRY_VOID(directory.remove(name + suffix));
  }
  TRY_VOID(directory.create(name));
  {
    TRY(Database database, Database::open(directory.path() + "/" + name, place.vfs));
    // As few syncs as a new file needs: a half made one is not renamed.
    TRY_VOID(database.must_run(
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL; "
        "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL"));
    TRY_VOID(database.must_run(
        fmt::format("BEGIN; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT",
                    kCreateTables, kLedgerApplicationId, kLedgerVersion)
            .c_str()));
    TRY_VOID(database.ask("PRAGMA journal_mode = WAL"));
  }
  TRY_VOID(directory.remove(name + "-wal"));
  TRY_VOID(directory.remove(name + "-shm"));
  return directory.rename(name, place.file);
}

Result<int> ledger_version(Database& database, const std::string& path) {
  TRY(const int application, number_of(database, "PRAGMA application_id"));
  if (application != kLedgerApplicationId) {
    return fail(plain_error(path + " is a database, but not a ledger of windlass"));
  }
  return number_of(database, "PRAGMA user_version");
}

Result<void> check_ledger_version(int version, const std::string& path) {
  if (version >= 1 && version <= kLedgerVersion) {
    return {};
  }
  return fail(plain_error(fmt::format(
      "{} has the layout version {}, this program knows versions up to {}: use the program that "
      "wrote it, or a newer one",
      path, version, kLedgerVersion)));
}

Result<void> migrate_ledger(Database& database, int version) {
  // Version n becomes n + 1. The first is the oldest there is.
  static constexpr const char* kSteps[] = {nullptr};
  static_assert(std::size(kSteps) == kLedgerVersion);
  for (int step = version; step < kLedgerVersion; ++step) {
    const std::string sql = fmt::format("BEGIN IMMEDIATE; {}; PRAGMA user_version = {}; COMMIT",
                                        kSteps[step], step + 1);
    if (auto done = database.must_run(sql.c_str()); !done) {
      database.rollback();
      return done;
    }
  }
  return {};
}

StoredUid stored_uid(const std::string& uid) {
  constexpr size_t kUuidText = 36;
  StoredUid stored;
  std::string digits;
  for (size_t i = 0; i < uid.size() && uid.size() == kUuidText; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? uid[i] != '-' : !is_hex(uid[i])) {
      break;
    }
    if (!dash) {
      digits += uid[i];
    }
  }
  if (digits.size() != 32) {
    return {uid, true};
  }
  for (size_t i = 0; i < digits.size(); i += 2) {
    stored.bytes += static_cast<char>(hex_value(digits[i]) * 16 + hex_value(digits[i + 1]));
  }
  return stored;
}

}  // namespace windlass::ledger
