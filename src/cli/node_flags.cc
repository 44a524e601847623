#include "cli/node_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "api/names.h"
#include "base/quantity.h"
#include "cli/flag_values.h"
#include "cli/image_flags.h"

namespace windlass::cli {
namespace {

constexpr const char* kTotalFlag = "--shutdown-grace-period";
constexpr const char* kCriticalFlag = "--shutdown-grace-period-critical-pods";
constexpr const char* kByPriorityFlag = "--shutdown-grace-period-by-pod-priority";
constexpr size_t kMaxShutdownGroups = 100;
constexpr const char* kCapacityFlag = "--node-capacity";
constexpr const char* kLabelsFlag = "--node-labels";

// What commas part; nothing of "".
std::vector<std::string_view> entries_of(std::string_view text) {
  std::vector<std::string_view> entries;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    entries.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return entries;
}

// PRIORITY=DURATION
Result<node::ShutdownGroup> parse_group(std::string_view text) {
  const auto malformed = [&] {
    return fail(
        plain_error(fmt::format("invalid {} \"{}\": must be PRIORITY=DURATION,... such as "
                                "0=30s,2000000000=10s",
                                kByPriorityFlag, text)));
  };
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return malformed();
  }
  node::ShutdownGroup group;
  const std::string_view number = text.substr(0, equals);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), group.priority);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) {
    return malformed();
  }
  TRY(group.time, positive_duration(kByPriorityFlag, std::string(text.substr(equals + 1))));
  return group;
}

Result<node::ShutdownGroups> parse_groups(std::string_view text) {
  node::ShutdownGroups groups;
  for (const std::string_view entry : entries_of(text)) {
    TRY(const node::ShutdownGroup group, parse_group(entry));
    groups.push_back(group);
    if (groups.size() > kMaxShutdownGroups) {
      return fail(plain_error(
          fmt::format("invalid {}: more than {} groups", kByPriorityFlag, kMaxShutdownGroups)));
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.priority < b.priority; });
  const auto same =
      std::adjacent_find(groups.begin(), groups.end(),
                         [](const auto& a, const auto& b) { return a.priority == b.priority; });
  if (same != groups.end()) {
    return fail(plain_error(
        fmt::format("invalid {}: priority {} is there twice", kByPriorityFlag, same->priority)));
  }
  return groups;
}

// Kubernetes' own are the node's to say.
bool is_reserved_label(std::string_view key) {
  const std::string_view prefix = key.substr(0, std::min(key.find('/'), key.size()));
  return key.find('/') != std::string_view::npos &&
         (prefix == "kubernetes.io" || prefix.ends_with(".kubernetes.io") || prefix == "k8s.io" ||
          prefix.ends_with(".k8s.io"));
}

Result<std::map<std::string, std::string>> parse_labels(std::string_view text) {
  std::map<std::string, std::string> labels;
  for (const std::string_view entry : entries_of(text)) {
    const size_t equals = std::min(entry.find('='), entry.size());
    const std::string_view key = entry.substr(0, equals);
    const std::string_view value = entry.substr(std::min(equals + 1, entry.size()));
    if (equals == entry.size() || !api::is_qualified_name(key) ||
        !api::check_label_value(value).empty() || is_reserved_label(key)) {
      return fail(plain_error(
          fmt::format("invalid {} \"{}\": must be KEY=VALUE,... such as disk=ssd, and no label of "
                      "kubernetes.io or k8s.io",
                      kLabelsFlag, entry)));
    }
    labels[std::string(key)] = value;
  }
  return labels;
}

void add_cluster_flags(CLI::App& command, ClusterFlags& cluster) {
  command.add_option("--kubeconfig", cluster.kubeconfig,
                     "Kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or that of a running "
                     "`windlass up`)");
  command.add_option("--context", cluster.context,
                     "Context to use (default: the kubeconfig's current context)");
}

}  // namespace

