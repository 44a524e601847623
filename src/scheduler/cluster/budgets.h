// PodDisruptionBudgets as preemption looks at them (disruption.md P-9): which of a node's possible
// victims would violate one. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "scheduler/cluster/pod_info.h"

namespace windlass::scheduler {

struct DisruptionBudget {
  std::string ns;
  std::string name;
  api::LabelSelector selector;      // an absent or empty one matches nothing here
  int32_t allowed = 0;              // status.disruptionsAllowed
  std::set<std::string> disrupted;  // status.disruptedPods
};

struct SplitVictims {
  std::vector<PodPtr> violating;
  std::vector<PodPtr> others;
};

// `pods` in the order of their importance, which both parts keep.
SplitVictims split_by_budgets(std::span<const PodPtr> pods,
                              std::span<const DisruptionBudget> budgets);

}  // namespace windlass::scheduler
