// What one exploration is about: a small Job, what may happen to its pods, and how often anything
// may go wrong. Values; the list of all configurations is in configs.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/types.h"

namespace windlass::verify::explorer {

// How a container ends.
struct Ending {
  int32_t exit_code = 1;
  bool disrupted = false;  // with condition DisruptionTarget
};

// How often something may still happen on a path. Without these limits a Job with faults never
// ends; with them every path does.
struct FaultBudget {
  uint8_t failures = 2;   // of pods that were not deleted
  uint8_t deletions = 0;  // of pods, by others
  uint8_t faults = 1;     // refused writes and lost answers
  uint8_t crashes = 1;    // of the controller
  uint8_t delays = 1;     // answers that come later than their write
  uint8_t stale = 1;      // watch events that are not the newest
  uint8_t edits = 0;      // of the Job, by its user
  uint8_t robberies = 0;  // finalizers removed by others

  bool operator==(const FaultBudget&) const = default;
};

enum class Edit : uint8_t { suspend, parallelism, completions, delete_job, pause };

struct ExplorerConfig {
  std::string name;
  std::string about;  // for the table in docs/reference/exploration.md
  engine::JobView job;
  engine::Options options;
  std::vector<Ending> endings = {{1, false}};
  std::vector<Ending> endings_after_deletion = {{143, false}};
  FaultBudget budget;
  bool starts_pending = false;  // pods are bound and started as a step of their own
  bool evicts = false;          // deletions by others may come with DisruptionTarget
  bool restarts = false;        // containers restart in place (restartPolicy OnFailure)
  std::vector<Edit> edits;
};

// All configurations, in the order of the documentation.
const std::vector<ExplorerConfig>& configurations();
const ExplorerConfig* find_configuration(std::string_view name);

}  // namespace windlass::verify::explorer
