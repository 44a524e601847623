// A node as the scheduler sees it, and what the pods on it take. Plain values; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/pod_info.h"

namespace windlass::scheduler {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute

  bool operator==(const Taint&) const = default;
};

// `taints` includes those that its conditions imply.
struct NodeInfo {
  std::string name;
  Labels labels;
  bool unschedulable = false;
  std::vector<Taint> taints;
  Resources allocatable;
  int64_t max_pods = 0;

  bool operator==(const NodeInfo&) const = default;
};

struct NodeUsage {
  Resources requested;
  int64_t scored_milli_cpu = 0;
  int64_t scored_memory = 0;
  int64_t pods = 0;
  std::map<HostPort, int> ports;  // how many pods have each

  void add(const PodShape& pod);
  void remove(const PodShape& pod);
  bool operator==(const NodeUsage&) const = default;
};

bool tolerates(const Toleration& toleration, const Taint& taint);
bool tolerates(const PodShape& pod, const Taint& taint);

// A port of the same protocol and number, on the same address or when one of them means all.
bool ports_clash(const HostPort& a, const HostPort& b);

// The node selector and the required node affinity together.
bool wants_node(const PodShape& pod, const NodeInfo& node);
bool matches(const NodeTerm& term, const NodeInfo& node);
// A NoSchedule or NoExecute taint that the pod does not tolerate keeps it off.
bool is_kept_off_by_taints(const PodShape& pod, const NodeInfo& node);

}  // namespace windlass::scheduler
