// What a node knows of its shortages from one look to the next: since when there is one, whether it
// is over, and what the node says of itself meanwhile (disruption.md K-56 to K-59). Pure: it is
// told the time and the levels.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/time.h"
#include "env/host_resources.h"
#include "node/pressure/thresholds.h"

namespace windlass::node::pressure {

// By signal; one that is not there is not known.
using ResourceLevels = std::map<EvictionSignal, env::ResourceLevel>;

struct Conditions {
  bool memory = false;
  bool disk = false;
  bool pids = false;

  bool any() const { return memory || disk || pids; }
  bool operator==(const Conditions&) const = default;
};

bool is_short(const Threshold& threshold, const ResourceLevels& levels);
// How much has to come back until the shortage is over, with the minimum reclaim; 0 when it is.
uint64_t missing(const Threshold& threshold, const ResourceLevels& levels);

class PressureTracker {
 public:
  explicit PressureTracker(EvictionConfig config)
      : config_(std::move(config)), met_(config_.thresholds.size()) {}

  void observe(MonotonicTime now, const ResourceLevels& levels);
  // True at once, False only when there was no shortage for the transition period (K-58).
  const Conditions& conditions() const { return conditions_; }
  // The threshold that something has to be done about: the first whose grace is over (K-59).
  const Threshold* due() const { return due_; }

 private:
  const EvictionConfig config_;
  std::vector<std::optional<MonotonicTime>> met_;  // since when, by threshold
  std::map<EvictionSignal, MonotonicTime> last_short_;
  Conditions conditions_;
  const Threshold* due_ = nullptr;
};

}  // namespace windlass::node::pressure
