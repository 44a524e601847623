// The resources of the nodes of `windlass run` and `windlass up`, and their eviction thresholds.
// Plain values.
#pragma once

#include <map>
#include <string>

#include "node/pressure/thresholds.h"

namespace windlass::plane {

struct NodeLimits {
  // Replaces the capacity of the machine, by resource.
  std::map<std::string, std::string> capacity = {};
  node::pressure::Config pressure = {};
};

}  // namespace windlass::plane
