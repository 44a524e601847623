#include "cli/up_control_plane.h"

#include <vector>

#include "apiserver/in_process_client.h"
#include "apiserver/strategy.h"
#include "controllers/disruption/budget_controller.h"
#include "controllers/disruption/stale_marks.h"
#include "controllers/garbage/collector.h"
#include "controllers/job/controller.h"
#include "controllers/namespaces/namespace_controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/ttl/controller.h"
#include "scheduler/scheduler.h"
#include "store/sqlite/sqlite_journal.h"

namespace windlass::cli {
namespace {

std::vector<const api::Kind*> stored_kinds() {
  std::vector<const api::Kind*> stored;
  for (const api::Kind& kind : api::all_kinds()) {
    if (apiserver::find_strategy(kind) != nullptr) {
      stored.push_back(&kind);
    }
  }
  return stored;
}

controllers::job::JobController::Options job_options(const api::FeatureGates& gates) {
  controllers::job::JobController::Options options;
  options.engine = controllers::job::engine_options(gates);
  return options;
}

}  // namespace

// In the order they are made; destroyed the other way round.
struct ControlPlane::Parts {
  Parts(env::Env env, env::Executor& worker, std::unique_ptr<store::RevisionLog> file,
        const api::FeatureGates& gates, const apiserver::SystemObjects& objects)
      : system_objects(objects),
        journal(env.executor, worker, env.log, std::move(file)),
        store(&journal),
        server(store, env.clock, env.random, gates),
        client(server, env.executor),
        client_env{client, env.executor, env.clock, env.random, env.log},
        job_controller(client_env, job_options(gates)),
        garbage_collector(client_env, {stored_kinds()}),
        namespace_controller(client_env, {.ca_certificate = system_objects.ca_certificate}),
        budget_controller(client_env),
        stale_mark_cleaner(client_env, {}),
        ttl_controller(client_env, {}),
        pod_gc(client_env, {controllers::pod_gc::writes_with(gates)}),
        scheduler(client_env, {}) {}

  apiserver::SystemObjects system_objects;
  store::SqliteJournal journal;
  store::Store store;
  apiserver::Server server;
  apiserver::InProcessClient client;
  client::ClientEnv client_env;
  controllers::job::JobController job_controller;
  controllers::garbage::GarbageCollector garbage_collector;
  controllers::namespaces::NamespaceController namespace_controller;
  controllers::disruption::BudgetController budget_controller;
  controllers::disruption::StaleMarkCleaner stale_mark_cleaner;
  controllers::ttl::TtlController ttl_controller;
  controllers::pod_gc::PodGcController pod_gc;
  scheduler::Scheduler scheduler;
};

ControlPlane::ControlPlane(env::Env env, env::Executor& worker,
                           std::unique_ptr<store::RevisionLog> file, const api::FeatureGates& gates,
                           const apiserver::SystemObjects& system)
    : parts_(std::make_unique<Parts>(env, worker, std::move(file), gates, system)) {}

ControlPlane::~ControlPlane() = default;

Result<void> ControlPlane::load() {
  TRY_VOID(parts_->store.load());
  apiserver::create_system_objects(parts_->server, parts_->system_objects);
  parts_->server.set_admission(apiserver::Admission::all());
  return {};
}

void ControlPlane::start_controllers() {
  parts_->job_controller.start();
  parts_->garbage_collector.start();
  parts_->namespace_controller.start();
  parts_->budget_controller.start();
  parts_->stale_mark_cleaner.start();
  parts_->ttl_controller.start();
  parts_->pod_gc.start();
  parts_->scheduler.start();
}

store::Store& ControlPlane::store() {
  return parts_->store;
}

apiserver::Server& ControlPlane::server() {
  return parts_->server;
}

}  // namespace windlass::cli
