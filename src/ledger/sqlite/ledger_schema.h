// The layout of ledger.db (docs/reference/ledger.md), and how a file of an older layout becomes one
// of this. A new file comes to be under another name and is renamed when it is whole.
#pragma once

#include <string>

#include "env/data_directory.h"
#include "sqlite/database.h"

namespace windlass::ledger {

// Goes up with every change of the layout; a newer one is refused.
constexpr int kLedgerVersion = 1;
// "WNLG", at byte 68 of the file: `file ledger.db` shows it.
constexpr int kLedgerApplicationId = 0x574E4C47;

// Where a ledger is and how it is opened.
struct LedgerPlace {
  std::string file = "ledger.db";
  std::string vfs = {};  // SQLite's file layer; "" for its own
  // False keeps other connections out, which a file layer without shared memory needs.
  bool shared = true;
};

// Makes an empty ledger in place of what has this name.
Result<void> make_ledger(env::DataDirectory& directory, const LedgerPlace& place);

// Of a file that is open: that it is a ledger, and which version it has.
Result<int> ledger_version(sqlite::Database& database, const std::string& path);
// An error for a version that this program does not know.
Result<void> check_ledger_version(int version, const std::string& path);

// Brings a file of an older version up to date, in one transaction for each version.
Result<void> migrate_ledger(sqlite::Database& database, int version);

// A UID as the file has it: 16 bytes where it is a UUID in its usual form, otherwise its text.
struct StoredUid {
  std::string bytes;
  bool is_text = false;
};
StoredUid stored_uid(const std::string& uid);

}  // namespace windlass::ledger
