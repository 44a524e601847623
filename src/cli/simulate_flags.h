// The flags of `windlass simulate` that say what cluster it thinks up. Uses CLI11, like
// command_line.cc.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/simulate_options.h"

namespace CLI {
class App;
}

namespace windlass::cli {

// As they are parsed.
struct SimulateFlags {
  SimulatedCluster cluster;
  std::string mix;
  std::string drain_every;
  std::string lose_node_every;
  std::string limit;
};

void add_simulate_flags(CLI::App& command, SimulateFlags& flags);
Result<SimulatedCluster> read_simulate_flags(const SimulateFlags& flags);

}  // namespace windlass::cli
