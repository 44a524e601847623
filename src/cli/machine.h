#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/files.h"
#include "env/machine_shutdown.h"
#include "env/network_checks.h"
#include "env/supplies.h"
#include "node/config.h"

namespace windlass::cli {

// What a machine offers its nodes.
struct NodeMachine {
  std::map<std::string, std::string> capacity;
  std::vector<std::string> environment;   // NAME=value, for all containers
  std::string scratch_dir;                // of `windlass run`: for what does not outlive it
  env::NetworkChecks* network = nullptr;  // for probes and hooks; outlives the nodes
  env::Supplies* supplies = nullptr;      // for evictions; outlives the nodes
  // Hears when it goes down; outlives the nodes. Null where nobody tells.
  env::MachineShutdown* shutdown = nullptr;
  node::NodeSystem system = {};
};

// x86_64 is amd64, aarch64 is arm64: a machine of uname(2) as Kubernetes labels it.
std::string go_architecture(std::string_view machine);
// PRETTY_NAME of an os-release file.
std::string pretty_name(std::string_view os_release);

// Its processors, its memory (from /proc/meminfo), the disk on which `data_dir` is or will be, and
// the environment that containers get when their image says nothing.
NodeMachine this_machine(env::Files& files, const std::string& data_dir);

// The size of the disk with this path, as a quantity; a path that is not there counts as the
// directory it would be in.
std::string disk_size(const std::string& path);

// Of the text of /proc/meminfo, as a quantity (`24102340Ki`); "1Gi" when it does not say.
std::string total_memory(std::string_view meminfo);

}  // namespace windlass::cli
