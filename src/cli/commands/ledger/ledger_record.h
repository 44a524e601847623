// `windlass ledger record`: watches a cluster and records attempts of Jobs that another controller
// runs, usually the built-in one. It only reads. A small state machine on the event loop; the
// caller owns it until it has finished.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/flags/cluster_flags.h"
#include "cli/ledger/remote_ledger.h"
#include "cli/output/output.h"
#include "env/env.h"
#include "posix/event_loop.h"
#include "remote/cluster_access.h"

namespace windlass::cli {

struct LedgerRecordOptions {
  ClusterFlags cluster = {};
  std::string ns = {};  // "": all namespaces
  std::string listen = "127.0.0.1:10258";
  int verbosity = 1;
  RemoteLedgerOptions ledger = {};
};

void declare_flags(Flags& flags, LedgerRecordOptions& options);

ExitCode record_cluster(const LedgerRecordOptions& options, Output& output);

class LedgerRecording {
 public:
  // `on_finished` runs once, later.
  LedgerRecording(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access,
                  LedgerRecordOptions options, Output& output,
                  std::function<void(ExitCode)> on_finished);
  ~LedgerRecording();
  LedgerRecording(const LedgerRecording&) = delete;
  LedgerRecording& operator=(const LedgerRecording&) = delete;

  void start();
  // SIGTERM: waits until what has ended is recorded, for a moment. The second one stops at once.
  void interrupt();
  // All Jobs and pods there are have been seen: nothing that comes now is missed.
  bool is_watching() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
