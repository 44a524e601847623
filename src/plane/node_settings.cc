#include "plane/node_settings.h"

namespace windlass::plane {

node::AgentConfig agent_config(const NodeSettings& settings, const std::string& name,
                               const std::string& directory) {
  node::AgentConfig config;
  config.node_name = name;
  config.data_dir = directory;
  config.capacity = settings.capacity;
  if (!settings.environment.empty()) {
    config.base_environment = settings.environment;
  }
  config.disruption_conditions = settings.disruption_conditions;
  config.shutdown = settings.shutdown;
  config.image_dir = settings.images.directory;
  config.host_root = settings.images.host_root;
  config.image_puller = settings.image_puller;
  config.pressure = settings.pressure;
  config.protection = settings.protection;
  config.address = settings.address;
  config.system = settings.system;
  config.labels = settings.labels;
  config.annotations = settings.annotations;
  config.private_directories = settings.private_directories;
  config.private_directories.push_back(directory);
  if (!settings.images.directory.empty()) {
    config.private_directories.push_back(settings.images.directory);
  }
  config.on_container_use = settings.on_container_use;
  return config;
}

std::string supervisor_directory(const std::string& node_directory) {
  return node_directory + "/supervisor";
}

}  // namespace windlass::plane
