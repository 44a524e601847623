// One attempt at one pod: what the filters say about a node, with pods added or removed as if. Made
// for the attempt and dropped with it; the cluster must not change meanwhile.
#pragma once

#include "scheduler/cluster/cluster.h"
#include "scheduler/cluster/nominations.h"
#include "scheduler/cluster/pod_affinity.h"
#include "scheduler/cluster/spread.h"

namespace windlass::scheduler {

class Attempt {
 public:
  Attempt(const PodInfo& pod, const Cluster& cluster, const Nominations& nominations,
          MatchCounts& counts);

  const PodInfo& pod() const { return pod_; }
  const Cluster& cluster() const { return cluster_; }

  // True when filters look at other pods' labels, so that a node alone does not decide.
  bool looks_around() const { return !spread_.empty() || !affinity_.empty(); }
  // True when pods that count here are to come to this node (S-12).
  bool has_rivals(const NodeState& node) const;

  // What spread and affinity say of a node that fits otherwise.
  Fit fit_around(const NodeState& node) const;
  // All filters, with these pods there: first with the nominated pods of at least the same
  // priority, then without (S-12); both must pass.
  Fit fit(const NodeState& node, const NodeUsage& usage);

  // As if, for the filters that look around; each undoes the other.
  void add(const PodInfo& pod, const NodeState& node);
  void remove(const PodInfo& pod, const NodeState& node);

 private:
  Fit fit_plain(const NodeState& node, const NodeUsage& usage) const;
  bool is_rival(const PodInfo& nominated) const {
    return nominated.uid != pod_.uid && nominated.priority() >= pod_.priority();
  }

  const PodInfo& pod_;
  const Cluster& cluster_;
  const Nominations& nominations_;
  SpreadState spread_;
  AffinityState affinity_;
};

}  // namespace windlass::scheduler
