// Which ConfigMaps and Secrets a pod names, and so may be read by the node it is bound to. All of
// them are in the pod's own namespace.
#pragma once

#include <string_view>

namespace windlass::api::core::v1 {
class PodSpec;
}

namespace windlass::api {

bool names_config_map(const core::v1::PodSpec& spec, std::string_view name);
// Those for pulling its images included.
bool names_secret(const core::v1::PodSpec& spec, std::string_view name);

}  // namespace windlass::api
