// The same numbers as State, worked out from scratch by the plain reading of job-controller.md: the
// oracle that tests compare the incremental state with after every event. Slow and simple on
// purpose; shares no counting code with State.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/state/state.h"
#include "engine/types.h"

namespace windlass::engine {

struct Recount {
  Tally tally;
  std::string completed_indexes;
  std::string failed_indexes;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t succeeded_since_resume = 0;
  std::map<int64_t, std::string> held;  // UID of the pod kept for each index
  // backoffLimitPerIndex: the failures that the next pod of an open index has to carry, by the
  // stored record and the pod kept for the index; and the most that anything shows.
  std::map<int64_t, std::pair<IndexFailures, IndexFailures>> index_failures;
  std::string fail_job_message;
  std::map<int32_t, int64_t> rule_failures;  // of rules with limits (13.2)
};

Recount recount(const Options& options, const JobView& job, const std::vector<PodView>& pods);

// What the incremental state says differently, one line each; empty when they agree. With
// `remembers` the state may know more: outcomes that it saw and that nothing shows any more.
std::vector<std::string> differences(const State& state, const Recount& oracle, bool remembers);

}  // namespace windlass::engine
