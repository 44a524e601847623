// The conditions of a pod that the API server itself writes. Pure.
#pragma once

#include <string_view>

#include "base/time.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::apiserver {

// The time of transition moves only when the status of the condition does.
void set_pod_condition(api::core::v1::Pod& pod, std::string_view type, std::string_view status,
                       Time now, std::string_view reason = {}, std::string_view message = {});

}  // namespace windlass::apiserver
