// `windlass run`: makes an embedded cluster, creates the objects of a plan in it, says what
// happens, and ends with the Jobs' verdict. A small state machine on env.executor; the caller owns
// it until it has finished. Manifests are read before there is one: standard input may take its
// time, and Ctrl-C then simply ends the program.
#pragma once

#include <functional>
#include <memory>

#include "cli/command_line.h"
#include "cli/container_factory.h"
#include "cli/machine.h"
#include "cli/output.h"
#include "cli/run_manifests.h"
#include "env/env.h"

namespace windlass::cli {

class RunSession {
 public:
  // `on_finished` runs once, later, when nothing of the session is left running.
  RunSession(env::Env env, ContainerFactory containers, RunOptions options, RunPlan plan,
             NodeMachine machine, Output& output, std::function<void(ExitCode)> on_finished);
  ~RunSession();
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  void start();
  // Ctrl-C: the first stops the pods gracefully, the second kills them.
  void interrupt();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
