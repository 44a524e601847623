// Flags of `windlass node`, and those of `windlass up` and `windlass run` that say what their nodes
// have, when they are short of it, and how they shut down: what CLI11 writes into, and the options
// that become of it. Used while arguments are parsed, and not after.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/node_limits.h"
#include "cli/node_options.h"
#include "node/shutdown_groups.h"

namespace CLI {
class App;
}

namespace windlass::cli {

struct ShutdownFlags {
  std::string total = {};
  std::string critical = {};
  std::string by_priority = {};
};

void add_shutdown_flags(CLI::App& command, ShutdownFlags& flags);
// No flag: no groups.
Result<node::ShutdownGroups> read_shutdown_flags(const ShutdownFlags& flags);

struct LimitFlags {
  std::string capacity = {};
  node::pressure::Flags eviction = {};
};

void add_limit_flags(CLI::App& command, LimitFlags& flags);
Result<NodeLimits> read_limit_flags(const LimitFlags& flags);

struct NodeFlags {
  std::string labels = {};
  std::string feature_gates = {};
  ShutdownFlags shutdown_groups = {};
  LimitFlags limits = {};
  ClusterFlags cluster = {};  // before or after `shutdown`
  NodeOptions options = {};   // those that need no look
  NodeShutdownOptions shutdown = {};
};

CLI::App* add_node(CLI::App& app, NodeFlags& flags);
Result<NodeOptions> read_node_flags(const NodeFlags& flags);
CLI::App* add_node_shutdown(CLI::App& node, NodeFlags& flags);
Result<NodeShutdownOptions> read_node_shutdown_flags(const NodeFlags& flags);

}  // namespace windlass::cli
