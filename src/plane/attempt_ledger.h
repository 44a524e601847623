// Where a process records attempts of Jobs: the settings, as flags give them, and the ledger's file
// in a directory. The directory is held by the process already, or is its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/metrics.h"
#include "env/env.h"
#include "ledger/sqlite/sqlite_ledger.h"

namespace windlass::plane {

struct LedgerSettings {
  bool enabled = true;
  Duration max_age = hours(90 * 24);
  uint64_t max_bytes = uint64_t{1} << 30;
  size_t log_bytes = 16 * 1024;  // of the log of a container that decided; 0: none
};

// `worker` has a thread of its own, on which the file is written; it outlives the ledger.
Result<std::unique_ptr<ledger::SqliteLedger>> open_ledger(env::Env env, env::Executor& worker,
                                                          MetricRegistry& metrics,
                                                          const std::string& directory,
                                                          const std::string& file,
                                                          const LedgerSettings& settings);

// What has been recorded there, found on `worker`, beside the one who writes.
Result<std::unique_ptr<ledger::SqliteAttemptSource>> open_attempt_source(
    env::Env env, env::Executor& worker, const std::string& directory, const std::string& file);

}  // namespace windlass::plane
