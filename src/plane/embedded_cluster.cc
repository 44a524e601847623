#include "plane/embedded_cluster.h"

#include "base/check.h"
#include "node/agent.h"
#include "plane/control_plane.h"
#include "plane/when_all.h"
#include "store/store.h"

namespace windlass::plane {
namespace {

node::AgentConfig node_config(node::AgentConfig config, const ClusterOptions& options) {
  config.disruption_conditions = options.gates.enabled(api::Feature::pod_disruption_conditions);
  return config;
}

// Longer than the grace period of any pod.
constexpr Duration kNoLimit = hours(24 * 365);

// Pods may name any service account and priority class: a manifest comes without the cluster that
// has them.
constexpr apiserver::Admission kAdmission{.default_tolerations = true};

}  // namespace

struct EmbeddedCluster::Parts {
  Parts(env::Env env, const ClusterOptions& options, node::ContainerObserver* observer)
      : plane(env, store,
              {.gates = options.gates,
               .periods = {options.backoff_base, options.backoff_cap},
               .admission = kAdmission,
               .ledger = options.ledger,
               .attempts = options.attempts}) {
    CHECK(!options.nodes.empty(), "pods need a node");
    for (const EmbeddedNode& node : options.nodes) {
      agents.push_back(std::make_unique<node::Agent>(env, *node.containers, plane.client(),
                                                     node_config(node.config, options), observer,
                                                     options.network, options.host_resources));
    }
  }

  store::Store store;
  ControlPlane plane;
  std::vector<std::unique_ptr<node::Agent>> agents;
};

EmbeddedCluster::EmbeddedCluster(env::Env env, const ClusterOptions& options,
                                 node::ContainerObserver* observer)
    : parts_(std::make_unique<Parts>(env, options, observer)) {}

EmbeddedCluster::~EmbeddedCluster() = default;

client::ApiClient& EmbeddedCluster::client() {
  return parts_->plane.client();
}

client::ClientEnv EmbeddedCluster::client_env() {
  return parts_->plane.client_env();
}

apiserver::Server& EmbeddedCluster::server() {
  return parts_->plane.server();
}

void EmbeddedCluster::start(std::function<void()> on_ready) {
  parts_->plane.start();
  const auto ready = when_all(parts_->agents.size(), std::move(on_ready));
  for (const auto& agent : parts_->agents) {
    agent->start(ready);
  }
}

void EmbeddedCluster::stop(std::function<void()> on_stopped) {
  const auto stopped = when_all(parts_->agents.size(), std::move(on_stopped));
  for (const auto& agent : parts_->agents) {
    agent->stop(kNoLimit, stopped);
  }
}

void EmbeddedCluster::kill() {
  for (const auto& agent : parts_->agents) {
    agent->kill();
  }
}

size_t EmbeddedCluster::running_pods() const {
  size_t pods = 0;
  for (const auto& agent : parts_->agents) {
    pods += agent->running_pods();
  }
  return pods;
}

}  // namespace windlass::plane
