// What `windlass node` is asked. Plain values.
#pragma once

#include <map>
#include <string>

#include "api/feature_gates.h"
#include "base/time.h"
#include "cli/cluster_access.h"
#include "cli/image_options.h"
#include "cli/node_limits.h"
#include "node/shutdown_groups.h"

namespace windlass::cli {

// `windlass node`: a node of its own.
struct NodeOptions {
  ClusterFlags cluster = {};
  std::string name = {};
  std::string data_dir = {};  // "" for default_data_dir(); agents/<name> appears below it
  std::string address = "127.0.0.1";
  std::map<std::string, std::string> labels = {};
  int verbosity = 0;
  api::FeatureGates gates = {};
  NodeImages images = {};
  node::ShutdownGroups shutdown = {};
  NodeLimits limits = {};
  // How long a server that does not answer is waited for when all pods have ended.
  Duration last_words = seconds(10);
};

// `windlass node shutdown`.
struct NodeShutdownOptions {
  ClusterFlags cluster;
  std::string node;
  bool cancel = false;
};

}  // namespace windlass::cli
