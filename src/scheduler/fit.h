// Which node takes a pod: the filters of disruption.md 1.2 that need no other pods' labels, and the
// first node in order that passes them. Pure functions of plain values; the shell around them is
// scheduler.h.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/resources.h"

namespace windlass::scheduler {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute

  bool operator==(const Taint&) const = default;
};

struct Toleration {
  std::string key;  // "" with Exists: every key
  bool exists = false;
  std::string value;
  std::string effect;  // "": every effect
};

using Labels = std::map<std::string, std::string, std::less<>>;

// A pod as placement sees it.
struct PodInfo {
  std::string ns;
  std::string name;
  std::string uid;
  std::string node;  // "" until it is bound
  int32_t priority = 0;
  Resources requests;
  Labels node_selector;
  std::vector<Toleration> tolerations;
};

// A node as placement sees it. `taints` includes those that its conditions imply.
struct NodeInfo {
  std::string name;
  Labels labels;
  bool unschedulable = false;
  std::vector<Taint> taints;
  Resources allocatable;
  int64_t max_pods = 0;

  bool operator==(const NodeInfo&) const = default;
};

// What the pods on a node already take.
struct NodeUsage {
  Resources requested;
  int64_t pods = 0;
};

struct Candidate {
  const NodeInfo* node = nullptr;
  NodeUsage usage;
};

bool tolerates(const Toleration& toleration, const Taint& taint);

// Why the node does not take the pod: the reason texts of the first filter that fails, several only
// for resources. Empty: the pod fits.
std::vector<std::string> misfits(const PodInfo& pod, const Candidate& candidate);

struct Placement {
  std::optional<std::string> node;
  std::string message;  // why not, in the words of S-18 and S-19
};

// The first candidate that takes the pod.
Placement first_fit(const PodInfo& pod, std::span<const Candidate> candidates);

// `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` (S-18)
std::string no_fit_message(size_t nodes, const std::map<std::string, size_t>& reasons);

}  // namespace windlass::scheduler
