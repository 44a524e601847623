// The settings that all nodes of a command share. Plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "node/config.h"
#include "node/pressure/thresholds.h"

namespace windlass::plane {

// The resources of the nodes of `windlass run` and `windlass up`, and their eviction thresholds.
// Plain values.
struct NodeLimits {
  // Replaces the capacity of the machine, by resource.
  std::map<std::string, std::string> capacity = {};
  node::pressure::EvictionConfig pressure = {};
  node::NodeProtection protection = {};
};

// The images of the nodes that this process runs.
struct NodeImages {
  std::string directory = {};  // "" for `images` in default_data_dir()
  node::HostRoot host_root = {};
};

struct NodeSettings {
  std::map<std::string, std::string> capacity = {};
  std::vector<std::string> environment = {};  // of all containers; empty: a PATH alone
  bool disruption_conditions = true;          // gate PodDisruptionConditions
  node::ShutdownGroups shutdown = {};
  NodeImages images = {};
  images::ImagePuller* image_puller = nullptr;  // outlives the nodes
  node::pressure::EvictionConfig pressure = {};
  node::NodeProtection protection = {};
  std::string address = "127.0.0.1";  // of the node and its pods
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  node::NodeSystem system = {};
  // Directories of this program's that no container sees, beside those of the node itself.
  std::vector<std::string> private_directories = {};
  node::OnContainerUse on_container_use = {};
};

// The configuration of a node with its files in `directory`.
node::AgentConfig agent_config(const NodeSettings& settings, const std::string& name,
                               const std::string& directory);

// The directory of the supervisor of such a node.
std::string supervisor_directory(const std::string& node_directory);

}  // namespace windlass::plane
