#include "verify/simulation/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apiserver/stored_form.h"
#include "base/hash.h"
#include "controllers/disruption/budget_controller.h"
#include "controllers/disruption/stale_marks.h"
#include "controllers/garbage/collector.h"
#include "controllers/job/controller.h"
#include "controllers/namespaces/namespace_controller.h"
#include "controllers/node_lifecycle/controller.h"
#include "controllers/pod_gc/controller.h"
#include "controllers/taint_eviction/controller.h"
#include "controllers/ttl/controller.h"
#include "scheduler/scheduler.h"
#include "verify/simulation/component.h"

namespace windlass::verify::simulation {
namespace {

using controllers::disruption::BudgetController;
using controllers::disruption::StaleMarkCleaner;
using controllers::garbage::GarbageCollector;
using controllers::job::JobController;
using controllers::namespaces::NamespaceController;
using controllers::node_lifecycle::NodeLifecycleController;
using controllers::pod_gc::PodGcController;
using controllers::taint_eviction::TaintEvictionController;
using controllers::ttl::TtlController;
using scheduler::Scheduler;

const api::Kind* kind_of(std::string_view resource) {
  for (const api::Kind& kind : api::all_kinds()) {
    if (kind.plural == resource) {
      return &kind;
    }
  }
  return nullptr;
}

uint64_t generator_seed(uint64_t seed) {
  StableHash hash;
  hash.add(seed);
  hash.add("latency");
  return hash.value();
}

std::string_view name_of(store::Change change) {
  return change == store::Change::created   ? "created"
         : change == store::Change::updated ? "updated"
                                            : "deleted";
}

std::string summary(const PodSnapshot& pod) {
  std::string text = " " + pod.phase;
  text += pod.index ? fmt::format(" index {}", *pod.index) : "";
  text += pod.deleting ? " deleting" : "";
  text += pod.finalizer ? "" : " free";
  text += pod.dropped ? " dropped" : "";
  text += has_true(pod.conditions, "DisruptionTarget") ? " disrupted" : "";
  return text + (pod.failure_count != 0 ? fmt::format(" failures {}", pod.failure_count) : "");
}

std::string summary(const JobSnapshot& job) {
  std::string text =
      fmt::format(" active {} succeeded {} failed {} uncounted {}/{}", job.active, job.succeeded,
                  job.failed, job.uncounted_succeeded.size(), job.uncounted_failed.size());
  text += job.completed_text.empty() ? "" : " completed " + job.completed_text;
  text += job.failed_text.empty() ? "" : " failedIndexes " + job.failed_text;
  for (const ConditionSnapshot& condition : job.conditions) {
    text += fmt::format(" {}={}", condition.type, condition.status);
  }
  return text + (job.suspend ? " suspend" : "") + (job.deleting ? " deleting" : "");
}

}  // namespace

TestedCluster::TestedCluster(uint64_t seed, const TestedClusterOptions& options,
                             FaultSource& faults)
    : options_(options),
      world_(seed),
      faults_(faults),
      generator_(generator_seed(seed)),
      monitors_(all_monitors(options.allowances)),
      host_(world_, {options.gates, options.limits, options.commit_delay},
            [this](std::string_view resource, const store::VersionPtr& version,
                   const WriteOrigin& writer) { on_commit(resource, version, writer); }),
      ledger_(world_, seed, history_) {
  add_controllers();
  for (const SimulatedNodeOptions& node : options_.nodes) {
    add(node.name, [this, node](const client::ClientEnv& env) {
      SimulatedNodeOptions node_options = node;
      node_options.disruption_conditions =
          options_.gates.enabled(api::Feature::pod_disruption_conditions);
      return node_options.hollow ? make_hollow_node(env, node_options, scripts_, history_)
                                 : make_node(env, node_options, scripts_, history_);
    });
  }
}

TestedCluster::~TestedCluster() {
  components_.clear();
  world_.executor("control").clear();
  world_.executor("ledger").clear();
}

void TestedCluster::add(const std::string& name, Component::Factory factory) {
  Component::Surroundings around{
      world_,
      host_,
      faults_,
      generator_,
      options_.latency,
      [this, name](const std::string& what, const Status& status) {
        if (what.starts_with("update jobs/status")) {
          report_.broken("C8", fmt::format("{}: {}: {}", name, what, status.message));
        }
      },
      [this](Component& component) {
        start_later(component.name(), milliseconds(generator_.between(100, 20'000)));
      }};
  components_.push_back(std::make_unique<Component>(name, std::move(around), std::move(factory)));
}

void TestedCluster::add_controllers() {
  const auto add_job_controller = [this](std::string_view name) {
    add(std::string(name), [this](const client::ClientEnv& env) {
      JobController::Options job;
      job.engine = controllers::job::engine_options(options_.gates);
      return std::make_unique<RecordingJobController>(env, ledger_, job, options_.elected);
    });
  };
  add_job_controller(kJobController);
  if (options_.allowances.several_controllers || options_.elected) {
    add_job_controller(kSecondJobController);
  }
  add("garbage-collector", [](const client::ClientEnv& env) {
    return std::make_unique<ControllerProcess<GarbageCollector>>(
        env, GarbageCollector::Options{apiserver::all_stored_kinds()});
  });
  add("ttl", [](const client::ClientEnv& env) {
    return std::make_unique<ControllerProcess<TtlController>>(env, TtlController::Options{});
  });
  add("pod-gc", [this](const client::ClientEnv& env) {
    PodGcController::Options gc;
    gc.writes = controllers::pod_gc::writes_with(options_.gates);
    return std::make_unique<ControllerProcess<PodGcController>>(env, gc);
  });
  add("budgets", [](const client::ClientEnv& env) {
    return std::make_unique<ControllerProcess<BudgetController>>(env);
  });
  add("stale-marks", [](const client::ClientEnv& env) {
    return std::make_unique<ControllerProcess<StaleMarkCleaner>>(env, StaleMarkCleaner::Options{});
  });
  add("namespaces", [](const client::ClientEnv& env) {
    return std::make_unique<ControllerProcess<NamespaceController>>(env,
                                                                    NamespaceController::Options{});
  });
  add(std::string(kTaintEviction), [this](const client::ClientEnv& env) {
    TaintEvictionController::Options taints;
    taints.mark_pods = options_.gates.enabled(api::Feature::pod_disruption_conditions);
    return std::make_unique<ControllerProcess<TaintEvictionController>>(env, taints);
  });
  add(std::string(kNodeLifecycle), [](const client::ClientEnv& env) {
    return std::make_unique<ControllerProcess<NodeLifecycleController>>(
        env, NodeLifecycleController::Options{});
  });
  add("scheduler", [this](const client::ClientEnv& env) {
    return std::make_unique<ControllerProcess<Scheduler>>(env,
                                                          scheduler::options_with(options_.gates));
  });
}

void TestedCluster::start() {
  host_.start();
  for (const auto& component : components_) {
    component->start();
  }
}

Component* TestedCluster::component(std::string_view name) {
  for (const auto& component : components_) {
    if (component->name() == name) {
      return component.get();
    }
  }
  return nullptr;
}

std::vector<std::string> TestedCluster::component_names() const {
  std::vector<std::string> names;
  for (const auto& component : components_) {
    names.push_back(component->name());
  }
  return names;
}

void TestedCluster::start_later(const std::string& name, Duration delay) {
  world_.executor("control").schedule(delay, [this, name] {
    if (name == kApiServer) {
      if (!host_.is_up()) {
        host_.start();
      }
    } else {
      component(name)->start();
    }
  });
}

void TestedCluster::crash(const std::string& name, Duration down_for) {
  if (name == kApiServer) {
    if (!host_.is_up()) {
      return;
    }
    host_.crash();
  } else if (Component* found = component(name)) {
    found->crash();
  } else {
    return;
  }
  start_later(name, down_for);
}

void TestedCluster::pause(const std::string& name, Duration length) {
  if (Component* found = component(name); found != nullptr && found->is_up()) {
    const uint64_t life = found->lives();
    found->executor().pause();
    world_.executor("control").schedule(length, [found, life] {
      if (found->lives() == life && found->is_up()) {
        found->executor().resume();
      }
    });
  }
}

void TestedCluster::restart_with(const api::FeatureGates& gates) {
  options_.gates = gates;
  for (const auto& component : components_) {
    component->crash();
  }
  if (host_.is_up()) {
    host_.crash();
  }
  host_.set_gates(gates);
  host_.start();
  for (const auto& component : components_) {
    component->start();
  }
}

void TestedCluster::heal() {
  faults_.heal();
  if (!host_.is_up()) {
    host_.start();
  }
  for (const auto& component : components_) {
    component->executor().resume();
    component->start();
  }
}

void TestedCluster::on_commit(std::string_view resource, const store::VersionPtr& version,
                              const WriteOrigin& writer) {
  world_.trace(fmt::format("{} {} {} {}", version->revision(), resource, version->key(),
                           name_of(version->change())));
  keep_log(resource, *version, writer);
  if (resource != "leases" && resource != "nodes") {
    ++changes_;
  }
  if (resource == "nodes") {
    on_node(version);
  }
  const bool is_pod = resource == "pods";
  if (!is_pod && resource != "jobs") {
    return;
  }
  const api::ObjectPtr object = host_.server().decode(*kind_of(resource), *version);
  const bool gone = version->is_deletion();
  const bool is_new = version->change() == store::Change::created;
  if (!gone) {
    log_.back() += is_pod ? summary(read_pod_snapshot(object)) : summary(read_job_snapshot(object));
  }
  const Moment moment{world_.clock().now(), world_.clock().monotonic()};
  if (is_pod) {
    const PodSnapshot after = read_pod_snapshot(object);
    const PodLife* known = history_.pod(after.uid);
    const PodSnapshot before = known != nullptr ? known->now : PodSnapshot();
    on_pod({is_new ? nullptr : &before, gone ? nullptr : &after, writer, moment});
  } else {
    const JobSnapshot after = read_job_snapshot(object);
    const JobLife* known = history_.job(after.uid);
    const JobSnapshot before = known != nullptr ? known->now : JobSnapshot();
    on_job({is_new ? nullptr : &before, gone ? nullptr : &after, writer, moment});
  }
}

void TestedCluster::on_node(const store::VersionPtr& version) {
  const api::ObjectPtr node = host_.server().decode(api::kinds::node(), *version);
  const NodeSnapshot facts = read_node_snapshot(*node);
  history_.on_node(facts, !version->is_deletion(), world_.clock().monotonic());
  log_.back() += fmt::format(" ready {}{}", facts.ready, facts.evicts ? " evicting" : "");
  if (facts.ready == "Unknown") {
    sightings_.see("node silent");
  }
}

void TestedCluster::on_job(const JobChange& change) {
  history_.on_job(change);
  sightings_.on_job(change, history_);
  for (const auto& monitor : monitors_) {
    monitor->on_job(change, history_, report_);
  }
}

void TestedCluster::on_pod(const PodChange& change) {
  history_.on_pod(change);
  sightings_.on_pod(change, history_);
  for (const auto& monitor : monitors_) {
    monitor->on_pod(change, history_, report_);
  }
}

void TestedCluster::keep_log(std::string_view resource, const store::Version& version,
                             const WriteOrigin& writer) {
  const Duration since = world_.clock().monotonic().time_since_epoch() - hours(1);
  std::string line =
      fmt::format("{:>10} {:<16} {} {} {} ({})", format_duration(since),
                  writer.component.empty() ? "user" : writer.component, name_of(version.change()),
                  resource, version.key(), version.revision());
  if (resource != "leases" && resource != "nodes") {
    last_change_ = line;
  }
  if (resource == "leases" || resource == "events") {
    return;
  }
  if (log_.size() == kMaxLog) {
    log_.pop_front();
  }
  log_.push_back(std::move(line));
}

}  // namespace windlass::verify::simulation
