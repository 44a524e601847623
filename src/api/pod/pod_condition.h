// Setting a condition of a pod as every component has to (disruption.md C-3, C-4). Pure.
#pragma once

#include <string_view>

#include "base/time.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::api {

// The condition's `observedGeneration` (KEP-5067): the generation of the pod that its writer saw.
enum class ConditionGeneration {
  seen,    // what every component but the API server writes: the pod's own
  kept,    // as it was: the writer has not looked at the spec
  absent,  // the API server itself replaced the condition
};

// The time of transition moves only when the status of the condition does. False when nothing
// changed, so that nothing needs to be written; another generation alone is no change.
bool set_pod_condition(core::v1::Pod& pod, std::string_view condition_type, std::string_view status,
                       Time now, std::string_view reason = {}, std::string_view message = {},
                       ConditionGeneration generation = ConditionGeneration::seen);

}  // namespace windlass::api
