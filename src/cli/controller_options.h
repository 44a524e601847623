#pragma once

#include <string>

#include "api/feature_gates.h"
#include "api/job/job_constants.h"
#include "base/time.h"
#include "cli/cluster_access.h"

namespace windlass::cli {

// On the pods of Jobs that another manager than the built-in one has, whose name is its own.
inline constexpr const char* kOwnTrackingFinalizer = "windlass.dev/job-tracking";

// `windlass controller`.
struct ControllerOptions {
  ClusterFlags cluster = {};
  // Whose Jobs these are: spec.managedBy. The built-in manager's name takes those of nobody else.
  std::string manager = {};
  std::string ns = {};  // only here; "": everywhere
  bool leader_elect = true;
  std::string lease_namespace = {};  // "": that of the pod, of --namespace, or kube-system
  std::string lease_name = {};       // "": made from the manager
  Duration lease = seconds(15);
  Duration renew_deadline = seconds(10);
  Duration retry = seconds(2);
  std::string listen = "127.0.0.1:10257";
  size_t concurrent_syncs = 5;
  size_t connections = 0;  // requests at a time; 0: as many as are good for the protocol
  bool disable_http2 = false;
  double requests_per_second = 0;  // 0: no limit but those at a time
  double burst = 0;
  Duration backoff_base = seconds(10);
  Duration backoff_cap = minutes(10);
  int verbosity = 1;
  api::FeatureGates gates = {};

  bool replaces_built_in() const { return manager == api::kBuiltInJobController; }
};

}  // namespace windlass::cli
