// `windlass controller`: the Job controller for a real cluster. Reads the features of the API
// server, waits until it leads, and then manages its Jobs until it is stopped or the lease is lost.
// A small state machine on the event loop; the caller owns it until it has finished.
//
// Requests of the election have connections of their own, so that a renewal never waits behind
// pods. Every write of the controller checks leadership at the moment it is sent.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/feature_gates.h"
#include "api/job/job_constants.h"
#include "base/time.h"
#include "cli/flags/cluster_flags.h"
#include "cli/flags/manifest_flags.h"
#include "cli/ledger/remote_ledger.h"
#include "cli/output/output.h"
#include "env/env.h"
#include "posix/event_loop.h"
#include "remote/cluster_access.h"

namespace windlass::cli {

// On the pods of Jobs whose spec.managedBy is not the built-in controller's.
inline constexpr const char* kOwnTrackingFinalizer = "windlass.dev/job-tracking";

struct ControllerOptions : BackoffOptions {
  ClusterFlags cluster = {};
  // spec.managedBy of the Jobs to manage. The built-in controller's name is that of Jobs without.
  std::string manager = {};
  std::string ns = {};  // "": all namespaces
  bool leader_elect = true;
  std::string lease_namespace = {};  // "": that of the pod, of --namespace, or kube-system
  std::string lease_name = {};       // "": made from the manager
  Duration lease = seconds(15);
  Duration renew_deadline = seconds(10);
  Duration retry = seconds(2);
  std::string listen = "127.0.0.1:10257";
  size_t concurrent_syncs = 5;
  size_t connections = 0;  // concurrent requests; 0: the default of the protocol
  bool disable_http2 = false;
  double requests_per_second = 0;  // 0: unlimited
  double burst = 0;
  int verbosity = 1;
  api::FeatureGates gates = {};
  RemoteLedgerOptions ledger = {};

  bool replaces_built_in() const { return manager == api::kBuiltInJobController; }
};

void declare_flags(Flags& flags, ControllerOptions& options);

class ControllerSession {
 public:
  // `identity` is this process's own in the election. `on_finished` runs once, later.
  ControllerSession(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access,
                    ControllerOptions options, std::string identity, Output& output,
                    std::function<void(ExitCode)> on_finished);
  ~ControllerSession();
  ControllerSession(const ControllerSession&) = delete;
  ControllerSession& operator=(const ControllerSession&) = delete;

  void start();
  // SIGTERM: starts no writes, waits for those in flight, and releases the lease. The second one
  // stops at once.
  void interrupt();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
