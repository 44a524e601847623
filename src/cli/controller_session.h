// `windlass controller`: the Job controller for a real cluster. Finds out what the API server can
// do, waits until it leads, and then takes care of its Jobs until it is stopped or the lease is
// lost. A small state machine on the event loop; the caller owns it until it has finished.
//
// Requests of the election have connections of their own, so that a renewal never waits behind
// pods. Every write of the controller asks for leadership at the moment it leaves.
#pragma once

#include <functional>
#include <memory>

#include "cli/controller_options.h"
#include "cli/output.h"
#include "env/env.h"
#include "posix/event_loop.h"
#include "remote/access.h"

namespace windlass::cli {

class ControllerSession {
 public:
  // `identity` is this process's own in the election. `on_finished` runs once, later.
  ControllerSession(env::Env env, posix::EventLoop& loop, remote::Access access,
                    ControllerOptions options, std::string identity, Output& output,
                    std::function<void(ExitCode)> on_finished);
  ~ControllerSession();
  ControllerSession(const ControllerSession&) = delete;
  ControllerSession& operator=(const ControllerSession&) = delete;

  void start();
  // SIGTERM: no new writes; those under way are waited for, the lease is given back. The second one
  // does not wait.
  void interrupt();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
