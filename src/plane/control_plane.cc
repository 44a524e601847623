#include "plane/control_plane.h"

#include <optional>

#include "apiserver/client/in_process_client.h"
#include "apiserver/event_expiry.h"
#include "apiserver/stored_form.h"
#include "client/roster.h"
#include "controllers/disruption/budget_controller.h"
#include "controllers/disruption/stale_marks.h"
#include "controllers/garbage/collector.h"
#include "controllers/job/controller.h"
#include "controllers/lost_nodes/controller.h"
#include "controllers/namespaces/namespace_controller.h"
#include "controllers/node_lifecycle/controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/taint_eviction/controller.h"
#include "controllers/ttl/controller.h"
#include "scheduler/scheduler.h"

namespace windlass::plane {
namespace {

evidence::AttemptRecorder::Options attempt_options(const ControlPlaneOptions& options) {
  evidence::AttemptRecorder::Options attempts = options.attempts;
  attempts.metrics = options.metrics;
  return attempts;
}

controllers::job::JobController::Options job_options(const ControlPlaneOptions& options,
                                                     controllers::job::AttemptKeeper* attempts) {
  controllers::job::JobController::Options job;
  job.engine = controllers::job::engine_options(options.gates);
  job.engine.backoff_base = options.periods.backoff_base;
  job.engine.backoff_cap = options.periods.backoff_cap;
  job.metrics = options.metrics;
  job.attempts = attempts;
  return job;
}

controllers::pod_gc::PodGcController::Options pod_gc_options(const ControlPlaneOptions& options) {
  controllers::pod_gc::PodGcController::Options pod_gc;
  pod_gc.writes = controllers::pod_gc::writes_with(options.gates);
  pod_gc.period = options.periods.pod_gc_period;
  pod_gc.quarantine = options.periods.pod_gc_quarantine;
  if (options.metrics) {
    const std::vector<std::string> labels = {"namespace", "reason"};
    pod_gc.count = [&tries = options.metrics->counter("pod_gc_collector_force_delete_pods_total",
                                                      "Pods that pod GC tried to delete.", labels),
                    &errors =
                        options.metrics->counter("pod_gc_collector_force_delete_pod_errors_total",
                                                 "Deletions by pod GC that failed.", labels),
                    keep = options.metrics](const std::string& ns, controllers::pod_gc::Sweep sweep,
                                            bool failed) {
      tries.add({ns, name_of(sweep)});
      if (failed) {
        errors.add({ns, name_of(sweep)});
      }
    };
  }
  return pod_gc;
}

controllers::taint_eviction::TaintEvictionController::Options taint_options(
    const ControlPlaneOptions& options) {
  controllers::taint_eviction::TaintEvictionController::Options taints;
  taints.mark_pods = options.gates.enabled(api::Feature::pod_disruption_conditions);
  if (options.metrics) {
    taints.on_deleted =
        [&deletions = options.metrics->counter("taint_eviction_controller_pod_deletions_total",
                                               "Pods deleted by the taint eviction controller."),
         &late = options.metrics->histogram(
             "taint_eviction_controller_pod_deletion_duration_seconds",
             "Time from the planned moment to the deletion.",
             {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240}),
         keep = options.metrics](Duration took) {
          deletions.add({});
          late.observe({}, std::chrono::duration<double>(took).count());
        };
  }
  return taints;
}

scheduler::Scheduler::Options scheduler_options(const ControlPlaneOptions& options) {
  scheduler::Scheduler::Options scheduling = scheduler::options_with(options.gates);
  scheduling.host = options.host;
  if (options.metrics) {
    scheduling.on_preemption =
        [&attempts = options.metrics->counter("scheduler_preemption_attempts_total",
                                              "Attempts to make room by preemption."),
         &chosen = options.metrics->histogram("scheduler_preemption_victims",
                                              "Victims of a preemption.", {1, 2, 4, 8, 16, 32, 64}),
         keep = options.metrics](size_t victims) {
          attempts.add({});
          if (victims > 0) {
            chosen.observe({}, static_cast<double>(victims));
          }
        };
  }
  return scheduling;
}

controllers::node_lifecycle::NodeLifecycleController::Options node_options(
    const PlanePeriods& periods) {
  controllers::node_lifecycle::NodeLifecycleController::Options nodes;
  nodes.period = periods.node_monitor_period;
  nodes.grace = periods.node_monitor_grace;
  nodes.startup_grace = periods.node_startup_grace;
  nodes.evicts_by_taints = periods.pod_eviction_timeout == Duration::zero();
  return nodes;
}

apiserver::Admission admission_with(const ControlPlaneOptions& options) {
  apiserver::Admission admission = options.admission;
  admission.toleration = options.periods.default_toleration;
  return admission;
}

}  // namespace

// In the order of construction; destroyed in reverse.
struct ControlPlane::Parts {
  Parts(env::Env env, store::Store& store, const ControlPlaneOptions& options)
      : system_objects(options.system),
        server(store, env.clock, env.random, options.gates),
        event_expiry(server, env.executor, env.clock),
        client(server, env.executor),
        client_env{client, env.executor, env.clock, env.random, env.log},
        shared_env{client, env.executor, env.clock, env.random, env.log, &rosters},
        attempts(options.ledger == nullptr
                     ? nullptr
                     : std::make_unique<evidence::AttemptRecorder>(client_env, *options.ledger,
                                                                   attempt_options(options))),
        job_controller(client_env, job_options(options, attempts.get())),
        garbage_collector(shared_env, {apiserver::all_stored_kinds()}),
        namespace_controller(shared_env, {.ca_certificate = system_objects.ca_certificate}),
        budget_controller(shared_env),
        stale_mark_cleaner(shared_env, {.timeout = options.periods.stale_mark_timeout}),
        ttl_controller(shared_env, {}),
        pod_gc(shared_env, pod_gc_options(options)),
        node_lifecycle(shared_env, node_options(options.periods)),
        scheduler(shared_env, scheduler_options(options)) {
    server.set_admission(admission_with(options));
    if (const Duration timeout = options.periods.pod_eviction_timeout; timeout > Duration::zero()) {
      lost_nodes.emplace(shared_env, controllers::lost_nodes::LostNodeController::Options{
                                         timeout, options.periods.node_monitor_period});
    } else {
      taint_eviction.emplace(shared_env, taint_options(options));
    }
  }

