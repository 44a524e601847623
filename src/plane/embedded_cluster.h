// A whole cluster in this process: a control plane on a store in memory, and node agents. All parts
// communicate through the API.
//
// Lives on env.executor. Owns all its parts but the containers, which may outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "apiserver/server.h"
#include "base/time.h"
#include "client/api_client.h"
#include "client/reflector.h"
#include "env/containers.h"
#include "env/env.h"
#include "env/host_resources.h"
#include "env/network_checks.h"
#include "evidence/attempt_recorder.h"
#include "ledger/ledger.h"
#include "node/config.h"

namespace windlass::plane {

struct EmbeddedNode {
  node::AgentConfig config;
  env::Containers* containers = nullptr;  // outlives the cluster
};

struct ClusterOptions {
  api::FeatureGates gates;
  Duration backoff_base = seconds(10);
  Duration backoff_cap = minutes(10);
  std::vector<EmbeddedNode> nodes;               // at least one
  env::NetworkChecks* network = nullptr;         // outlives the cluster
  env::HostResources* host_resources = nullptr;  // outlives the cluster
  // Where attempts of Jobs are recorded; outlives the cluster. Null: nowhere.
  ledger::Ledger* ledger = nullptr;
  evidence::AttemptRecorder::Options attempts = {};
};

class EmbeddedCluster {
 public:
  EmbeddedCluster(env::Env env, const ClusterOptions& options,
                  node::ContainerObserver* observer = nullptr);
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  client::ApiClient& client();
  // For further clients on the same executor.
  client::ClientEnv client_env();
  apiserver::Server& server();

  // `on_ready` runs once all nodes are registered and pods can be placed.
  void start(std::function<void()> on_ready);
  // Starts no more pods, ends all within their own grace period, then calls `on_stopped`.
  void stop(std::function<void()> on_stopped);
  // Stops waiting for grace periods. After stop().
  void kill();
  size_t running_pods() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace windlass::plane
