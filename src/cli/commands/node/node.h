// `windlass node`: one node of a cluster in a process of its own, as a kubelet is. Talks to the API
// server as any client does. While the server is unreachable, its containers keep running, and it
// reports their state later. A small state machine on the event loop; the caller owns it until it
// has finished.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/feature_gates.h"
#include "base/time.h"
#include "cli/flags/cluster_flags.h"
#include "cli/flags/command_line.h"
#include "cli/output/output.h"
#include "env/env.h"
#include "node/shutdown/node_shutdown.h"
#include "plane/container_factory.h"
#include "plane/machine.h"
#include "plane/node_settings.h"
#include "posix/event_loop.h"
#include "remote/cluster_access.h"

namespace windlass::cli {

struct NodeOptions {
  ClusterFlags cluster = {};
  std::string name = {};
  std::string data_dir = {};  // "" for default_data_dir(); agents/<name> appears below it
  std::string address = "127.0.0.1";
  std::map<std::string, std::string> labels = {};
  int verbosity = 0;
  api::FeatureGates gates = {};
  plane::NodeImages images = {};
  node::ShutdownGroups shutdown = {};
  plane::NodeLimits limits = {};
  // How long it tries to report to a server that does not answer when all pods have ended.
  Duration report_timeout = seconds(10);
};

struct NodeShutdownOptions {
  ClusterFlags cluster = {};
  std::string node = {};
  bool cancel = false;
};

// `windlass node` and `windlass node shutdown`, which take the cluster's flags before or after
// `shutdown`.
Command node_command(std::function<ExitCode(const NodeOptions&, Output&)> run,
                     std::function<ExitCode(const NodeShutdownOptions&, Output&)> shut_down);

class NodeSession {
 public:
  // `on_finished` runs once, later.
  NodeSession(env::Env env, posix::EventLoop& loop, plane::ContainerFactory containers,
              remote::ClusterAccess access, NodeOptions options, plane::NodeMachine machine,
              Output& output, std::function<void(ExitCode)> on_finished);
  ~NodeSession();
  NodeSession(const NodeSession&) = delete;
  NodeSession& operator=(const NodeSession&) = delete;

  void start();
  // Ends without its pods: they keep running, and the next agent of this name takes them over.
  void interrupt();
  // Ends with them, each within its grace period.
  void power_down();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
