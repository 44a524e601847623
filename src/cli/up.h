// `windlass up`: a control plane that stays. Opens the data directory, serves the API over TLS,
// runs the controllers and the nodes, and says how to point kubectl at it. A small state machine on
// env.executor; the caller owns it until it has finished.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/container_factory.h"
#include "cli/machine.h"
#include "cli/output.h"
#include "cli/up_options.h"
#include "env/env.h"
#include "posix/event_loop.h"

namespace windlass::cli {

class UpSession {
 public:
  // `loop` is the executor of `env`. `journal_worker` has a thread of its own, on which the store's
  // file is written; it outlives the session. `on_finished` runs once, later.
  UpSession(env::Env env, posix::EventLoop& loop, env::Executor& journal_worker,
            ContainerFactory containers, UpOptions options, NodeMachine machine, Output& output,
            std::function<void(ExitCode)> on_finished);
  ~UpSession();
  UpSession(const UpSession&) = delete;
  UpSession& operator=(const UpSession&) = delete;

  void start();
  // Ctrl-C: the first lets answers complete, the second does not wait for them. Pods go on.
  void interrupt();
  // Ends the pods within their grace periods first, and their supervisors; also after a Ctrl-C, as
  // long as the session has not finished. Asked for again it changes nothing: only a Ctrl-C after
  // it says not to wait.
  void power_down();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