CLI::App* add_node(CLI::App& app, NodeFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "node",
      "Run one more node of `windlass up` on this machine as a process of its own, to try what a "
      "lost node does; or act on a node: shutdown");
  NodeOptions& options = flags.options;
  command->add_option("--name", options.name, "Name of the node; must be unique");
  add_cluster_flags(*command, flags.cluster);
  command->add_option("--data-dir", options.data_dir,
                      "Where its files are, in agents/NAME; that of `windlass up` for `kubectl "
                      "logs` ($XDG_STATE_HOME/windlass, or ~/.local/state/windlass)");
  command->add_option("--node-ip", options.address, "Address of the node and its pods (127.0.0.1)");
  command->add_option(kLabelsFlag, flags.labels, "Further labels of the node: disk=ssd,zone=b");
  command->add_option("--feature-gates", flags.feature_gates,
                      "Switch features: A=true,B=false (all are on by default)");
  command->add_option("-v", options.verbosity, "Log more: 0 warnings, 1 information, 2 all");
  add_node_image_flags(*command, options.images);
  add_shutdown_flags(*command, flags.shutdown_groups);
  add_limit_flags(*command, flags.limits);
  command->footer(
      "Runs until Ctrl-C or SIGTERM. Its pods keep running, and the next `windlass node` of that\n"
      "name takes them over; `windlass down` and SIGPWR stop them, too. While the server is not\n"
      "reachable, it retries. To use more machines, see `windlass controller`.\n"
      "Exit code: 0 stopped, 1 could not start, 2 wrong usage.\n\n"
      "Examples:\n"
      "  windlass kubeconfig --role node --user b > b.kubeconfig   # what a node may do, no more\n"
      "  windlass node --name b --kubeconfig b.kubeconfig --node-labels disk=ssd");
  return command;
}

Result<NodeOptions> read_node_flags(const NodeFlags& flags) {
  NodeOptions options = flags.options;
  options.cluster = flags.cluster;
  if (options.name.empty()) {
    return fail(plain_error("must specify --name NAME"));
  }
  if (!api::is_dns1123_subdomain(options.name)) {
    return fail(plain_error(
        fmt::format("invalid --name \"{}\": must be a DNS name in lower case", options.name)));
  }
  if (!is_ip_address(options.address)) {
    return fail(plain_error(
        fmt::format("invalid --node-ip \"{}\": must be an IP address", options.address)));
  }
  TRY(options.labels, parse_labels(flags.labels));
  TRY(options.gates, api::FeatureGates::parse(flags.feature_gates));
  TRY(options.shutdown, read_shutdown_flags(flags.shutdown_groups));
  TRY(options.limits, read_limit_flags(flags.limits));
  return options;
}

CLI::App* add_node_shutdown(CLI::App& node, NodeFlags& flags) {
  CLI::App* command =
      node.add_subcommand("shutdown", "Shut a node down as if its machine went off");
  NodeShutdownOptions& options = flags.shutdown;
  command->add_option("NODE", options.node, "NAME or node/NAME");
  command->add_flag("--cancel", options.cancel,
                    "Let it take pods again; those that have ended stay so");
  add_cluster_flags(*command, flags.cluster);
  command->footer(
      "The node is not ready any more, takes no pods and ends those it has, within the grace\n"
      "periods of its --shutdown-grace-period. It stays down, also when `windlass up` or "
      "`windlass\n"
      "node` starts again, until --cancel.\n"
      "Exit code: 0 the node is told, 1 there is none of that name, 2 wrong usage.\n\n"
      "Examples:\n"
      "  windlass node shutdown node-1\n"
      "  windlass node shutdown node-1 --cancel");
  return command;
}

Result<NodeShutdownOptions> read_node_shutdown_flags(const NodeFlags& flags) {
  NodeShutdownOptions options = flags.shutdown;
  options.cluster = flags.cluster;
  if (!flags.options.name.empty()) {
    return fail(plain_error("--name is for `windlass node` itself: windlass node shutdown NAME"));
  }
  for (const std::string_view prefix : {"node/", "nodes/"}) {
    if (options.node.starts_with(prefix)) {
      options.node.erase(0, prefix.size());
    }
  }
  if (options.node.empty()) {
    return fail(plain_error("must specify a node: windlass node shutdown NAME"));
  }
  return options;
}

