// `windlass run`: makes an embedded cluster, creates the objects of the manifests in it, says what
// happens, and ends with the Jobs' verdict. A small state machine on env.executor; the caller owns
// it until it has finished.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/output.h"
#include "env/env.h"

namespace windlass::cli {

class RunSession {
 public:
  // What the machine offers the embedded node.
  struct Machine {
    std::map<std::string, std::string> capacity;
    std::vector<std::string> environment;  // NAME=value, for all containers
    std::string scratch_dir;               // a folder of the session's own appears below it
  };

  // `on_finished` runs once, later, when nothing of the session is left running.
  RunSession(env::Env env, RunOptions options, Machine machine, Output& output,
             std::function<void(ExitCode)> on_finished);
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