  const apiserver::SystemObjects system_objects;
  apiserver::Server server;
  apiserver::EventExpiry event_expiry;
  apiserver::InProcessClient client;
  client::ClientEnv client_env;
  client::Rosters rosters;
  // For all but the Job controller, which lists pods after Jobs, so that its pods are never older
  // than the status of its Jobs.
  client::ClientEnv shared_env;
  std::unique_ptr<evidence::AttemptRecorder> attempts;
  controllers::job::JobController job_controller;
  controllers::garbage::GarbageCollector garbage_collector;
  controllers::namespaces::NamespaceController namespace_controller;
  controllers::disruption::BudgetController budget_controller;
  controllers::disruption::StaleMarkCleaner stale_mark_cleaner;
  controllers::ttl::TtlController ttl_controller;
  controllers::pod_gc::PodGcController pod_gc;
  controllers::node_lifecycle::NodeLifecycleController node_lifecycle;
  // One of the two.
  std::optional<controllers::taint_eviction::TaintEvictionController> taint_eviction;
  std::optional<controllers::lost_nodes::LostNodeController> lost_nodes;
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
  if (parts_->taint_eviction) {
    parts_->taint_eviction->start();
  } else {
    parts_->lost_nodes->start();
  }
  parts_->node_lifecycle.start();
  parts_->scheduler.start();
}

apiserver::Server& ControlPlane::server() {
  return parts_->server;
}

client::ApiClient& ControlPlane::client() {
  return parts_->client;
}

const evidence::AttemptRecorder* ControlPlane::attempts() const {
  return parts_->attempts.get();
}

client::ClientEnv ControlPlane::client_env() {
  return parts_->client_env;
}

}  // namespace windlass::plane
