// From a pod's spec to its PodShape, and the key that tells shapes apart. Pure.
#pragma once

#include <string>

#include "scheduler/cluster/pod_info.h"

namespace windlass::api::core::v1 {
class Pod;
}  // namespace windlass::api::core::v1
namespace windlass::api::meta::v1 {
class LabelSelector;
}

namespace windlass::scheduler {

// A pod's spec may hold tens of thousands of terms, and each costs a look at every pod or node,
// on the thread that serves all requests. With more than this, a pod is not compared with nodes.
inline constexpr int kMaxPodTerms = 100;           // pod affinity, anti-affinity and spread
inline constexpr int kMaxNodeRequirements = 1000;  // node selector and affinity, tolerations,
                                                   // extended resources

// Equal for two pods only if read_shape gives the same for both.
std::string shape_key(const api::core::v1::Pod& pod);
PodShape read_shape(const api::core::v1::Pod& pod);

// An absent selector matches nothing, as does one that could not have passed validation.
api::LabelSelector read_selector(const api::meta::v1::LabelSelector* selector);

}  // namespace windlass::scheduler
