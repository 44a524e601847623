#include "scheduler/cluster/spread.h"

#include <algorithm>
#include <cmath>

namespace windlass::scheduler {

int64_t SpreadState::Domains::minimum() const {
  if (!least) {
    least = 0;
    if (!pods.empty() && static_cast<int64_t>(pods.size()) >= constraint->min_domains.value_or(1)) {
      least = std::min_element(pods.begin(), pods.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
              })->second;
    }
  }
  return *least;
}

SpreadState::SpreadState(const PodInfo& pod, bool hard, const Cluster& cluster,
                         MatchCounts& match_counts)
    : pod_(pod) {
  for (const SpreadConstraint& constraint : pod.shape->spread) {
    if (constraint.hard == hard) {
      constraints_.push_back({&constraint, means(constraint, pod), {}});
    }
  }
  for (Domains& domains : constraints_) {
    const SpreadConstraint& constraint = *domains.constraint;
    const std::vector<int64_t>& counted = match_counts.count(
        constraint.key,
        [&](const PodInfo& other) { return !other.deleting && means(constraint, other); });
    for (size_t slot = 0; slot < cluster.slot_count(); ++slot) {
      if (const NodeState* node = cluster.at(slot);
          node != nullptr && counts(constraint, node->info)) {
        domains.pods[node->info.labels.at(constraint.topology_key)] += counted[slot];
      }
    }
  }
}

bool SpreadState::means(const SpreadConstraint& constraint, const PodInfo& pod) const {
  return pod.ns == pod_.ns && constraint.selector.matches(pod.labels);
}

bool SpreadState::counts(const SpreadConstraint& constraint, const NodeInfo& node) const {
  const bool has_labels = std::all_of(
      constraints_.begin(), constraints_.end(),
      [&node](const Domains& each) { return node.labels.contains(each.constraint->topology_key); });
  return has_labels && (!constraint.honors_affinity || wants_node(*pod_.shape, node)) &&
         (!constraint.honors_taints || !is_kept_off_by_taints(*pod_.shape, node));
}

Fit SpreadState::fit(const NodeInfo& node) const {
  for (const Domains& domains : constraints_) {
    const auto label = node.labels.find(domains.constraint->topology_key);
    if (label == node.labels.end()) {
      return {bit(Reason::spread_label), true};
    }
    const auto domain = domains.pods.find(label->second);
    const int64_t there = domain == domains.pods.end() ? 0 : domain->second;
    const int64_t skew = there + (domains.counts_itself ? 1 : 0) - domains.minimum();
    if (skew > domains.constraint->max_skew) {
      return {bit(Reason::spread), false};
    }
  }
  return {};
}

void SpreadState::change(const PodInfo& pod, const NodeInfo& node, int64_t by) {
  for (Domains& domains : constraints_) {
    if (!pod.deleting && means(*domains.constraint, pod) && counts(*domains.constraint, node)) {
      domains.pods[node.labels.at(domains.constraint->topology_key)] += by;
      domains.least.reset();
    }
  }
}

std::optional<double> SpreadState::crowding(const NodeInfo& node) const {
  double sum = 0;
  for (const Domains& domains : constraints_) {
    const auto label = node.labels.find(domains.constraint->topology_key);
    if (label == node.labels.end()) {
      return std::nullopt;
    }
    const auto domain = domains.pods.find(label->second);
    const int64_t there = domain == domains.pods.end() ? 0 : domain->second;
    // A pod more weighs the more the more domains there are to choose from.
    sum += static_cast<double>(there) * std::log(static_cast<double>(domains.pods.size()) + 2) +
           domains.constraint->max_skew - 1;
  }
  return sum;
}

std::vector<int64_t> spread_scores(const SpreadState& soft, const Cluster& cluster,
                                   const std::vector<size_t>& slots) {
  std::vector<std::optional<double>> raw;
  double least = INFINITY;
  double most = 0;
  for (const size_t slot : slots) {
    raw.push_back(soft.crowding(cluster.at(slot)->info));
    if (raw.back()) {
      least = std::min(least, *raw.back());
      most = std::max(most, *raw.back());
    }
  }
  std::vector<int64_t> scores;
  for (const std::optional<double>& value : raw) {
    const double score = !value ? 0 : most == 0 ? 100 : 100 * (most + least - *value) / most;
    scores.push_back(static_cast<int64_t>(score));
  }
  return scores;
}

}  // namespace windlass::scheduler
