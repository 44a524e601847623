// What the nodes that a command runs have in common, whatever each is called. Plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/image_options.h"
#include "node/config.h"

namespace windlass::cli {

struct NodeSettings {
  std::map<std::string, std::string> capacity = {};
  std::vector<std::string> environment = {};  // of all containers; empty: a PATH alone
  bool disruption_conditions = true;          // gate PodDisruptionConditions
  node::ShutdownGroups shutdown = {};
  NodeImages images = {};
  node::pressure::Config pressure = {};
  std::string address = "127.0.0.1";  // of the node and its pods
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  node::NodeSystem system = {};
};

// Of a node with its files in `directory`.
node::AgentConfig agent_config(const NodeSettings& settings, const std::string& name,
                               const std::string& directory);

// Where the supervisor of such a node is.
std::string supervisor_directory(const std::string& node_directory);

}  // namespace windlass::cli
