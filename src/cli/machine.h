#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/files.h"
#include "env/network_checks.h"

namespace windlass::cli {

// What a machine offers its nodes.
struct NodeMachine {
  std::map<std::string, std::string> capacity;
  std::vector<std::string> environment;   // NAME=value, for all containers
  std::string scratch_dir;                // for what does not outlive its command
  env::NetworkChecks* network = nullptr;  // for probes and hooks; outlives the nodes
};

// Its processors, its memory (from /proc/meminfo), and the environment that containers get when
// their image says nothing.
NodeMachine this_machine(env::Files& files);

// Of the text of /proc/meminfo, as a quantity (`24102340Ki`); "1Gi" when it does not say.
std::string total_memory(std::string_view meminfo);

}  // namespace windlass::cli