void add_shutdown_flags(CLI::App& command, ShutdownFlags& flags) {
  const auto add = [&command](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->group("Periods");
  };
  add(kTotalFlag, flags.total,
      "All the time that pods have when a node shuts down (their own grace periods)");
  add(kCriticalFlag, flags.critical, "How much of it is for critical pods, after the others (0s)");
  add(kByPriorityFlag, flags.by_priority,
      "Instead: the time of each group, by the lowest priority in it: 0=30s,1000=20s,"
      "2000000000=10s");
}

Result<node::ShutdownGroups> read_shutdown_flags(const ShutdownFlags& flags) {
  if (!flags.by_priority.empty()) {
    if (!flags.total.empty() || !flags.critical.empty()) {
      return fail(plain_error(
          fmt::format("{} excludes {} and {}", kByPriorityFlag, kTotalFlag, kCriticalFlag)));
    }
    return parse_groups(flags.by_priority);
  }
  if (flags.total.empty()) {
    return flags.critical.empty()
               ? Result<node::ShutdownGroups>(node::ShutdownGroups())
               : fail(plain_error(fmt::format("{} needs {}", kCriticalFlag, kTotalFlag)));
  }
  TRY(const Duration total, positive_duration(kTotalFlag, flags.total));
  Duration critical{};
  if (!flags.critical.empty()) {
    TRY(critical, positive_duration(kCriticalFlag, flags.critical));
  }
  if (critical > total) {
    return fail(plain_error(
        fmt::format("{} \"{}\" is more than {}", kCriticalFlag, flags.critical, kTotalFlag)));
  }
  return node::shutdown_groups(total, critical);
}

void add_limit_flags(CLI::App& command, LimitFlags& flags) {
  const auto add = [&command](const char* name, std::string& value, const std::string& help) {
    command.add_option(name, value, help)->group("Nodes");
  };
  node::pressure::Flags& eviction = flags.eviction;
  add(kCapacityFlag, flags.capacity,
      "What a node has, in place of all of the machine: cpu=2,memory=4Gi,ephemeral-storage=10Gi");
  add("--eviction-hard", eviction.hard,
      fmt::format("Evict pods when less is left of memory.available, nodefs.available, "
                  "nodefs.inodesFree, pid.available; \"\" for never ({})",
                  node::pressure::kDefaultHard));
  add("--eviction-soft", eviction.soft, "The same for shortages that last a while");
  add("--eviction-soft-grace-period", eviction.soft_grace,
      "How long each has to last: memory.available=90s");
  add("--eviction-minimum-reclaim", eviction.minimum_reclaim,
      "How much more must be free again: memory.available=100Mi");
  add("--eviction-max-pod-grace-period", eviction.max_pod_grace,
      "Seconds that a pod has to end, for a soft threshold (0)");
  add("--eviction-pressure-transition-period", eviction.transition,
      "How long a node says that it is short after it was (5m)");
}

Result<NodeLimits> read_limit_flags(const LimitFlags& flags) {
  NodeLimits limits;
  for (const std::string_view entry : entries_of(flags.capacity)) {
    const size_t equals = std::min(entry.find('='), entry.size());
    const std::string amount(entry.substr(std::min(equals + 1, entry.size())));
    const Result<Quantity> quantity = Quantity::parse(amount);
    if (equals == 0 || !quantity || quantity->sign() < 0) {
      return fail(plain_error(
          fmt::format("invalid {} \"{}\": must be RESOURCE=AMOUNT,... such as cpu=2,memory=4Gi",
                      kCapacityFlag, entry)));
    }
    limits.capacity[std::string(entry.substr(0, equals))] = amount;
  }
  TRY(limits.pressure, node::pressure::read_flags(flags.eviction));
  return limits;
}

}  // namespace windlass::cli
