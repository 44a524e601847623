// Who would have to go so that a pod fits (disruption.md 1.4): which nodes are worth looking at,
// the victims on each with as many spared as possible, and the node where it hurts least. Decides
// only; eviction.h acts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "env/random.h"
#include "scheduler/attempt.h"
#include "scheduler/cluster/budgets.h"

namespace windlass::scheduler {

// The victims on one node, the most important first (P-11).
struct Victims {
  std::string node;
  std::vector<PodPtr> pods;
  size_t violations = 0;  // how many of them a budget protects
};

struct PreemptionPlan {
  std::optional<Victims> victims;
  std::string text;  // why no pod is preempted: `preemption: 0/2 nodes are available: ...`
};

// P-8: whether a matters more than b. A pod that has not started yet starts now.
bool is_more_important(const PodInfo& a, const PodInfo& b, Time now);

// P-3: the room that was made on the nominated node is not free yet. With the feature gate off any
// terminating pod of lower priority counts (F-1).
bool waits_for_victims(const PodInfo& pod, const NodeState& nominated, bool disruption_conditions);

// P-12: the index of the best of them; there is at least one.
size_t pick_victims(std::span<const Victims> candidates, Time now);

struct PreemptionContext {
  std::span<const DisruptionBudget> budgets;
  env::Random& random;
  Time now;
};
// P-4 to P-12. `fits` by slot: why the pod does not fit now.
PreemptionPlan plan_preemption(Attempt& attempt, const std::vector<Fit>& fits,
                               const PreemptionContext& context);

}  // namespace windlass::scheduler
