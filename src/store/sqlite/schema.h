// The layout of the database file (docs/reference/storage.md) and the settings of a connection to
// it. A new file comes to be under another name and is renamed when it is whole, so an empty or
// half made file under the real name is always damage.
#pragma once

#include "env/data_directory.h"
#include "sqlite/database.h"

namespace windlass::store {

using sqlite::Database;

constexpr const char* kDatabaseFile = "store.db";
constexpr const char* kLogFile = "store.db-wal";
// Goes up with every change of the layout; a newer one is refused. The tables of both are the same;
// version 2 says that there has been a mark of the newest revision (newest_mark.h).
constexpr int kUnmarkedVersion = 1;
constexpr int kSchemaVersion = 2;
// "WNDL", at byte 68 of the file: `file store.db` shows it.
constexpr int kApplicationId = 0x574E444C;

struct OpenedDatabase {
  Database database;
  bool is_new = false;
  bool was_marked = false;
};

// Opens the database of the directory for this process alone, or makes it. Everything that is wrong
// with it is named; nothing is repaired, and nothing of the log is copied into the file yet.
Result<OpenedDatabase> open_database(env::DataDirectory& directory, const std::string& vfs);

// A mark is on the disk: from now on a store without one is refused. Durable with the next
// checkpoint.
Result<void> note_mark(Database& database);

}  // namespace windlass::store
