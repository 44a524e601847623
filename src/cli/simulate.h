// `windlass simulate`: what would become of Jobs on a cluster, in virtual time. The control plane
// is the one of `windlass up`; its nodes are hollow, its clock jumps to whatever is next, and nodes
// are drained or lost as asked. The same seed gives the same story.
#pragma once

#include "cli/command_line.h"
#include "cli/output.h"
#include "env/files.h"

namespace windlass::cli {

// Runs to the end inside this call, on this thread.
ExitCode simulate(const SimulateOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
