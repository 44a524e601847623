// Inter-pod affinity and anti-affinity for one attempt at one pod: which domains hold pods that it
// wants to be near or away from, and which pods want it away (rows 8 of the table in disruption.md
// 1.2). Pods may be added and removed as if, and back. Lives within one attempt.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "scheduler/cluster/match_counts.h"
#include "scheduler/fit.h"

namespace windlass::scheduler {

class AffinityState {
 public:
  AffinityState(const PodInfo& pod, const Cluster& cluster, MatchCounts& counts);

  bool empty() const {
    return pod_.shape->required_affinity.empty() && anti_.empty() && existing_.empty();
  }
  Fit fit(const NodeInfo& node) const;
  void add(const PodInfo& pod, const NodeInfo& node) { change(pod, node, 1); }
  void remove(const PodInfo& pod, const NodeInfo& node) { change(pod, node, -1); }

 private:
  using Domains = std::map<std::string_view, int64_t>;  // by value of the topology label

  bool means_all(const PodInfo& pod) const;
  bool has_company(const NodeInfo& node) const;
  static bool is_empty(const std::vector<Domains>& terms);
  static void count(const std::vector<PodTerm>& terms, size_t term, const NodeInfo& node,
                    int64_t by, std::vector<Domains>& domains);
  void count_existing(const PodTerm& term, const NodeInfo& node, int64_t by);
  void change(const PodInfo& pod, const NodeInfo& node, int64_t by);

  const PodInfo& pod_;
  const Cluster& cluster_;
  std::vector<Domains> near_;  // for each required term, pods that all terms mean
  std::vector<Domains> anti_;  // for each required term, pods that it means
  std::map<std::string_view, Domains> existing_;  // by topology key: what pods there defend
                                                  // against this one; none is empty
};

// 0 to 100 by slot for `slots`, from the preferred terms of the pod and those of the pods that are
// there already (S-14); empty when there are none.
std::vector<int64_t> affinity_scores(const PodInfo& pod, const Cluster& cluster,
                                     MatchCounts& counts, const std::vector<size_t>& slots);

}  // namespace windlass::scheduler
