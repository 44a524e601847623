#include "scheduler/cluster/pod_affinity.h"

#include <algorithm>

namespace windlass::scheduler {
namespace {

const std::string* topology_value(const NodeInfo& node, const std::string& key) {
  const auto found = node.labels.find(key);
  return found == node.labels.end() ? nullptr : &found->second;
}

}  // namespace

AffinityState::AffinityState(const PodInfo& pod, const Cluster& cluster, MatchCounts& match_counts)
    : pod_(pod),
      cluster_(cluster),
      near_(pod.shape->required_affinity.size()),
      anti_(pod.shape->required_anti_affinity.size()) {
  const auto count_all = [&](const std::vector<PodTerm>& terms, size_t term,
                             const std::vector<int64_t>& counted, std::vector<Domains>& domains) {
    for (size_t slot = 0; slot < cluster.slot_count(); ++slot) {
      if (const NodeState* node = cluster.at(slot); node != nullptr && counted[slot] > 0) {
        count(terms, term, node->info, counted[slot], domains);
      }
    }
  };
  const std::vector<PodTerm>& near = pod.shape->required_affinity;
  if (!near.empty()) {
    std::string key = "all";
    for (const PodTerm& term : near) {
      key.append("&").append(term.key);
    }
    const auto& counted =
        match_counts.count(key, [this](const PodInfo& other) { return means_all(other); });
    for (size_t term = 0; term < near.size(); ++term) {
      count_all(near, term, counted, near_);
    }
  }
  const std::vector<PodTerm>& anti = pod.shape->required_anti_affinity;
  for (size_t term = 0; term < anti.size(); ++term) {
    const auto& counted = match_counts.count(
        anti[term].key, [&](const PodInfo& other) { return cluster_.matches(anti[term], other); });
    count_all(anti, term, counted, anti_);
  }
  for (const auto& [id, placed] : cluster.repelling_shapes()) {
    for (const PodTerm& term : placed.shape->required_anti_affinity) {
      if (!cluster.matches(term, pod)) {
        continue;
      }
      for (const auto& [slot, there] : placed.counts) {
        if (const NodeState* node = cluster.at(slot)) {
          count_existing(term, node->info, there);
        }
      }
    }
  }
}

bool AffinityState::means_all(const PodInfo& pod) const {
  const std::vector<PodTerm>& terms = pod_.shape->required_affinity;
  return std::all_of(terms.begin(), terms.end(),
                     [&](const PodTerm& term) { return cluster_.matches(term, pod); });
}

void AffinityState::count(const std::vector<PodTerm>& terms, size_t term, const NodeInfo& node,
                          int64_t by, std::vector<Domains>& domains) {
  if (const std::string* value = topology_value(node, terms[term].topology_key)) {
    if ((domains[term][*value] += by) == 0) {
      domains[term].erase(*value);
    }
  }
}

void AffinityState::count_existing(const PodTerm& term, const NodeInfo& node, int64_t by) {
  const auto label = node.labels.find(term.topology_key);
  if (label == node.labels.end()) {
    return;
  }
  const auto domains = existing_.try_emplace(label->first).first;
  if ((domains->second[label->second] += by) == 0) {
    domains->second.erase(label->second);
  }
  if (domains->second.empty()) {
    existing_.erase(domains);
  }
}

void AffinityState::change(const PodInfo& pod, const NodeInfo& node, int64_t by) {
  if (!near_.empty() && means_all(pod)) {
    for (size_t term = 0; term < near_.size(); ++term) {
      count(pod_.shape->required_affinity, term, node, by, near_);
    }
  }
  const std::vector<PodTerm>& anti = pod_.shape->required_anti_affinity;
  for (size_t term = 0; term < anti.size(); ++term) {
    if (cluster_.matches(anti[term], pod)) {
      count(anti, term, node, by, anti_);
    }
  }
  for (const PodTerm& term : pod.shape->required_anti_affinity) {
    if (cluster_.matches(term, pod_)) {
      count_existing(term, node, by);
    }
  }
}

bool AffinityState::is_empty(const std::vector<Domains>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const Domains& each) { return each.empty(); });
}

bool AffinityState::has_company(const NodeInfo& node) const {
  const std::vector<PodTerm>& terms = pod_.shape->required_affinity;
  bool found_all = true;
  for (size_t term = 0; term < terms.size(); ++term) {
    const std::string* value = topology_value(node, terms[term].topology_key);
    if (value == nullptr) {
      return false;
    }
    found_all = found_all && near_[term].contains(*value);
  }
  // The first of a group that wants to be together has no pod to join yet.
  return found_all || (is_empty(near_) && means_all(pod_));
}

Fit AffinityState::fit(const NodeInfo& node) const {
  if (!has_company(node)) {
    return {bit(Reason::pod_affinity), true};
  }
  const std::vector<PodTerm>& anti = pod_.shape->required_anti_affinity;
  for (size_t term = 0; term < anti.size(); ++term) {
    const std::string* value = topology_value(node, anti[term].topology_key);
    if (value != nullptr && anti_[term].contains(*value)) {
      return {bit(Reason::pod_anti_affinity), false};
    }
  }
  for (const auto& [key, domains] : existing_) {
    const auto label = node.labels.find(std::string(key));
    if (label != node.labels.end() && domains.contains(label->second)) {
      return {bit(Reason::existing_anti_affinity), false};
    }
  }
  return {};
}

}  // namespace windlass::scheduler
