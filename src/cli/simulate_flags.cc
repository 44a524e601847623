#include "cli/simulate_flags.h"

#include <CLI/CLI.hpp>

#include "cli/flag_values.h"
#include "cli/up_options.h"

namespace windlass::cli {

void add_simulate_flags(CLI::App& command, SimulateFlags& flags) {
  command.add_option("--seed", flags.cluster.seed, "What chance is drawn from (1)");
  command
      .add_option("--nodes", flags.cluster.nodes,
                  "Nodes, of 32 CPUs, 256 GiB of memory and 1 TiB of disk each (3)")
      ->check(CLI::Range(size_t{1}, kMaxHollowNodes));
  command.add_option("--mix", flags.mix,
                     "How pods live that do not say it by annotations: "
                     "duration=1m..2h,fail=5%,exit-code=42 (duration=1s)");
  command.add_option("--drain-every", flags.drain_every,
                     "Drain a node, by chance, every so often, e.g. 30m");
  command.add_option("--lose-node-every", flags.lose_node_every,
                     "Let a node fall silent, by chance, every so often, for ten minutes");
  command.add_option("--limit", flags.limit, "Give up after so much virtual time (168h)");
  command.footer(
      "Nothing is run: pods end as their annotations or the mix say (docs/guide/simulate.md).\n"
      "Exit code: 0 Complete, 1 Failed, 2 wrong usage or an invalid manifest, 124 not finished\n"
      "within the limit.\n\n"
      "Examples:\n"
      "  windlass simulate -f job.yaml --mix duration=5m..20m,fail=2%,exit-code=1\n"
      "  windlass simulate -f job.yaml --mix duration=2h --drain-every 30m --seed 7");
}

Result<SimulatedCluster> read_simulate_flags(const SimulateFlags& flags) {
  SimulatedCluster cluster = flags.cluster;
  if (flags.mix.starts_with("seed=") || flags.mix.find(",seed=") != std::string::npos) {
    return fail(plain_error("--mix takes no seed here: all chance is drawn from --seed"));
  }
  TRY(cluster.mix, node::hollow::parse_mix(flags.mix));
  if (!flags.drain_every.empty()) {
    TRY(cluster.drain_every, positive_duration("--drain-every", flags.drain_every));
  }
  if (!flags.lose_node_every.empty()) {
    TRY(cluster.lose_node_every, positive_duration("--lose-node-every", flags.lose_node_every));
  }
  if (!flags.limit.empty()) {
    TRY(cluster.limit, positive_duration("--limit", flags.limit));
  }
  return cluster;
}

}  // namespace windlass::cli
