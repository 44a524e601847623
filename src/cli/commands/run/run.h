// `windlass run`: makes an embedded cluster, creates the objects of a plan in it, reports events,
// and ends with the verdict of the Jobs. A small state machine on env.executor; the caller owns it
// until it has finished. Manifests are read before the session exists: standard input may take its
// time, and Ctrl-C then simply ends the program.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cli/commands/run/run_page.h"
#include "cli/flags/manifest_flags.h"
#include "cli/logs/run_logs.h"
#include "cli/manifests/run_manifests.h"
#include "cli/output/output.h"
#include "cli/runs/resume.h"
#include "cli/runs/run_storage.h"
#include "cli/runs/verdict_files.h"
#include "env/env.h"
#include "plane/attempt_ledger.h"
#include "plane/container_factory.h"
#include "plane/machine.h"
#include "plane/node_settings.h"

namespace windlass::cli {

struct RunOptions : JobOptions {
  std::optional<Duration> timeout = {};
  RunLogOptions logs = {};
  bool verbose = false;
  bool dashboard = false;
  bool quiet = false;
  PipelineOptions pipeline = {};
  ResumeOptions resume = {};
  plane::LedgerSettings ledger = {};
  bool no_record = false;  // else it is one of the last runs (runs/run_store.h)
  int verbosity = 0;
  size_t nodes = 1;
  plane::NodeImages images = {};
  plane::NodeLimits limits = {};
};

void declare_flags(Flags& flags, RunOptions& options);

class RunSession {
 public:
  // `on_finished` runs once, later, when nothing of the session is left running.
  RunSession(env::Env env, plane::ContainerFactory containers, RunOptions options, RunPlan plan,
             plane::NodeMachine machine, RunStorage storage, Output& output,
             std::function<void(ExitCode)> on_finished, RunPageTools page = {});
  ~RunSession();
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  void start();
  // Ctrl-C: the first stops the pods gracefully, the second kills them.
  void interrupt();
  // The program was stopped, and goes on: what was on the terminal may be gone.
  void resume();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
