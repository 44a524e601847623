#include "scheduler/preemption.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "base/check.h"
#include "base/generator.h"

namespace windlass::scheduler {
namespace {

// P-5
constexpr size_t kMinCandidates = 100;
constexpr size_t kCandidatePercent = 10;

std::vector<PodPtr> lower_priority_pods(const PodInfo& pod, const NodeState& node, Time now) {
  std::vector<PodPtr> lower;
  for (const auto& [uid, other] : node.pods) {
    if (other->priority() < pod.priority()) {
      lower.push_back(other);
    }
  }
  std::sort(lower.begin(), lower.end(),
            [now](const PodPtr& a, const PodPtr& b) { return is_more_important(*a, *b, now); });
  return lower;
}

// A node with pods taken off and put back, as if.
class Trial {
 public:
  Trial(Attempt& attempt, const NodeState& node)
      : attempt_(attempt), node_(node), usage_(node.usage) {}

  void remove(const PodInfo& pod) {
    usage_.remove(*pod.shape);
    attempt_.remove(pod, node_);
  }
  void put_back(const PodInfo& pod) {
    usage_.add(*pod.shape);
    attempt_.add(pod, node_);
  }
  Fit fit() { return attempt_.fit(node_, usage_); }

 private:
  Attempt& attempt_;
  const NodeState& node_;
  NodeUsage usage_;
};

// P-10: those that may stay are put back, those that have to go are returned.
std::vector<PodPtr> reprieve(const std::vector<PodPtr>& pods, Trial& trial) {
  std::vector<PodPtr> victims;
  for (const PodPtr& pod : pods) {
    trial.put_back(*pod);
    if (!trial.fit().fits()) {
      trial.remove(*pod);
      victims.push_back(pod);
    }
  }
  return victims;
}

std::variant<Victims, Fit> victims_on(Attempt& attempt, const NodeState& node,
                                      const PreemptionContext& context) {
  const std::vector<PodPtr> lower = lower_priority_pods(attempt.pod(), node, context.now);
  if (lower.empty()) {
    return Fit{bit(Reason::no_victims), true};  // P-6
  }
  Trial trial(attempt, node);
  for (const PodPtr& pod : lower) {
    trial.remove(*pod);
  }
  if (const Fit fit = trial.fit(); !fit.fits()) {
    for (const PodPtr& pod : lower) {
      trial.put_back(*pod);
    }
    return fit;  // P-7
  }
  const SplitVictims split = split_by_budgets(lower, context.budgets);
  Victims victims{node.info.name, reprieve(split.violating, trial), 0};
  victims.violations = victims.pods.size();
  const std::vector<PodPtr> others = reprieve(split.others, trial);
  victims.pods.insert(victims.pods.end(), others.begin(), others.end());
  for (const PodPtr& pod : victims.pods) {
    trial.put_back(*pod);
  }
  CHECK(!victims.pods.empty(), "a pod that did not fit needs a victim");
  std::sort(victims.pods.begin(), victims.pods.end(), [&](const PodPtr& a, const PodPtr& b) {
    return is_more_important(*a, *b, context.now);
  });
  return victims;
}

struct Cost {
  // Fewer is better: violations, top priority, sum of priorities, victims (P-12 steps 1 to 4).
  std::tuple<size_t, int32_t, int64_t, size_t> price;
  // Of the victims of top priority; later is better (step 5).
  Time earliest_start = Time::max();
};

Cost cost_of(const Victims& victims, Time now) {
  Cost cost;
  const int32_t top = victims.pods.front()->priority();
  int64_t sum = 0;
  for (const PodPtr& pod : victims.pods) {
    sum += int64_t{pod->priority()} + (int64_t{1} << 31);
    if (pod->priority() == top) {
      cost.earliest_start = std::min(cost.earliest_start, pod->started.value_or(now));
    }
  }
  cost.price = {victims.violations, top, sum, victims.pods.size()};
  return cost;
}

bool is_cheaper(const Cost& a, const Cost& b) {
  return a.price != b.price ? a.price < b.price : a.earliest_start > b.earliest_start;
}

}  // namespace

bool is_more_important(const PodInfo& a, const PodInfo& b, Time now) {
  if (a.priority() != b.priority()) {
    return a.priority() > b.priority();
  }
  const Time a_start = a.started.value_or(now);
  const Time b_start = b.started.value_or(now);
  return a_start != b_start ? a_start < b_start : a.uid < b.uid;
}

bool waits_for_victims(const PodInfo& pod, const NodeState& nominated, bool disruption_conditions) {
  return std::any_of(nominated.pods.begin(), nominated.pods.end(), [&](const auto& entry) {
    const PodInfo& other = *entry.second;
    return other.priority() < pod.priority() && other.deleting &&
           (other.preempted || !disruption_conditions);
  });
}

size_t pick_victims(std::span<const Victims> candidates, Time now) {
  CHECK(!candidates.empty(), "there is something to choose from");
  size_t best = 0;
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (is_cheaper(cost_of(candidates[i], now), cost_of(candidates[best], now))) {
      best = i;
    }
  }
  return best;
}

PreemptionPlan plan_preemption(Attempt& attempt, const std::vector<Fit>& fits,
                               const PreemptionContext& context) {
  const Cluster& cluster = attempt.cluster();
  FitCounts counts(*attempt.pod().shape);
  std::vector<size_t> promising;
  for (size_t slot = 0; slot < fits.size(); ++slot) {
    if (cluster.at(slot) == nullptr) {
      continue;
    }
    if (fits[slot].hopeless) {
      counts.add({bit(Reason::not_helpful), true});
    } else {
      promising.push_back(slot);
    }
  }
  const size_t wanted = std::max(promising.size() * kCandidatePercent / 100, kMinCandidates);
  const size_t offset = promising.size() > 1 ? uniform(context.random, promising.size()) : 0;
  std::vector<Victims> candidates;
  bool has_clean = false;  // one without a violation
  for (size_t i = 0; i < promising.size() && !(has_clean && candidates.size() >= wanted); ++i) {
    const NodeState& node = *cluster.at(promising[(offset + i) % promising.size()]);
    std::variant<Victims, Fit> found = victims_on(attempt, node, context);
    if (const Fit* fit = std::get_if<Fit>(&found)) {
      counts.add(*fit);
    } else {
      candidates.push_back(std::get<Victims>(std::move(found)));
      has_clean = has_clean || candidates.back().violations == 0;
    }
  }
  if (candidates.empty()) {
    return {std::nullopt, "preemption: " + counts.text(cluster.node_count())};
  }
  return {std::move(candidates[pick_victims(candidates, context.now)]), ""};
}

}  // namespace windlass::scheduler
