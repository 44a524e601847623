// A consistent copy of an SQLite database that another process writes to.
//
// The database file is copied first, then its write-ahead log. A checkpoint that runs meanwhile may
// leave old and new pages in the copy of the file, but each page that it writes is also in the log,
// and the log has precedence, as long as the log has not begun anew. Its header shows that; the
// copy is then made again.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "env/files.h"

namespace windlass::backup {

struct DatabaseCopy {
  static constexpr int kMaxTries = 20;

  std::string from;  // directories
  std::string to;
  std::string name;                          // store.db
  std::function<void()> between_files = {};  // for tests
};

// Replaces what the target has under these names.
Result<void> copy_database(env::Files& files, const DatabaseCopy& copy);

}  // namespace windlass::backup
