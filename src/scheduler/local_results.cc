#include "scheduler/local_results.h"

#include <algorithm>
#include <cmath>

namespace windlass::scheduler {
namespace {

double fraction(int64_t used, int64_t more, int64_t all) {
  const double sum = static_cast<double>(used) + static_cast<double>(more);
  return all <= 0 ? 1.0 : std::min(1.0, sum / static_cast<double>(all));
}

// S-15
int64_t free_share(int64_t used, int64_t all) {
  return all <= 0 || used >= all ? 0
                                 : static_cast<int64_t>(static_cast<double>(all - used) *
                                                        kBestScore / static_cast<double>(all));
}

// S-16
double balance(double cpu, double memory) {
  return (1 - std::abs(cpu - memory) / 2) * static_cast<double>(kBestScore);
}

int64_t balanced_score(const PodShape& pod, const NodeInfo& node, const NodeUsage& usage) {
  const Resources& all = node.allocatable;
  const Resources& used = usage.requested;
  const auto balance_with = [&](const Resources& more) {
    return balance(fraction(used.milli_cpu, more.milli_cpu, all.milli_cpu),
                   fraction(used.memory, more.memory, all.memory));
  };
  const double with = balance_with(pod.requests);
  const double without = balance_with({});
  return static_cast<int64_t>(50 + (50 + with - without) / 2);
}

}  // namespace

LocalScore score_locally(const PodShape& pod, const NodeInfo& node, const NodeUsage& usage) {
  LocalScore score;
  for (const Taint& taint : node.taints) {
    score.untolerated += taint.effect == "PreferNoSchedule" && !tolerates(pod, taint) ? 1 : 0;
  }
  for (const PreferredNodeTerm& preferred : pod.preferred_nodes) {
    score.preferred += matches(preferred.term, node) ? preferred.weight : 0;
  }
  const int64_t cpu =
      free_share(usage.scored_milli_cpu + pod.scored_milli_cpu, node.allocatable.milli_cpu);
  const int64_t memory =
      free_share(usage.scored_memory + pod.scored_memory, node.allocatable.memory);
  score.room = (cpu + memory) / 2 + balanced_score(pod, node, usage);
  return score;
}

const std::vector<LocalResult>& LocalResults::of(const PodShape& pod) {
  std::vector<LocalResult>& known = shapes_[std::to_string(pod.id)];
  known.resize(cluster_.slot_count());
  for (size_t slot = 0; slot < known.size(); ++slot) {
    const NodeState* node = cluster_.at(slot);
    LocalResult& result = known[slot];
    if (node == nullptr || node->generation == result.generation) {
      continue;
    }
    result.generation = node->generation;
    result.fit = fit_locally(pod, node->info, node->usage);
    result.score = result.fit.fits() ? score_locally(pod, node->info, node->usage) : LocalScore{};
  }
  return known;
}

}  // namespace windlass::scheduler
