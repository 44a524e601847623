// What the containers of a pod ask for together, per resource: the containers run side by side,
// init containers one after the other before them, and a sidecar beside all that come after it.
// Pure.
#pragma once

#include <map>
#include <string>

#include "base/quantity.h"

namespace windlass::api::core::v1 {
class PodSpec;
}

namespace windlass::api {

using ResourceTotals = std::map<std::string, Quantity>;

ResourceTotals total_requests(const core::v1::PodSpec& spec);
ResourceTotals total_limits(const core::v1::PodSpec& spec);

}  // namespace windlass::api
