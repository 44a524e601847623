#include "scheduler/cluster/node_info.h"

#include <algorithm>

namespace windlass::scheduler {

void NodeUsage::add(const PodShape& pod) {
  placement::add(requested, pod.requests);
  scored_milli_cpu += pod.scored_milli_cpu;
  scored_memory += pod.scored_memory;
  ++pods;
  ports.add(pod.host_ports);
}

void NodeUsage::remove(const PodShape& pod) {
  subtract(requested, pod.requests);
  scored_milli_cpu -= pod.scored_milli_cpu;
  scored_memory -= pod.scored_memory;
  --pods;
  ports.remove(pod.host_ports);
}

bool is_kept_off_by_taints(const PodShape& pod, const NodeInfo& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [&pod](const Taint& taint) {
    return (taint.effect == api::kNoSchedule || taint.effect == api::kNoExecute) &&
           !tolerates(pod, taint);
  });
}

}  // namespace windlass::scheduler
