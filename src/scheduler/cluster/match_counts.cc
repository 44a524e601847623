#include "scheduler/cluster/match_counts.h"

#include <algorithm>

namespace windlass::scheduler {

const std::vector<int64_t>& MatchCounts::count(const std::string& key,
                                               const std::function<bool(const PodInfo&)>& matches) {
  Counts& known = selectors_[key];
  if (known.namespace_generation != cluster_.namespace_generation()) {
    known = {};
    known.namespace_generation = cluster_.namespace_generation();
  }
  known.generations.resize(cluster_.slot_count());
  known.counts.resize(cluster_.slot_count());
  for (size_t slot = 0; slot < cluster_.slot_count(); ++slot) {
    const NodeState* node = cluster_.at(slot);
    if (node == nullptr || node->generation == known.generations[slot]) {
      continue;
    }
    known.generations[slot] = node->generation;
    known.counts[slot] = std::count_if(node->pods.begin(), node->pods.end(),
                                       [&](const auto& pod) { return matches(*pod.second); });
  }
  return known.counts;
}

}  // namespace windlass::scheduler
