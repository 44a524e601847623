// One attempt as a row of the page: of the ledger where it has the attempt, else of the pod that is
// still there. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "ledger/causes/failure_cause.h"
#include "ledger/ledger.h"

namespace windlass::web {

struct AttemptRow {
  std::string uid;  // of the pod
  std::string pod;
  std::string node;  // "" without one
  std::optional<int64_t> index;
  int64_t number = 0;  // 1 is the first of its index, or of the Job
  std::optional<Time> created;
  std::optional<Time> started;
  std::optional<Time> ended;
  char phase = 'U';  // (S)ucceeded, (F)ailed, (R)unning, (P)ending, (U)nknown
  bool terminating = false;
  std::string waits_for;  // while it is pending
  std::optional<int32_t> exit_code;
  int32_t signal = 0;
  std::string reason;  // of the pod, else of the deciding container
  int32_t rule = -1;
  char counted = '-';  // (S)ucceeded, (F)ailed, (I)gnored, (N)one; - while that is open
  std::optional<int64_t> peak_memory_bytes;
  std::optional<int64_t> cpu_microseconds;
  std::optional<std::string> log;  // its end
  const ledger::FailureCause* cause = nullptr;

  bool is_active() const { return phase == 'R' || phase == 'P'; }
  bool failed() const { return phase == 'F' || phase == 'U'; }
};

// All attempts that either tells of, by index, then by number and creation. Adds those of the
// ledger to `causes`, which the rows point into.
std::vector<AttemptRow> attempt_rows(const std::vector<ledger::AttemptPtr>& attempts,
                                     const api::Message& job_message,
                                     const std::vector<api::ObjectPtr>& pods,
                                     ledger::CauseGroups& causes);

}  // namespace windlass::web
