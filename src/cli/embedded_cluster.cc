#include "cli/embedded_cluster.h"

#include "apiserver/in_process_client.h"
#include "apiserver/server.h"
#include "controllers/job/controller.h"
#include "node/agent.h"
#include "scheduler/scheduler.h"
#include "store/store.h"

namespace windlass::cli {
namespace {

// Longer than any pod's own grace period, which then decides.
constexpr Duration kNoLimit = hours(24 * 365);

}  // namespace

struct EmbeddedCluster::Parts {
  Parts(env::Env env, const ClusterOptions& options, node::ContainerObserver* observer)
      : server(store, env.clock, env.random, options.gates),
        client(server, env.executor),
        client_env{client, env.executor, env.clock, env.random, env.log},
        job_controller(client_env, job_options(options)),
        scheduler(client_env, {}),
        agent(env, client, options.node, observer) {
    server.create_system_namespaces();
  }

  static controllers::job::JobController::Options job_options(const ClusterOptions& options);

  store::Store store;
  apiserver::Server server;
  apiserver::InProcessClient client;
  client::ClientEnv client_env;
  controllers::job::JobController job_controller;
  scheduler::Scheduler scheduler;
  node::Agent agent;
};

controllers::job::JobController::Options EmbeddedCluster::Parts::job_options(
    const ClusterOptions& options) {
  controllers::job::JobController::Options job;
  job.engine = controllers::job::engine_options(options.gates);
  job.engine.backoff_base = options.backoff_base;
  job.engine.backoff_cap = options.backoff_cap;
  return job;
}

EmbeddedCluster::EmbeddedCluster(env::Env env, const ClusterOptions& options,
                                 node::ContainerObserver* observer)
    : parts_(std::make_unique<Parts>(env, options, observer)) {}

EmbeddedCluster::~EmbeddedCluster() = default;

client::ApiClient& EmbeddedCluster::client() {
  return parts_->client;
}

void EmbeddedCluster::start(std::function<void()> on_ready) {
  parts_->job_controller.start();
  parts_->scheduler.start();
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
