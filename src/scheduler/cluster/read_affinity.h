// The parts of a pod's spec that say near whom it wants to be: node affinity, pod affinity and
// topology spread. Pure.
#pragma once

#include <set>
#include <string>

#include "scheduler/cluster/pod_info.h"

namespace windlass::api::core::v1 {
class NodeAffinity;
class Pod;
class PodSpec;
}  // namespace windlass::api::core::v1

namespace windlass::scheduler {

void read_node_affinity(const api::core::v1::NodeAffinity& affinity, PodShape& shape);
void read_pod_affinity(const api::core::v1::Pod& pod, PodShape& shape);
void read_spread(const api::core::v1::Pod& pod, PodShape& shape);

// Labels whose values in the pod itself become part of its terms (matchLabelKeys).
std::set<std::string> named_labels(const api::core::v1::PodSpec& spec);

}  // namespace windlass::scheduler
