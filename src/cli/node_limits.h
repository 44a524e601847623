// What the nodes of `windlass run` and `windlass up` have, and when they are short of it. Plain
// values.
#pragma once

#include <map>
#include <string>

#include "node/pressure/thresholds.h"

namespace windlass::cli {

struct NodeLimits {
  // In place of what the machine has, by resource.
  std::map<std::string, std::string> capacity = {};
  node::pressure::Config pressure = {};
};

}  // namespace windlass::cli
