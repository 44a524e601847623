// The API server on a store, the controllers and the scheduler, composed once for `windlass run`,
// `windlass up` and `windlass simulate`. All parts communicate through the API. The caller adds
// nodes, the journal and HTTP.
//
// Lives on env.executor. The store outlives this; the server and the client end with it.
#pragma once

#include <memory>
#include <string>

#include "api/feature_gates.h"
#include "apiserver/server.h"
#include "apiserver/system_objects.h"
#include "base/metrics.h"
#include "client/reflector.h"
#include "env/env.h"
#include "evidence/attempt_recorder.h"
#include "ledger/ledger.h"
#include "plane/plane_periods.h"
#include "store/store.h"

namespace windlass::plane {

struct ControlPlaneOptions {
  api::FeatureGates gates = {};
  PlanePeriods periods = {};
  apiserver::Admission admission = apiserver::Admission::all();
  apiserver::SystemObjects system = {};
  std::string host = {};                         // this machine's name, for events
  std::shared_ptr<MetricRegistry> metrics = {};  // null: no metrics
  // Where attempts of Jobs are recorded; outlives the control plane. Null: nowhere.
  ledger::Ledger* ledger = nullptr;
  evidence::AttemptRecorder::Options attempts = {};
};

class ControlPlane {
 public:
  ControlPlane(env::Env env, store::Store& store, const ControlPlaneOptions& options);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // Creates the system objects, then starts the controllers. After the store is loaded.
  void start();

  apiserver::Server& server();
  client::ApiClient& client();
  // For further clients on the same executor.
  client::ClientEnv client_env();
  // Null without a ledger.
  const evidence::AttemptRecorder* attempts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace windlass::plane
