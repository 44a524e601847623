#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "cli/image_options.h"
#include "cli/node_limits.h"
#include "cli/plane_periods.h"
#include "node/hollow/behavior.h"
#include "node/shutdown_groups.h"

namespace windlass::cli {

// What one process was tried with.
inline constexpr size_t kMaxHollowNodes = 10'000;
// Each is a process.
inline constexpr size_t kMaxNodes = 100;

// `windlass up`.
struct UpOptions {
  std::string data_dir = {};  // "" for default_data_dir()
  std::string listen = "127.0.0.1:6443";
  std::vector<std::string> server_names = {};  // further ones that clients know the server by
  int verbosity = 0;
  api::FeatureGates gates = {};
  PlanePeriods periods = {};
  size_t nodes = 1;  // that run containers
  NodeImages images = {};
  bool accept_lost_writes = false;  // the store starts without what it has lost
  size_t hollow_nodes = 0;
  node::hollow::Mix hollow_mix = {};
  node::ShutdownGroups shutdown = {};  // of the nodes that run containers
  NodeLimits limits = {};              // of each of them
};

// `windlass down`.
struct DownOptions {
  std::string data_dir = {};  // "" for default_data_dir()
};

// `windlass kubeconfig`.
struct KubeconfigOptions {
  std::string data_dir = {};  // "" for default_data_dir()
  std::string role = "viewer";
  std::string user = {};    // "": the role's name; of a node its own
  std::string server = {};  // "": the one that the data directory's own kubeconfig has
};

// $XDG_STATE_HOME/windlass, or ~/.local/state/windlass.
std::string default_data_dir(const std::string& xdg_state_home, const std::string& home);

}  // namespace windlass::cli
