// The parts of a control plane that `windlass up` keeps: the store on its journal, the API server
// and the controllers, without a node. Lives on env.executor. Nobody may call the server any more
// when this is destroyed.
#pragma once

#include <memory>

#include "api/feature_gates.h"
#include "apiserver/server.h"
#include "apiserver/system_objects.h"
#include "env/env.h"
#include "store/sqlite/revision_log.h"
#include "store/store.h"

namespace windlass::cli {

class ControlPlane {
 public:
  // `worker` has a thread of its own and outlives this; the journal's file is written there.
  ControlPlane(env::Env env, env::Executor& worker, std::unique_ptr<store::RevisionLog> file,
               const api::FeatureGates& gates, const apiserver::SystemObjects& system);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // What the file has kept, and what every cluster has. Before anything else.
  Result<void> load();
  void start_controllers();

  store::Store& store();
  apiserver::Server& server();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace windlass::cli
