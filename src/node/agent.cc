#include "node/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

#include "base/quantity.h"
#include "node/callback.h"
#include "node/pod_files.h"

namespace windlass::node {

namespace {

// On the Node: what its containers do not get, in sentences.
constexpr const char* kMissingAnnotation = "windlass.dev/missing-isolation";

HostFacts host_facts(const AgentConfig& config) {
  HostFacts facts;
  facts.host_ip = config.address;
  facts.pod_ip = config.address;
  facts.base_environment = config.base_environment;
  for (const auto& [name, amount] : config.capacity) {
    if (const Result<Quantity> quantity = Quantity::parse(amount)) {
      facts.allocatable.emplace(name, quantity->milli_value());
    }
  }
  return facts;
}

client::Collection pods_of(const std::string& node) {
  return {&api::kinds::pod(), "", "", "spec.nodeName=" + node};
}

}  // namespace

Agent::Agent(env::Env env, env::Containers& containers, client::ApiClient& api, AgentConfig config,
             ContainerObserver* observer, env::NetworkChecks* network, env::Supplies* supplies)
    : env_(env),
      containers_(containers),
      api_(api),
      config_(std::move(config)),
      facts_(host_facts(config_)),
      observer_(observer),
      network_(network),
      events_({api_, env_.executor, env_.clock, env_.random, env_.log}, "kubelet",
              config_.node_name),
      registration_({api_, env_.executor, env_.clock, env_.random, env_.log}, config_),
      heartbeats_({api_, env_.executor, env_.clock, env_.random, env_.log}, config_.heartbeats),
      shutdown_({env_.executor, [this] { return live_pods(); },
                 [this](const std::string& uid, Duration grace) {
                   if (const auto found = workers_.find(uid); found != workers_.end()) {
                     found->second->stop(grace);
                   }
                 }},
                config_.shutdown),
      shutdown_mark_(env_.files, config_.data_dir),
      node_watch_({api_, env_.executor, env_.clock, env_.random, env_.log}, config_.node_name,
                  [this](bool ordered) {
                    ordered_ = ordered;
                    consider_shutdown();
                  }),
      pods_({api_, env_.executor, env_.clock, env_.random, env_.log}, pods_of(config_.node_name),
            [](const api::Message& pod) {
              return BoundPod{read_plan(pod), read_seen(pod)};
            }),
      self_(std::make_shared<Agent*>(this)) {
  for (const auto& [name, amount] : config_.capacity) {
    const Quantity quantity = Quantity::parse(amount).value_or(Quantity());
    placement::set_amount(allocatable_, name, quantity);
    max_pods_ = name == "pods" ? quantity.value() : max_pods_;
  }
  if (supplies != nullptr) {
    pressure_ = std::make_unique<PressureEviction>(pressure_host(*supplies), config_);
  }
  pods_.add_handler({[this](const BoundPod& pod) { on_pod(pod); },
                     [this](const BoundPod&, const BoundPod& pod) { on_pod(pod); },
                     [this](const BoundPod& pod) { on_pod_gone(pod); }});
  pods_.when_synced([this] {
    sweep();
    forget_shutdown();
    consider_shutdown();
    admit_waiting();
    node_watch_.tell_orders();  // whom one would end is known by now
    if (pressure_) {
      pressure_->start();
    }
    finish_stop();
  });
}

Agent::~Agent() {
  env_.executor.cancel(pods_timer_);
}

// Nothing is said of the node before it is known what runs on it and what it can give.
void Agent::start(std::function<void()> on_registered) {
  on_registered_ = std::move(on_registered);
  containers_.support(guarded(self_, &Agent::on_support));
}

void Agent::on_support(const env::ContainerSupport& support) {
  support_ = support;
  // Pods have theirs in it.
  const std::string work = config_.data_dir + "/pods";
  if (const Result<void> made = env_.files.make_directory(work); !made) {
    env_.log.warning("a directory cannot be made",
                     {{"path", work}, {"error", made.error().message}});
  }
  if (!support.missing.empty()) {
    config_.annotations[kMissingAnnotation] = fmt::format("{}", fmt::join(support.missing, "; "));
  }
  containers_.list(guarded(self_, &Agent::on_runs));
}

void Agent::on_runs(const std::vector<env::ContainerRunInfo>& runs) {
  found_runs_ = group_runs(runs);
  was_shut_down_ = shutdown_mark_.read();
  registration_.start([this] {
    heartbeats_.add(config_.node_name, registration_.uid());
    // A Lease without its Node would only be collected again.
    registration_.keep_current([this](bool there) {
      heartbeats_.set_owner(config_.node_name, registration_.uid());
      heartbeats_.set_silent(config_.node_name, !there);
    });
    node_watch_.start([this] { pods_.start(); });
    look_at_pods_later();
    if (on_registered_) {
      on_registered_();
    }
  });
}

void Agent::look_at_pods_later() {
  pods_timer_ = env_.executor.schedule(config_.storage_check, [this] {
    for (const auto& [uid, worker] : workers_) {
      worker->check_storage();
      worker->reconcile();
    }
    look_at_pods_later();
  });
}

// What an earlier agent left of pods that are gone, or over: runs, directories, logs.
void Agent::sweep() {
  for (const auto& [uid, pod] : std::exchange(found_runs_, {})) {
    for (const auto& [container, attempts] : pod) {
      for (const auto& [attempt, run] : attempts) {
        containers_.signal(run.id, SIGKILL);
        containers_.forget(run.id);
      }
    }
  }
  std::set<std::string> known;
  pods_.for_each([&known](const std::string&, const BoundPod& pod) { known.insert(pod.plan.uid); });
  remove_leftover_files(
      env_.files, env_.log, config_.data_dir,
      [this](const std::string& uid) { return workers_.contains(uid); },
      [&known](const std::string& uid) { return known.contains(uid); });
}

void Agent::on_pod(const BoundPod& pod) {
  const auto found = workers_.find(pod.plan.uid);
  if (found != workers_.end()) {
    found->second->observe(pod.seen);
    found->second->take_up(pod.plan);
    return;
  }
  const bool has_run = found_runs_.contains(pod.plan.uid);
  const bool over = is_terminal_phase(pod.seen.phase) && !pod.seen.deleting;
  if (stopping_ || (over && !has_run)) {
    return;  // nothing to run, nothing to say
  }
  const bool is_new = !has_run && !pod.seen.start_time && !pod.seen.deleting;
  if (!is_new) {
    run(pod);
  } else if (!pods_.has_synced()) {
    waiting_.push_back(pod);
  } else {
    admit(pod, false);
  }
}

PodWorker& Agent::add_worker(const BoundPod& pod) {
  auto worker = std::make_unique<PodWorker>(
      WorkerHost{env_, containers_, support_, api_, config_, facts_, events_, observer_, network_},
      pod.plan, pod.seen, [this, uid = pod.plan.uid] { on_worker_done(uid); });
  return *workers_.emplace(pod.plan.uid, std::move(worker)).first->second;
}

void Agent::take_ports(const PodPlan& plan) {
  if (machine_ports_ == nullptr || plan.needs.host_ports.empty()) {
    return;
  }
  MachinePorts::Holder holder{config_.node_name, plan.ns + "/" + plan.name, plan.needs.host_ports};
  if (const auto conflict = machine_ports_->conflict(holder)) {
    events_.warning({"v1", "Pod", plan.ns, plan.name, plan.uid, ""}, "HostPortConflict", *conflict);
  }
  machine_ports_->take(plan.uid, std::move(holder));
}

void Agent::run(const BoundPod& pod) {
  take_ports(pod.plan);
  PodWorker& worker = add_worker(pod);
  const auto found_runs = found_runs_.extract(pod.plan.uid);
  takers_.insert(pod.plan.uid);
  const PodRuns runs = found_runs.empty() ? PodRuns() : found_runs.mapped();
  if (was_shut_down_ && ended_by_shutdown(runs, *was_shut_down_)) {
    ended_by_that_.insert(pod.plan.uid);
    worker.start(runs, PodWorker::Begin::shut_down);
    return;
  }
  worker.start(runs);
}

void Agent::on_pod_gone(const BoundPod& pod) {
  if (const auto found = workers_.find(pod.plan.uid); found != workers_.end()) {
    found->second->forget();
  } else if (!config_.keep_logs) {
    PodFiles(env_.files, env_.log, config_.data_dir, pod.plan.ns, pod.plan.name, pod.plan.uid)
        .remove_logs();
  }
}

void Agent::on_worker_done(const std::string& uid) {
  if (machine_ports_ != nullptr) {
    machine_ports_->release(uid);
  }
  const auto found = workers_.find(uid);
  if (found != workers_.end() && found->second->forgotten()) {
    workers_.erase(found);
  }
  ended_by_that_.erase(uid);
  forget_shutdown();
  shutdown_.look_again();
  admit_held();
  finish_stop();
}

void Agent::warn_if_failed(const Result<void>& marked) {
  if (!marked) {
    env_.log.warning("whether the node shuts down cannot be written down",
                     {{"error", marked.error().message}});
  }
}

// Once nobody needs to know of it any more.
void Agent::forget_shutdown() {
  if (was_shut_down_ && pods_.has_synced() && ended_by_that_.empty() && !going_down_) {
    was_shut_down_.reset();
    warn_if_failed(shutdown_mark_.clear());
  }
}

void Agent::stop(Duration grace, std::function<void()> on_stopped) {
  stopping_ = true;
  on_stopped_ = std::move(on_stopped);
  for (const auto& [uid, worker] : workers_) {
    worker->stop(grace);
  }
  finish_stop();
}

void Agent::shut_down(std::function<void()> on_done) {
  on_stopped_ = std::move(on_done);
  if (!std::exchange(going_down_, true)) {
    warn_if_failed(shutdown_mark_.set(env_.clock.now()));
  }
  consider_shutdown();
  finish_stop();
}

void Agent::stay_up() {
  on_stopped_ = nullptr;
  going_down_ = false;
  warn_if_failed(shutdown_mark_.clear());
  consider_shutdown();
}

// K-71, K-72. Before it is known whose containers run here they cannot be ended with a word.
void Agent::consider_shutdown() {
  if (!pods_.has_synced()) {
    return;
  }
  const bool wanted = ordered_ || going_down_;
  if (wanted == shutdown_.active()) {
    return;
  }
  if (wanted) {
    events_.normal(node_target(), "Shutdown", "Shutdown manager detected shutdown event");
    shutdown_.begin();
  } else {
    shutdown_.cancel();
    events_.normal(node_target(), "Shutdown", "Shutdown manager detected shutdown cancellation");
  }
  say_health();
}

std::vector<NodeShutdown::Pod> Agent::live_pods() const {
  std::vector<NodeShutdown::Pod> pods;
  for (const auto& [uid, worker] : workers_) {
    if (!worker->stopped()) {
      pods.push_back({uid, worker->plan().priority});
    }
  }
  return pods;
}

client::EventTarget Agent::node_target() const {
  return {"v1", "Node", "", config_.node_name, registration_.uid(), ""};
}

void Agent::say_health() {
  registration_.set_health({pressed_.memory, pressed_.disk, pressed_.pids, shutdown_.active()});
}

PressureEviction::Host Agent::pressure_host(env::Supplies& supplies) {
  return {env_.executor,
          env_.clock,
          containers_,
          supplies,
          [this] {
            std::vector<PodWorker*> pods;
            for (const auto& [uid, worker] : workers_) {
              if (!worker->stopped()) {
                pods.push_back(worker.get());
              }
            }
            return pods;
          },
          [this] { return reclaim_disk(); },
          [this](const pressure::Conditions& conditions) { on_pressure(conditions); },
          [this](std::string_view resource) {
            events_.warning(node_target(), "EvictionThresholdMet",
                            fmt::format("Attempting to reclaim {}", resource));
          }};
}

// K-58.
void Agent::on_pressure(const pressure::Conditions& conditions) {
  const auto say = [this](bool before, bool now, const char* pressed, const char* relieved) {
    if (before != now) {
      const char* reason = now ? pressed : relieved;
      events_.normal(node_target(), reason,
                     fmt::format("Node {} status is now: {}", config_.node_name, reason));
    }
  };
  const pressure::Conditions before = std::exchange(pressed_, conditions);
  say(before.memory, pressed_.memory, "NodeHasInsufficientMemory", "NodeHasSufficientMemory");
  say(before.disk, pressed_.disk, "NodeHasDiskPressure", "NodeHasNoDiskPressure");
  say(before.pids, pressed_.pids, "NodeHasInsufficientPID", "NodeHasSufficientPID");
  say_health();
}

// The logs of pods that have ended are all that is left of them.
bool Agent::reclaim_disk() {
  bool any = false;
  if (config_.keep_logs) {
    return any;
  }
  pods_.for_each([this, &any](const std::string&, const BoundPod& pod) {
    const auto found = workers_.find(pod.plan.uid);
    const bool over = found == workers_.end() || found->second->done();
    if (over && is_terminal_phase(pod.seen.phase)) {
      PodFiles files(env_.files, env_.log, config_.data_dir, pod.plan.ns, pod.plan.name,
                     pod.plan.uid);
      const bool had_logs = files.has_logs();
      files.remove_logs();
      any = any || (had_logs && !files.has_logs());
    }
  });
  return any;
}

void Agent::finish_stop() {
  if (going_down_ && !pods_.has_synced()) {
    return;
  }
  const auto done = [](const auto& entry) { return entry.second->done(); };
  if (on_stopped_ && std::all_of(workers_.begin(), workers_.end(), done)) {
    if (going_down_) {
      warn_if_failed(shutdown_mark_.clear());
    }
    env_.executor.post(std::exchange(on_stopped_, nullptr));
  }
}

void Agent::kill() {
  for (const auto& [uid, worker] : workers_) {
    worker->kill();
  }
}

size_t Agent::running_pods() const {
  return static_cast<size_t>(std::count_if(workers_.begin(), workers_.end(), [](const auto& entry) {
    return !entry.second->stopped();
  }));
}

}  // namespace windlass::node
