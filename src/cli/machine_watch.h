// Shuts nodes down when their machine goes down, and lets it wait for their pods (disruption.md
// K-71).
#pragma once

#include <functional>

#include "cli/local_nodes.h"
#include "cli/output.h"
#include "env/machine_shutdown.h"
#include "node/shutdown_groups.h"

namespace windlass::cli {

// From now on, for as long as `machine` calls back; the others outlive that. Nothing is done any
// more once `stopping` says so.
void follow_machine(env::MachineShutdown& machine, LocalNodes& nodes,
                    const node::ShutdownGroups& groups, Output& output,
                    std::function<bool()> stopping);

}  // namespace windlass::cli
