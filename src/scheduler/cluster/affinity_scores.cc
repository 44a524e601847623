#include <algorithm>

#include "scheduler/cluster/pod_affinity.h"

namespace windlass::scheduler {
namespace {

// Points for each value of each topology key.
class Points {
 public:
  void add(const NodeInfo& node, const std::string& key, int64_t points) {
    const auto label = node.labels.find(key);
    if (points != 0 && label != node.labels.end()) {
      points_[key][label->second] += points;
    }
  }
  bool empty() const { return points_.empty(); }
  int64_t of(const NodeInfo& node) const {
    int64_t sum = 0;
    for (const auto& [key, values] : points_) {
      const auto label = node.labels.find(key);
      if (label == node.labels.end()) {
        continue;
      }
      if (const auto value = values.find(label->second); value != values.end()) {
        sum += value->second;
      }
    }
    return sum;
  }

 private:
  std::map<std::string, std::map<std::string, int64_t>> points_;
};

void add_own(const std::vector<PodTerm>& terms, int64_t sign, const Cluster& cluster,
             MatchCounts& match_counts, Points& points) {
  for (const PodTerm& term : terms) {
    const auto& counted = match_counts.count(
        term.key, [&](const PodInfo& other) { return cluster.matches(term, other); });
    for (size_t slot = 0; slot < cluster.slot_count(); ++slot) {
      if (const NodeState* node = cluster.at(slot)) {
        points.add(node->info, term.topology_key, sign * term.weight * counted[slot]);
      }
    }
  }
}

void add_existing(const PodInfo& pod, const Cluster& cluster, Points& points) {
  // A required term of a pod that is there already is worth as much as a preferred one of weight 1.
  constexpr int64_t kRequired = 1;
  for (const auto& [id, placed] : cluster.shapes_with_terms()) {
    const auto& counts = placed.counts;
    const auto add = [&](const std::vector<PodTerm>& terms, int64_t sign, bool required) {
      for (const PodTerm& term : terms) {
        if (!cluster.matches(term, pod)) {
          continue;
        }
        for (const auto& [slot, count] : counts) {
          if (const NodeState* node = cluster.at(slot)) {
            points.add(node->info, term.topology_key,
                       sign * (required ? kRequired : term.weight) * count);
          }
        }
      }
    };
    add(placed.shape->required_affinity, 1, true);
    add(placed.shape->preferred_affinity, 1, false);
    add(placed.shape->preferred_anti_affinity, -1, false);
  }
}

}  // namespace

std::vector<int64_t> affinity_scores(const PodInfo& pod, const Cluster& cluster,
                                     MatchCounts& counts, const std::vector<size_t>& slots) {
  Points points;
  add_own(pod.shape->preferred_affinity, 1, cluster, counts, points);
  add_own(pod.shape->preferred_anti_affinity, -1, cluster, counts, points);
  add_existing(pod, cluster, points);
  if (points.empty()) {
    return {};
  }
  std::vector<int64_t> scores;
  for (const size_t slot : slots) {
    scores.push_back(points.of(cluster.at(slot)->info));
  }
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  const int64_t low = *least;
  const int64_t range = *most - low;
  for (int64_t& score : scores) {
    score = range == 0 ? 0 : 100 * (score - low) / range;
  }
  return scores;
}

}  // namespace windlass::scheduler
