#include "controllers/pod_gc/pod_index.h"

namespace windlass::controllers::pod_gc {

void PodIndex::add(const CollectablePod& pod) {
  if (pod.counts) {
    terminated_.insert(pod.rank());
  }
  if (!pod.node.empty()) {
    by_node_[pod.node].insert(pod.key);
  } else if (pod.deleting) {
    unscheduled_.insert(pod.key);
  }
}

void PodIndex::remove(const CollectablePod& pod) {
  if (pod.counts) {
    terminated_.erase(pod.rank());
  }
  if (pod.node.empty()) {
    unscheduled_.erase(pod.key);
  } else if (const auto found = by_node_.find(pod.node); found != by_node_.end()) {
    found->second.erase(pod.key);
    if (found->second.empty()) {
      by_node_.erase(found);
    }
  }
}

}  // namespace windlass::controllers::pod_gc
