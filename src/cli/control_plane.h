// What `windlass run` and `windlass up` have in common: the API server on a store, the controllers
// and the scheduler, put together once. Everything talks through the API; nothing here takes a
// shortcut. Nodes, the journal and HTTP are the caller's.
//
// Lives on env.executor. The store outlives this; nobody may call the server or the client any more
// when this is destroyed.
#pragma once

#include <memory>
#include <string>

#include "api/feature_gates.h"
#include "apiserver/server.h"
#include "apiserver/system_objects.h"
#include "base/metrics.h"
#include "cli/plane_periods.h"
#include "client/reflector.h"
#include "env/env.h"
#include "store/store.h"

namespace windlass::cli {

struct ControlPlaneOptions {
  api::FeatureGates gates = {};
  PlanePeriods periods = {};
  apiserver::Admission admission = apiserver::Admission::all();
  apiserver::SystemObjects system = {};
  std::string host = {};                         // this machine's name, for events
  std::shared_ptr<MetricRegistry> metrics = {};  // empty: nothing is counted
};

class ControlPlane {
 public:
  ControlPlane(env::Env env, store::Store& store, const ControlPlaneOptions& options);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // Creates what every cluster has, then starts the controllers. After the store is loaded.
  void start();

  apiserver::Server& server();
  client::ApiClient& client();
  // For what else lives on it.
  client::ClientEnv client_env();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace windlass::cli
