// Shuts nodes down when their machine goes down, and lets it wait for their pods (disruption.md
// K-71).
#pragma once

#include <functional>

#include "cli/output/output.h"
#include "env/machine_shutdown.h"
#include "node/shutdown/node_shutdown.h"
#include "plane/local_nodes.h"

namespace windlass::cli {

// As long as `machine` calls back; the others outlive that. Does nothing once `stopping` returns
// true.
void follow_machine(env::MachineShutdown& machine, plane::LocalNodes& nodes,
                    const node::ShutdownGroups& groups, Output& output,
                    std::function<bool()> stopping);

}  // namespace windlass::cli
