#include "verify/simulation/monitor.h"

#include <algorithm>
#include <utility>

namespace windlass::verify::simulation {

void Report::broken(std::string_view rule, std::string text) {
  Broken found{std::string(rule), std::move(text)};
  if (all_.size() < kMaxBroken && std::find(all_.begin(), all_.end(), found) == all_.end()) {
    all_.push_back(std::move(found));
  }
}

Monitors all_monitors(const Allowances& allowances) {
  Monitors monitors;
  add_counting_monitors(monitors);
  if (!allowances.gates_change) {
    add_policy_monitors(monitors);
    add_backoff_monitors(monitors);
  }
  add_terminal_monitors(monitors);
  add_activity_monitors(monitors, allowances);
  add_ownership_monitors(monitors);
  add_node_monitors(monitors, allowances);
  add_disruption_monitors(monitors, allowances);
  if (allowances.gates_change) {
    // With JobManagedBy off, another's Jobs are taken over.
    std::erase_if(monitors, [](const auto& monitor) { return monitor->rule() == "O3"; });
  }
  return monitors;
}

}  // namespace windlass::verify::simulation
