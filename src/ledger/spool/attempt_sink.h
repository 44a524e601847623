// Where records go from the spool: a database, as the one who passes them on sees it. Blocks:
// belongs to a worker thread, but for interrupt().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ledger/sqlite/ledger_file.h"

namespace windlass::ledger {

class AttemptSink {
 public:
  // A record that the sink will never take.
  struct Rejected {
    size_t place = 0;  // among those that were given
    std::string why = {};
  };

  virtual ~AttemptSink() = default;

  // Success means that all but the rejected are durable there. Each replaces the record of the same
  // pod, unless that one was recorded later. After an error some may be: repeats are harmless.
  // Without attempts it tells whether the sink can be used.
  virtual Result<std::vector<Rejected>> store(std::span<const StoredAttempt> attempts) = 0;

  // Removes at most `most` of what was recorded before `oldest` and is older than `keep` by the
  // sink's own clock, too; how many it removed.
  virtual Result<size_t> remove_old(Time oldest, Duration keep, size_t most) = 0;

  // Any thread: ends a call that blocks, and every later one, with an error.
  virtual void interrupt() = 0;
};

}  // namespace windlass::ledger
