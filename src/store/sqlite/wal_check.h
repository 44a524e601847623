// Looks at a write-ahead log before SQLite does. SQLite reads such a log up to its first damaged
// record and forgets the rest, which is right for what a crash left half written, and wrong for a
// log that was damaged afterwards: there acknowledged writes would vanish without a word. Every
// commit is synced before the next one begins, so a crash leaves at most one unfinished commit;
// more than one behind a damaged record means that the record was whole once (safety.md V6).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace windlass::store {

// `path` is the log, which must be there.
Result<void> check_write_ahead_log(const std::string& path, const std::string& vfs);

// What a log of so many pages takes at least.
uint64_t write_ahead_log_bytes(int pages, uint64_t page_bytes);

}  // namespace windlass::store
