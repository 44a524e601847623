#include "cli/control_plane.h"

#include "apiserver/event_expiry.h"
#include "apiserver/in_process_client.h"
#include "apiserver/stored_form.h"
#include "controllers/disruption/budget_controller.h"
#include "controllers/disruption/stale_marks.h"
#include "controllers/garbage/collector.h"
#include "controllers/job/controller.h"
#include "controllers/namespaces/namespace_controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/ttl/controller.h"
#include "scheduler/scheduler.h"

namespace windlass::cli {
namespace {

controllers::job::JobController::Options job_options(const ControlPlaneOptions& options) {
  controllers::job::JobController::Options job;
  job.engine = controllers::job::engine_options(options.gates);
  job.engine.backoff_base = options.backoff_base;
  job.engine.backoff_cap = options.backoff_cap;
  return job;
}

}  // namespace

// In the order they are made; destroyed the other way round.
struct ControlPlane::Parts {
  Parts(env::Env env, store::Store& store, const ControlPlaneOptions& options)
      : system_objects(options.system),
        server(store, env.clock, env.random, options.gates),
        event_expiry(server, env.executor, env.clock),
        client(server, env.executor),
        client_env{client, env.executor, env.clock, env.random, env.log},
        job_controller(client_env, job_options(options)),
        garbage_collector(client_env, {apiserver::all_stored_kinds()}),
        namespace_controller(client_env, {.ca_certificate = system_objects.ca_certificate}),
        budget_controller(client_env),
        stale_mark_cleaner(client_env, {}),
        ttl_controller(client_env, {}),
        pod_gc(client_env, {controllers::pod_gc::writes_with(options.gates)}),
        scheduler(client_env, scheduler::options_with(options.gates)) {
    server.set_admission(options.admission);
  }

  const apiserver::SystemObjects system_objects;
  apiserver::Server server;
  apiserver::EventExpiry event_expiry;
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

ControlPlane::ControlPlane(env::Env env, store::Store& store, const ControlPlaneOptions& options)
    : parts_(std::make_unique<Parts>(env, store, options)) {}

ControlPlane::~ControlPlane() = default;

void ControlPlane::start() {
  apiserver::create_system_objects(parts_->server, parts_->system_objects);
  parts_->job_controller.start();
  parts_->garbage_collector.start();
  parts_->namespace_controller.start();
  parts_->budget_controller.start();
  parts_->stale_mark_cleaner.start();
  parts_->ttl_controller.start();
  parts_->pod_gc.start();
  parts_->scheduler.start();
}

apiserver::Server& ControlPlane::server() {
  return parts_->server;
}

client::ApiClient& ControlPlane::client() {
  return parts_->client;
}

}  // namespace windlass::cli
