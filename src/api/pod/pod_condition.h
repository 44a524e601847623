// Setting a condition of a pod as every component has to (disruption.md C-3, C-4). Pure.
#pragma once

#include <string_view>

#include "base/time.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::api {

// The time of transition moves only when the status of the condition does. False when nothing
// changed, so that nothing needs to be written.
bool set_pod_condition(core::v1::Pod& pod, std::string_view condition_type, std::string_view status,
                       Time now, std::string_view reason = {}, std::string_view message = {});

}  // namespace windlass::api
