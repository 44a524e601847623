// What `windlass node` is asked. Plain values.
#pragma once

#include <string>

#include "cli/cluster_access.h"

namespace windlass::cli {

// `windlass node shutdown`.
struct NodeShutdownOptions {
  ClusterFlags cluster;
  std::string node;
  bool cancel = false;
};

}  // namespace windlass::cli
