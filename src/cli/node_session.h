// `windlass node`: one node of a cluster, in a process of its own, as a kubelet is. Speaks to the
// API server as any client does; whether that can be reached or not, its containers run, and what
// becomes of them is told when it can. A small state machine on the event loop; the caller owns it
// until it has finished.
#pragma once

#include <functional>
#include <memory>

#include "cli/container_factory.h"
#include "cli/machine.h"
#include "cli/node_options.h"
#include "cli/output.h"
#include "env/env.h"
#include "posix/event_loop.h"
#include "remote/access.h"

namespace windlass::cli {

class NodeSession {
 public:
  // `on_finished` runs once, later.
  NodeSession(env::Env env, posix::EventLoop& loop, ContainerFactory containers,
              remote::Access access, NodeOptions options, NodeMachine machine, Output& output,
              std::function<void(ExitCode)> on_finished);
  ~NodeSession();
  NodeSession(const NodeSession&) = delete;
  NodeSession& operator=(const NodeSession&) = delete;

  void start();
  // Ends without its pods: they go on, and the next one of this name has them.
  void interrupt();
  // Ends with them, each within its grace period.
  void power_down();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
