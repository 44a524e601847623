// Backups of a data directory (docs/reference/storage.md). A backup is a directory with the same
// layout and a list of checksums. It is made while a server writes, and opened as a start opens it
// before it gets its name: every row is read and checked. Restored, the store goes on far behind
// the newest revision of the backup, so that no revision means two states, and no watch from before
// goes on as if nothing had happened.
//
// Blocks. The directories belong to the user who calls.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "env/files.h"
#include "store/version.h"

namespace windlass::backup {

// In the order of `sha256sum`, whose option --check reads it.
constexpr const char* kChecksums = "SHA256SUMS";
// More revisions than a server gives out between a backup and its return.
constexpr store::Revision kRestoredGap = 1'000'000'000;

struct Content {
  store::Revision newest = 0;
  size_t objects = 0;
  uint64_t attempts = 0;  // of the ledger
};

// `target` must not exist.
Result<Content> make_backup(env::Files& files, const std::string& data_dir,
                            const std::string& target);

// `data_dir` must not exist, or be empty.
Result<Content> restore_backup(env::Files& files, const std::string& backup,
                               const std::string& data_dir);

}  // namespace windlass::backup
