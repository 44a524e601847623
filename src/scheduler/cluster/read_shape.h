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

// Equal for two pods only if read_shape gives the same for both.
std::string shape_key(const api::core::v1::Pod& pod);
PodShape read_shape(const api::core::v1::Pod& pod);

// An absent selector matches nothing, as does one that could not have passed validation.
api::LabelSelector read_selector(const api::meta::v1::LabelSelector* selector);

}  // namespace windlass::scheduler
