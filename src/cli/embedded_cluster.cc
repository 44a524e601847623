#include "cli/embedded_cluster.h"

#include "cli/control_plane.h"
#include "node/agent.h"
#include "store/store.h"

namespace windlass::cli {
namespace {

node::AgentConfig node_config(const ClusterOptions& options) {
  node::AgentConfig config = options.node;
  config.disruption_conditions = options.gates.enabled(api::Feature::pod_disruption_conditions);
  return config;
}

// Longer than any pod's own grace period, which then decides.
constexpr Duration kNoLimit = hours(24 * 365);

// Pods run with whatever service account and priority class they name: a manifest comes without
// the cluster that has them.
constexpr apiserver::Admission kAdmission{.default_tolerations = true};

}  // namespace

struct EmbeddedCluster::Parts {
  Parts(env::Env env, env::Containers& containers, const ClusterOptions& options,
        node::ContainerObserver* observer)
      : plane(env, store,
              {.gates = options.gates,
               .periods = {options.backoff_base, options.backoff_cap},
               .admission = kAdmission}),
        agent(env, containers, plane.client(), node_config(options), observer, options.network,
              options.supplies) {}

  store::Store store;
  ControlPlane plane;
  node::Agent agent;
};

EmbeddedCluster::EmbeddedCluster(env::Env env, env::Containers& containers,
                                 const ClusterOptions& options, node::ContainerObserver* observer)
    : parts_(std::make_unique<Parts>(env, containers, options, observer)) {}

EmbeddedCluster::~EmbeddedCluster() = default;

client::ApiClient& EmbeddedCluster::client() {
  return parts_->plane.client();
}

void EmbeddedCluster::start(std::function<void()> on_ready) {
  parts_->plane.start();
  parts_->agent.start(std::move(on_ready));
}

void EmbeddedCluster::stop(std::function<void()> on_stopped) {
  parts_->agent.stop(kNoLimit, std::move(on_stopped));
}

void EmbeddedCluster::kill() {
  parts_->agent.kill();
}

size_t EmbeddedCluster::running_pods() const {
  return parts_->agent.running_pods();
}

}  // namespace windlass::cli
