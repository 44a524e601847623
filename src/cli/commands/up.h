// `windlass up`: a control plane that keeps running. Opens the data directory, serves the API over
// TLS, runs the controllers and the nodes, and prints how to use it with kubectl. With --ephemeral
// it keeps nothing, for tests. A small state machine on env.executor; the caller owns it until it
// has finished.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "cli/flags/flags.h"
#include "cli/ledger/trace_export.h"
#include "cli/output/output.h"
#include "env/env.h"
#include "node/hollow/behavior.h"
#include "node/shutdown/node_shutdown.h"
#include "plane/attempt_ledger.h"
#include "plane/container_factory.h"
#include "plane/machine.h"
#include "plane/node_settings.h"
#include "plane/plane_periods.h"
#include "posix/event_loop.h"
#include "posix/process/service_manager.h"

namespace windlass::cli {

struct UpOptions {
  std::string data_dir = {};  // "" for default_data_dir()
  std::string listen = "127.0.0.1:6443";
  std::vector<std::string> server_names = {};  // further names of the server in its certificate
  int verbosity = 0;
  api::FeatureGates gates = {};
  plane::PlanePeriods periods = {};
  size_t nodes = 1;  // that run containers
  plane::NodeImages images = {};
  bool accept_lost_writes = false;  // start even if the store has lost writes
  size_t hollow_nodes = 0;
  node::hollow::Mix hollow_mix = {};
  node::ShutdownGroups shutdown = {};  // of the nodes that run containers
  plane::NodeLimits limits = {};       // of each of them
  plane::LedgerSettings ledger = {};
  TraceOptions traces = {};
  // Keeps nothing: the store is in memory, and the pods end with the session. `data_dir` is for the
  // files of this session alone.
  bool ephemeral = false;
  std::optional<int> parent_pid = {};  // whose end is that of the session; unset: standard input
  posix::ServiceManager* service = nullptr;  // outlives the session
};

void declare_flags(Flags& flags, UpOptions& options);

class UpSession {
 public:
  // `loop` is the executor of `env`. `journal_worker` has a thread of its own, on which the store's
  // file is written; it outlives the session. `on_finished` runs once, later.
  UpSession(env::Env env, posix::EventLoop& loop, env::Executor& journal_worker,
            plane::ContainerFactory containers, UpOptions options, plane::NodeMachine machine,
            Output& output, std::function<void(ExitCode)> on_finished);
  ~UpSession();
  UpSession(const UpSession&) = delete;
  UpSession& operator=(const UpSession&) = delete;

  void start();
  // Ctrl-C: the first completes requests in flight, the second stops at once. Pods keep running,
  // those of an ephemeral session are killed.
  void interrupt();
  // Ends the pods within their grace periods first, and their supervisors; also after a Ctrl-C, as
  // long as the session has not finished. A second call changes nothing; a Ctrl-C stops at once.
  void power_down();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
