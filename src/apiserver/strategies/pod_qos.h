// The quality of service class of a pod, from its requests and limits (api.md P22). Pure.
#pragma once

#include <string_view>

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::apiserver {

std::string_view qos_class(const api::core::v1::Pod& pod);

}  // namespace windlass::apiserver
