// A node of the simulated cluster: the real node agent with scripted processes. When the agent
// dies, its processes die with it, as on a machine that loses power; the history keeps what ran.
#pragma once

#include <memory>
#include <string>

#include "verify/simulation/component.h"
#include "verify/simulation/history.h"
#include "verify/simulation/script.h"

namespace windlass::verify::simulation {

struct SimulatedNodeOptions {
  std::string name = {};
  std::string cpu = "4";
  bool hollow = false;                // ends pods as told, and runs nothing
  bool disruption_conditions = true;  // gate PodDisruptionConditions
};

// `scripts` and `history` outlive it.
std::unique_ptr<SimulatedProcess> make_node(const client::ClientEnv& env,
                                            const SimulatedNodeOptions& options,
                                            ProcessScripts& scripts, History& history);
// A hollow node keeps what it knows of its pods across crashes in the API alone.
std::unique_ptr<SimulatedProcess> make_hollow_node(const client::ClientEnv& env,
                                                   const SimulatedNodeOptions& options,
                                                   ProcessScripts& scripts, History& history);

}  // namespace windlass::verify::simulation
