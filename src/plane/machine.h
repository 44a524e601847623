#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/files.h"
#include "env/host_resources.h"
#include "env/machine_shutdown.h"
#include "env/network_checks.h"
#include "node/config.h"

namespace windlass::plane {

// The resources of a machine for its nodes.
struct NodeMachine {
  std::map<std::string, std::string> capacity;
  std::vector<std::string> environment;          // NAME=value, for all containers
  std::string scratch_dir;                       // of `windlass run`, which removes it at its end
  env::NetworkChecks* network = nullptr;         // for probes and hooks; outlives the nodes
  env::HostResources* host_resources = nullptr;  // for evictions; outlives the nodes
  // Announces shutdowns of the machine; outlives the nodes. Null where there is no such service.
  env::MachineShutdown* shutdown = nullptr;
  images::ImagePuller* image_puller = nullptr;  // outlives the nodes
  node::NodeSystem system = {};
  std::vector<std::string> private_directories = {};  // that no container of its nodes sees
};

// The machine name of uname(2) as a label of Kubernetes: amd64 for x86_64, arm64 for aarch64.
std::string go_architecture(std::string_view machine);
// That of this machine.
std::string this_architecture();
// PRETTY_NAME of an os-release file.
std::string pretty_name(std::string_view os_release);

// The processors, the memory (from /proc/meminfo), the disk of `data_dir`, which need not exist
// yet, and the environment of containers whose image sets none.
NodeMachine this_machine(env::Files& files, const std::string& data_dir);

// The size of the disk with this path, as a quantity. For a path that does not exist, that of its
// directory.
std::string disk_size(const std::string& path);

// MemTotal in the text of /proc/meminfo, as a quantity (`24102340Ki`); "1Gi" without it.
std::string total_memory(std::string_view meminfo);

}  // namespace windlass::plane
