#include "cli/embedded_cluster.h"

#include "apiserver/in_process_client.h"
#include "apiserver/server.h"
#include "controllers/disruption/budget_controller.h"
#include "controllers/disruption/stale_marks.h"
#include "controllers/garbage/collector.h"
#include "controllers/job/controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/ttl/controller.h"
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
        garbage_collector(client_env, {stored_kinds()}),
        ttl_controller(client_env, {}),
        pod_gc(client_env, {controllers::pod_gc::writes_with(options.gates)}),
        budget_controller(client_env),
        stale_mark_cleaner(client_env, {}),
        scheduler(client_env, {}),
        agent(env, client, options.node, observer) {
    server.create_system_namespaces();
  }

  static controllers::job::JobController::Options job_options(const ClusterOptions& options);
  static std::vector<const api::Kind*> stored_kinds();

  store::Store store;
  apiserver::Server server;
  apiserver::InProcessClient client;
  client::ClientEnv client_env;
  controllers::job::JobController job_controller;
  controllers::garbage::GarbageCollector garbage_collector;
  controllers::ttl::TtlController ttl_controller;
  controllers::pod_gc::PodGcController pod_gc;
  controllers::disruption::BudgetController budget_controller;
  controllers::disruption::StaleMarkCleaner stale_mark_cleaner;
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

std::vector<const api::Kind*> EmbeddedCluster::Parts::stored_kinds() {
  std::vector<const api::Kind*> stored;
  for (const api::Kind& kind : api::all_kinds()) {
    if (apiserver::find_strategy(kind) != nullptr) {
      stored.push_back(&kind);
    }
  }
  return stored;
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
  parts_->garbage_collector.start();
  parts_->ttl_controller.start();
  parts_->pod_gc.start();
  parts_->budget_controller.start();
  parts_->stale_mark_cleaner.start();
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
