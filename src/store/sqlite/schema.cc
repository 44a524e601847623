#include "store/sqlite/schema.h"

#include <fmt/format.h>

#include "store/sqlite/wal_check.h"

namespace windlass::store {
namespace {

constexpr const char* kNewFile = "store.db.new";

// Exclusive: no other process can change rows behind the memory's back, and no shared memory is
// needed. Pages are written at the commit only, so a commit is one sequence of writes and one sync.
constexpr const char* kSettings = R"(
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA synchronous = FULL;
PRAGMA cache_size = -8192;
PRAGMA cache_spill = OFF;
PRAGMA mmap_size = 0;
PRAGMA temp_store = MEMORY;
PRAGMA cell_size_check = ON;
PRAGMA journal_size_limit = 33554432;
)";

// The small columns come first: compaction reads them without touching the object.
constexpr const char* kCreateTables = R"(
BEGIN;
CREATE TABLE log(
  revision INTEGER PRIMARY KEY,
  previous INTEGER NOT NULL,
  change TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  resource TEXT NOT NULL,
  key TEXT NOT NULL,
  object BLOB NOT NULL
);
CREATE TABLE state(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  newest INTEGER NOT NULL,
  compacted INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  checksum_sum INTEGER NOT NULL
);
INSERT INTO state VALUES (1, 1, 1, 0, 0);
CREATE VIEW live AS
  SELECT resource, key, revision, length(object) AS bytes, object FROM log
  WHERE change <> 'delete'
    AND revision NOT IN (SELECT previous FROM log)
  ORDER BY resource, key;
COMMIT;
)";

Result<void> make_database(env::DataDirectory& directory, const std::string& vfs) {
  const std::string name = kNewFile;
  TRY_VOID(directory.remove(name + "-journal"));
  TRY_VOID(directory.remove(name + "-wal"));
  TRY_VOID(directory.create(name));
  {
    TRY(Database database, Database::open(directory.path() + "/" + name, vfs));
    TRY_VOID(database.must_run(kSettings));
    TRY_VOID(database.must_run("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL"));
    TRY_VOID(database.must_run(kCreateTables));
    TRY_VOID(database.must_run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                           kApplicationId, kUnmarkedVersion)
                                   .c_str()));
    TRY_VOID(database.ask("PRAGMA journal_mode = WAL"));
  }
  TRY_VOID(directory.remove(name + "-wal"));
  return directory.rename(name, kDatabaseFile);
}

// Its layout version.
Result<int> check_identity(Database& database, const std::string& path) {
  TRY(const std::string application, database.ask("PRAGMA application_id"));
  if (application != std::to_string(kApplicationId)) {
    return fail(plain_error(path + " is not a store of windlass"));
  }
  TRY(const std::string version, database.ask("PRAGMA user_version"));
  for (const int known : {kUnmarkedVersion, kSchemaVersion}) {
    if (version == std::to_string(known)) {
      return known;
    }
  }
  return fail(plain_error(
      fmt::format("{} has the layout version {}, this program knows version {}: use the program "
                  "that wrote it, or a newer one",
                  path, version, kSchemaVersion)));
}

Status damage(std::string why) {
  return plain_error(
      fmt::format("the store is damaged: {}; restore the data directory from a copy", why));
}

Result<void> check_structure(Database& database, const std::string& path) {
  TRY(const std::string verdict, database.ask("PRAGMA quick_check(1)"));
  return verdict == "ok" ? Result<void>() : fail(damage(path + ": " + verdict));
}

}  // namespace

Result<OpenedDatabase> open_database(env::DataDirectory& directory, const std::string& vfs) {
  const std::string path = directory.path() + "/" + kDatabaseFile;
  OpenedDatabase opened;
  TRY(const bool there, directory.has(kDatabaseFile));
  TRY(const bool log_there, directory.has(kLogFile));
  if (!there && log_there) {
    return fail(plain_error(
        path +
        " is gone, its log is still there; restore the data directory from a copy, or remove "
        "store.db-wal, too, and start once with --accept-lost-writes to begin with an empty "
        "store"));
  }
  if (!there) {
    TRY_VOID(make_database(directory, vfs));
    opened.is_new = true;
  }
  if (log_there) {
    TRY_VOID(check_write_ahead_log(directory.path() + "/" + kLogFile, vfs));
  }
  TRY(opened.database, Database::open(path, vfs));
  Database& database = opened.database;
  TRY_VOID(database.must_run(kSettings));
  TRY(const int version, check_identity(database, path));
  opened.was_marked = version != kUnmarkedVersion;
  TRY_VOID(check_structure(database, path));
  TRY(const std::string mode, database.ask("PRAGMA journal_mode = WAL"));
  if (mode != "wal") {
    return fail(plain_error(path + " cannot have a write-ahead log"));
  }
  return opened;
}

Result<void> note_mark(Database& database) {
  return database.must_run(fmt::format("PRAGMA user_version = {}", kSchemaVersion).c_str());
}

}  // namespace windlass::store
