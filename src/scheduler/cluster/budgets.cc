#include "scheduler/cluster/budgets.h"

namespace windlass::scheduler {
namespace {

bool covers(const DisruptionBudget& budget, const PodInfo& pod) {
  return budget.ns == pod.ns && !pod.labels.empty() && !budget.selector.matches_everything() &&
         budget.selector.matches(pod.labels);
}

}  // namespace

SplitVictims split_by_budgets(std::span<const PodPtr> pods,
                              std::span<const DisruptionBudget> budgets) {
  std::vector<int64_t> left;
  left.reserve(budgets.size());
  for (const DisruptionBudget& budget : budgets) {
    left.push_back(budget.allowed);
  }
  SplitVictims split;
  for (const PodPtr& pod : pods) {
    bool violates = false;
    for (size_t i = 0; i < budgets.size(); ++i) {
      // An eviction that was granted already is not counted again.
      if (covers(budgets[i], *pod) && !budgets[i].disrupted.contains(pod->name)) {
        violates = --left[i] < 0 || violates;
      }
    }
    (violates ? split.violating : split.others).push_back(pod);
  }
  return split;
}

}  // namespace windlass::scheduler
