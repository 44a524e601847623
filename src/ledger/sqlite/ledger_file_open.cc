// How the file of the ledger is opened, and what becomes of a damaged one.
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "ledger/sqlite/ledger_file.h"

namespace windlass::ledger {
namespace {

using sqlite::Database;
using sqlite::SqliteResult;
using sqlite::Statement;

// Another process may read, or for a moment write.
constexpr Duration kLockWait = seconds(5);
// Damaged files of one directory.
constexpr int kMaxAside = 1'000;
constexpr uint32_t kOthers = 0007;

constexpr const char* kSettings = R"(
PRAGMA synchronous = FULL;
PRAGMA cache_size = -8192;
PRAGMA mmap_size = 0;
PRAGMA temp_store = MEMORY;
PRAGMA cell_size_check = ON;
PRAGMA journal_size_limit = 33554432;
)";

}  // namespace

Result<std::unique_ptr<LedgerFile>> LedgerFile::open(std::unique_ptr<env::DataDirectory> directory,
                                                     const LedgerOptions& options) {
  std::unique_ptr<LedgerFile> file(new LedgerFile(std::move(directory), options));
  TRY_VOID(file->connect());
  return file;
}

Result<void> LedgerFile::connect() {
  connection_.reset();
  bool damaged = false;
  Result<void> opened = try_connect(damaged);
  if (!opened && damaged) {
    TRY_VOID(set_aside(opened.error().message));
    opened = try_connect(damaged);
  }
  return opened;
}

Result<void> LedgerFile::try_connect(bool& damaged) {
  const LedgerPlace& place = options_.place;
  damaged = false;
  TRY(const bool there, directory_->has(place.file));
  if (!there) {
    TRY(const bool log_there, directory_->has(place.file + "-wal"));
    if (log_there) {
      damaged = true;
      return fail(plain_error(path() + " is gone, its log is still there"));
    }
    TRY_VOID(make_ledger(*directory_, place));
  }
  TRY(const env::FileState state, directory_->look_at(place.file));
  if ((state.mode & kOthers) != 0) {
    return fail(plain_error(fmt::format("{} is open to other users (mode {:04o}): chmod 600 {}",
                                        path(), state.mode, path())));
  }
  if (state.bytes == 0) {
    damaged = true;
    return fail(plain_error(path() + " is empty"));
  }
  auto made = std::make_unique<Connection>();
  TRY(made->database, Database::open(path(), place.vfs));
  made->identity = state.identity;
  Result<void> loaded = load(*made);
  if (!loaded) {
    damaged = made->database.is_damaged();
    return loaded;
  }
  connection_ = std::move(made);
  return {};
}

Result<void> LedgerFile::load(Connection& made) {
  Database& database = made.database;
  database.wait_for_locks(kLockWait);
  if (!options_.place.shared) {
    TRY_VOID(database.must_run("PRAGMA locking_mode = EXCLUSIVE"));
  }
  TRY_VOID(database.must_run(kSettings));
  TRY(const int version, ledger_version(database, path()));
  TRY_VOID(check_ledger_version(version, path()));
  TRY(const std::string mode, database.ask("PRAGMA journal_mode = WAL"));
  if (mode != "wal") {
    return fail(plain_error(path() + " cannot have a write-ahead log"));
  }
  TRY_VOID(migrate_ledger(database, version));
  // What an earlier process wrote to the log and could not sync is made durable before anything is
  // built on it.
  if (database.copy_log() != SqliteResult::done) {
    return fail(plain_error(database.error()));
  }
  TRY_VOID(prepare(made));
  TRY(const std::string page_bytes, database.ask("PRAGMA page_size"));
  page_bytes_ = std::strtoll(page_bytes.c_str(), nullptr, 10);
  TRY(const std::string newest,
      database.ask("SELECT recorded FROM attempts ORDER BY id DESC LIMIT 1"));
  newest_recorded_ = std::strtoll(newest.c_str(), nullptr, 10);
  return {};
}

Result<void> LedgerFile::prepare(Connection& made) {
  Database& database = made.database;
  TRY(made.insert_name,
      database.prepare("INSERT INTO names(name) VALUES (?1) ON CONFLICT DO NOTHING"));
  TRY(made.find_name, database.prepare("SELECT id FROM names WHERE name = ?1"));
  TRY(made.insert_job,
      database.prepare("INSERT INTO jobs(namespace, name, uid) VALUES (?1, ?2, ?3)"));
  TRY(made.find_job,
      database.prepare("SELECT id FROM jobs WHERE namespace = ?1 AND name = ?2 AND uid = ?3"));
  TRY(made.upsert,
      database.prepare(
          "INSERT INTO attempts(uid, recorded, at, job, job_index, exit_code, counted, rule, "
          "rule_name, node, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "
          "ON CONFLICT(uid) DO UPDATE SET at = excluded.at, job = excluded.job, "
          "job_index = excluded.job_index, exit_code = excluded.exit_code, "
          "counted = excluded.counted, rule = excluded.rule, rule_name = excluded.rule_name, "
          "node = excluded.node, body = excluded.body"));
  TRY(made.oldest, database.prepare("SELECT id, recorded, job FROM attempts ORDER BY id LIMIT ?1"));
  TRY(made.remove, database.prepare("DELETE FROM attempts WHERE id <= ?1"));
  TRY(made.remove_job, database.prepare("DELETE FROM jobs WHERE id = ?1 AND NOT EXISTS "
                                        "(SELECT 1 FROM attempts WHERE job = ?1)"));
  TRY(made.first, database.prepare("SELECT id, recorded, body FROM attempts ORDER BY id LIMIT ?1"));
  TRY(made.remove_same,
      database.prepare("DELETE FROM attempts WHERE id = ?1 AND body = ?2 RETURNING job"));
  return {};
}

Result<void> LedgerFile::set_aside(const std::string& why) {
  const std::string& file = options_.place.file;
  for (int number = 1; number <= kMaxAside; ++number) {
    const std::string aside = fmt::format("{}.damaged-{}", file, number);
    TRY(const bool taken, directory_->has(aside));
    TRY(const bool log_taken, directory_->has(aside + "-wal"));
    if (taken || log_taken) {
      continue;
    }
    TRY(const bool there, directory_->has(file));
    if (there) {
      TRY_VOID(directory_->rename(file, aside));
    }
    // Readers find it beside its file. After a crash right here it is set aside alone.
    TRY(const bool log_there, directory_->has(file + "-wal"));
    if (log_there) {
      TRY_VOID(directory_->rename(file + "-wal", aside + "-wal"));
    }
    TRY_VOID(directory_->remove(file + "-shm"));
    notices_.push_back(
        fmt::format("the ledger is damaged ({}): it is kept as {}/{}, and a new one "
                    "was begun",
                    why, directory_->path(), aside));
    return {};
  }
  return fail(
      plain_error(fmt::format("{} is damaged ({}), and there are too many damaged ledgers "
                              "beside it: remove {}.damaged-*",
                              path(), why, path())));
}

}  // namespace windlass::ledger
