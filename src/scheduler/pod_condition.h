// The condition that says why a pod is not scheduled (disruption.md S-17, S-18, C-3). Pure.
#pragma once

#include <string>

#include "api/object.h"
#include "base/time.h"

namespace windlass::scheduler {

// Sets PodScheduled to False; false when the pod says so already, or has a node.
bool set_unscheduled(api::Message& pod, const std::string& reason, const std::string& message,
                     Time now);

}  // namespace windlass::scheduler
