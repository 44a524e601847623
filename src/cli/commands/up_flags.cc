// The flags of `windlass up`.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

#include "api/names.h"
#include "cli/commands/up.h"
#include "cli/flags/flags.h"
#include "cli/flags/ledger_flags.h"
#include "cli/flags/manifest_flags.h"
#include "cli/flags/node_flags.h"

namespace windlass::cli {
namespace {

constexpr const char* kUsualAddress = "127.0.0.1:6443";
constexpr const char* kFreePort = "127.0.0.1:0";
constexpr double kMostHaste = 10'000;

Result<void> check_server_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!is_ip_address(name) && !api::is_dns1123_subdomain(name)) {
      return fail(plain_error(fmt::format(
          "invalid --server-name \"{}\": must be a DNS name in lower case, or an IP address",
          name)));
    }
  }
  return {};
}

void declare_node_counts(Flags& flags, UpOptions& options) {
  const auto nodes = std::make_shared<std::optional<size_t>>();
  flags.number("--nodes NUMBER", *nodes,
               "Number of nodes that run containers as processes of this machine; each has all of "
               "its resources (default: 1; 0 with --hollow-nodes)",
               {0, kMaxNodes});
  flags.number("--hollow-nodes NUMBER", options.hollow_nodes,
               "Number of nodes that run nothing and end pods as their annotations say, to test at "
               "scale (default: 0)",
               {0, kMaxHollowNodes});
  flags.parsed("--hollow-mix LIST",
               "Behaviour of pods on hollow nodes without such annotations. Example: "
               "duration=1s..5s,fail=10%,exit-code=42,seed=7",
               [&options](const std::string& text) -> Result<void> {
                 TRY(options.hollow_mix, node::hollow::parse_mix(text));
                 return {};
               });
  flags.check([nodes, &options]() -> Result<void> {
    options.nodes = nodes->value_or(options.hollow_nodes > 0 ? 0 : 1);
    return {};
  });
}

void declare_ephemeral_flags(Flags& flags, UpOptions& options) {
  flags.toggle("--ephemeral", options.ephemeral,
               "Keep everything in memory, print one line of JSON when ready, and end with the "
               "process that holds the other end of standard input. Leaves nothing behind");
  flags.number("--parent-pid NUMBER", options.parent_pid,
               "With --ephemeral: end with this process instead",
               {1, std::numeric_limits<int>::max()});
  flags.check([&options]() -> Result<void> {
    if (!options.ephemeral && options.parent_pid) {
      return fail(plain_error("--parent-pid needs --ephemeral"));
    }
    if (options.ephemeral && (!options.data_dir.empty() || options.accept_lost_writes)) {
      return fail(plain_error(
          "--ephemeral keeps no data: --data-dir and --accept-lost-writes do not go with it"));
    }
    return {};
  });
}

}  // namespace

void declare_flags(Flags& flags, UpOptions& options) {
  declare_data_dir(flags, options.data_dir, "Folder of all state; only its owner has access to it");
  const auto listen = std::make_shared<std::string>();
  flags.text("--listen ADDRESS:PORT", *listen,
             "Address of the API server; port 0 picks a free port (default: 127.0.0.1:6443, or a "
             "free port with --ephemeral)");
  flags.check([listen, &options]() -> Result<void> {
    options.listen = !listen->empty() ? *listen : options.ephemeral ? kFreePort : kUsualAddress;
    return {};
  });
  flags.list("--server-name NAME", options.server_names,
             "Name or IP address by which other machines reach the server, for its certificate");
  declare_node_counts(flags, options);
  declare_image_flags(flags, options.images);
  declare_feature_gates(flags, options.gates);
  flags.toggle("--accept-lost-writes", options.accept_lost_writes,
               "Start even if the data directory has lost acknowledged writes");
  declare_verbosity(flags, options.verbosity);
  flags.check([&options] { return check_server_names(options.server_names); });
  declare_ephemeral_flags(flags, options);
  flags.heading("Periods");
  for (const plane::PeriodFlag& flag : plane::period_flags()) {
    flags.duration((std::string(flag.name) + " DURATION").c_str(), options.periods.*flag.member,
                   flag.help);
  }
  const auto times = std::make_shared<double>(1);
  flags.number("--time-scale NUMBER", *times,
               "Divide these periods by this number, except those of node heartbeats and "
               "--pod-eviction-timeout",
               {1, kMostHaste});
  flags.check([times, &options]() -> Result<void> {
    options.periods = plane::hastened(options.periods, *times);
    return {};
  });
  declare_shutdown_flags(flags, options.shutdown);
  declare_limit_flags(flags, options.limits);
  declare_ledger_flags(flags, options.ledger);
  declare_trace_flags(flags, options.traces);
  flags.check([&options]() -> Result<void> {
    if (options.traces.enabled() && (!options.ledger.enabled || options.ephemeral)) {
      return fail(
          plain_error("--otlp-endpoint makes traces from the records of the ledger, which "
                      "--ledger=off and --ephemeral do not keep"));
    }
    return {};
  });
  flags.paragraph(
      "Runs until Ctrl-C or SIGTERM, and completes requests in flight before it stops. The next "
      "start with the same data directory restores every acknowledged write. Pods keep running in "
      "between; stop them too with: windlass down");
  flags.exit_codes({{0, "Stopped"}, {1, "Cannot start"}, {2, "Wrong usage"}});
  flags.examples({"windlass up", "windlass up --data-dir ./state --listen 127.0.0.1:0",
                  "windlass up --nodes 3",
                  "windlass up --listen 0.0.0.0:6443 --server-name build1.example.com",
                  "windlass up --hollow-nodes 1000 --hollow-mix duration=1s..5s,fail=1%",
                  "windlass up --ephemeral --hollow-nodes 1 --time-scale 100",
                  "export KUBECONFIG=~/.local/state/windlass/kubeconfig; kubectl get jobs"});
}

}  // namespace windlass::cli
