// Topology spread for one attempt at one pod: how the pods that each constraint means are spread
// over its domains now, and what placing this one would do to that (disruption.md S-11). Pods may
// be added and removed as if, and back. Lives within one attempt; the cluster does not change
// meanwhile.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/cluster/match_counts.h"
#include "scheduler/fit.h"

namespace windlass::scheduler {

class SpreadState {
 public:
  // The constraints that must hold, or those that only rank nodes.
  SpreadState(const PodInfo& pod, bool hard, const Cluster& cluster, MatchCounts& counts);

  bool empty() const { return constraints_.empty(); }
  Fit fit(const NodeInfo& node) const;
  void add(const PodInfo& pod, const NodeInfo& node) { change(pod, node, 1); }
  void remove(const PodInfo& pod, const NodeInfo& node) { change(pod, node, -1); }

  // Nothing when the node lacks a label; else less is better.
  std::optional<double> crowding(const NodeInfo& node) const;

 private:
  struct Domains {
    const SpreadConstraint* constraint = nullptr;
    bool counts_itself = false;
    std::map<std::string_view, int64_t> pods;  // by value of the topology label
    mutable std::optional<int64_t> least = {};

    int64_t minimum() const;
  };

  // Nodes that lack a label or that the pod must not use have no domains.
  bool counts(const SpreadConstraint& constraint, const NodeInfo& node) const;
  void change(const PodInfo& pod, const NodeInfo& node, int64_t by);
  bool means(const SpreadConstraint& constraint, const PodInfo& pod) const;

  const PodInfo& pod_;
  std::vector<Domains> constraints_;
};

// 0 to 100 by slot for `slots`, 100 the least crowded (S-14).
std::vector<int64_t> spread_scores(const SpreadState& soft, const Cluster& cluster,
                                   const std::vector<size_t>& slots);

}  // namespace windlass::scheduler
