// A node as the scheduler sees it, and what the pods on it take. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

#include "placement/taken_ports.h"
#include "scheduler/cluster/pod_info.h"

namespace windlass::scheduler {

// `taints` includes those that its conditions imply.
struct NodeInfo : placement::NodeTraits {
  bool unschedulable = false;
  Resources allocatable;
  int64_t max_pods = 0;

  bool operator==(const NodeInfo&) const = default;
};

struct NodeUsage {
  Resources requested;
  int64_t scored_milli_cpu = 0;
  int64_t scored_memory = 0;
  int64_t pods = 0;
  placement::TakenPorts ports;

  void add(const PodShape& pod);
  void remove(const PodShape& pod);
  bool operator==(const NodeUsage&) const = default;
};

// A NoSchedule or NoExecute taint that the pod does not tolerate keeps it off.
bool is_kept_off_by_taints(const PodShape& pod, const NodeInfo& node);

}  // namespace windlass::scheduler
