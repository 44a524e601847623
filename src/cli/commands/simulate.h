// `windlass simulate`: the outcome of Jobs on a cluster, in virtual time. The control plane is that
// of `windlass up`; its nodes are hollow, its clock jumps to the next event, and nodes are drained
// or lost as asked. The same seed gives the same story.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/flags/manifest_flags.h"
#include "cli/output/output.h"
#include "env/files.h"
#include "node/hollow/behavior.h"

namespace windlass::cli {

struct SimulatedCluster {
  uint64_t seed = 1;
  size_t nodes = 3;
  // The behaviour of pods that do not state it in annotations.
  node::hollow::Mix mix = {};
  std::optional<Duration> drain_every = {};
  std::optional<Duration> lose_node_every = {};
  Duration limit = hours(7 * 24);
};

struct SimulateOptions : JobOptions {
  SimulatedCluster cluster = {};
};

void declare_flags(Flags& flags, SimulateOptions& options);

// Runs to the end inside this call, on this thread.
ExitCode simulate(const SimulateOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
