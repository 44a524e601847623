#include "node/agent.h"

#include <fmt/format.h>

#include <csignal>
#include <set>
#include <utility>

#include "base/quantity.h"
#include "node/pod/pod_files.h"

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
             ContainerObserver* observer, env::NetworkChecks* network,
             env::HostResources* host_resources)
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
      workers_(worker_host(), [this](const std::string& uid) { on_worker_done(uid); }),
      shutdown_(shutdown_host(), config_),
      node_watch_({api_, env_.executor, env_.clock, env_.random, env_.log}, config_.node_name,
                  [this](bool ordered) { shutdown_.set_ordered(ordered); }),
      admission_(admission_host()),
      pods_({api_, env_.executor, env_.clock, env_.random, env_.log}, pods_of(config_.node_name),
            [](const api::Message& pod) {
              return BoundPod{read_spec(pod), read_seen(pod)};
            }) {
  if (host_resources != nullptr) {
    pressure_ = std::make_unique<PressureEviction>(pressure_host(*host_resources), config_);
  }
  pods_.add_handler({[this](const BoundPod& pod) { on_pod(pod); },
                     [this](const BoundPod&, const BoundPod& pod) { on_pod(pod); },
                     [this](const BoundPod& pod) { on_pod_gone(pod); }});
  pods_.when_synced([this] { on_synced(); });
}

WorkerHost Agent::worker_host() {
  return {env_, containers_, support_, api_, config_, facts_, events_, observer_, network_};
}

ShutdownManager::Host Agent::shutdown_host() {
  return {
      env_,
      [this] {
        std::vector<NodeShutdown::Pod> pods;
        for (const PodWorker* worker : workers_.live()) {
          pods.push_back({worker->spec().uid, worker->spec().priority});
        }
        return pods;
      },
      [this](const std::string& uid, Duration grace) {
        if (PodWorker* worker = workers_.find(uid)) {
          worker->stop(grace);
        }
      },
      [this](const std::string& message) { events_.normal(node_target(), "Shutdown", message); },
      [this] { report_health(); }};
}

PodAdmission::Host Agent::admission_host() {
  return {config_,
          workers_,
          node_watch_,
          support_,
          pressed_,
          shutdown_,
          [this](const std::string& ns, const std::string& name) { return pods_.find(ns, name); },
          [this](const BoundPod& pod) { run(pod); }};
}

Agent::~Agent() {
  env_.executor.cancel(pods_timer_);
}

// Nothing is said of the node before it is known what runs on it and what it can give.
void Agent::start(std::function<void()> on_registered) {
  on_registered_ = std::move(on_registered);
  containers_.support(self_.bind(&Agent::on_support));
}

void Agent::on_support(const env::ContainerSupport& support) {
  support_ = support;
  // Pods have theirs in it.
  const std::string work = config_.data_dir + "/pods";
  if (const Result<void> made = env_.files.make_directory(work); !made) {
    env_.log.warning("making a directory failed",
                     {{"path", work}, {"error", made.error().message}});
  }
  if (!support.missing.empty()) {
    config_.annotations[kMissingAnnotation] = fmt::format("{}", fmt::join(support.missing, "; "));
  }
  containers_.list(self_.bind(&Agent::on_runs));
}

void Agent::on_runs(const std::vector<env::ContainerRunInfo>& runs) {
  found_runs_ = group_runs(runs);
  shutdown_.load();
  registration_.start([this] {
    heartbeats_.add(config_.node_name, registration_.uid());
    // A Lease without its Node would only be collected again.
    registration_.keep_current([this](bool there) {
      heartbeats_.set_owner(config_.node_name, registration_.uid());
      heartbeats_.set_silent(config_.node_name, !there);
    });
    node_watch_.start([this] { pods_.start(); });
    check_pods_later();
    if (on_registered_) {
      on_registered_();
    }
  });
}

void Agent::check_pods_later() {
  pods_timer_ = env_.executor.schedule(config_.storage_check, [this] {
    workers_.check();
    check_pods_later();
  });
}

void Agent::on_synced() {
  sweep();
  shutdown_.begin();
  for (const BoundPod& pod : admission_.take_deferred()) {
    on_pod(pod);
  }
  node_watch_.tell_orders();  // the pods that a shutdown would end are known by now
  if (pressure_) {
    pressure_->start();
  }
  finish_stop();
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
  pods_.for_each([&known](const std::string&, const BoundPod& pod) { known.insert(pod.spec.uid); });
  remove_leftover_files(
      env_.files, env_.log, config_.data_dir,
      [this](const std::string& uid) { return workers_.find(uid) != nullptr; },
      [&known](const std::string& uid) { return known.contains(uid); });
}

void Agent::on_pod(const BoundPod& pod) {
  if (PodWorker* worker = workers_.find(pod.spec.uid)) {
    worker->observe(pod.seen);
    worker->update_spec(pod.spec);
    return;
  }
  const bool has_run = found_runs_.contains(pod.spec.uid);
  const bool over = is_terminal_phase(pod.seen.phase) && !pod.seen.deleting;
  if (stopping_ || (over && !has_run)) {
    return;  // nothing to run, nothing to say
  }
  const bool is_new = !has_run && !pod.seen.start_time && !pod.seen.deleting;
  if (!is_new) {
    run(pod);
  } else if (!pods_.has_synced()) {
    admission_.defer(pod);
  } else {
    admission_.admit(pod);
  }
}

void Agent::run(const BoundPod& pod) {
  const std::string& uid = pod.spec.uid;
  workers_.take_ports(pod.spec);
  PodWorker& worker = workers_.add(pod);
  const auto found_runs = found_runs_.extract(uid);
  admission_.count(uid);
  const PodRuns runs = found_runs.empty() ? PodRuns() : found_runs.mapped();
  const bool shut_down = shutdown_.claims(uid, runs);
  worker.start(runs, shut_down ? PodWorker::Begin::shut_down : PodWorker::Begin::running);
}

void Agent::on_pod_gone(const BoundPod& pod) {
  if (PodWorker* worker = workers_.find(pod.spec.uid)) {
    worker->forget();
  } else if (!config_.keep_logs) {
    PodFiles(env_.files, env_.log, config_.data_dir, pod.spec.ns, pod.spec.name, pod.spec.uid)
        .remove_logs();
  }
}

void Agent::on_worker_done(const std::string& uid) {
  shutdown_.pod_done(uid);
  admission_.retry_held();
  finish_stop();
}

void Agent::stop(Duration grace, std::function<void()> on_stopped) {
  stopping_ = true;
  admission_.close();
  on_stopped_ = std::move(on_stopped);
  workers_.stop(grace);
  finish_stop();
}

void Agent::shut_down(std::function<void()> on_done) {
  on_stopped_ = std::move(on_done);
  shutdown_.set_machine_down(true);
  finish_stop();
}

void Agent::stay_up() {
  on_stopped_ = nullptr;
  shutdown_.set_machine_down(false);
}

client::EventTarget Agent::node_target() const {
  return {"v1", "Node", "", config_.node_name, registration_.uid(), ""};
}

void Agent::report_health() {
  registration_.set_health({pressed_.memory, pressed_.disk, pressed_.pids, shutdown_.active()});
}

PressureEviction::Host Agent::pressure_host(env::HostResources& host_resources) {
  return {env_.executor,
          env_.clock,
          containers_,
          host_resources,
          [this] { return workers_.live(); },
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
  report_health();
}

// The logs of pods that have ended are all that is left of them.
bool Agent::reclaim_disk() {
  bool any = false;
  if (config_.keep_logs) {
    return any;
  }
  pods_.for_each([this, &any](const std::string&, const BoundPod& pod) {
    const PodWorker* worker = workers_.find(pod.spec.uid);
    const bool over = worker == nullptr || worker->done();
    if (over && is_terminal_phase(pod.seen.phase)) {
      PodFiles files(env_.files, env_.log, config_.data_dir, pod.spec.ns, pod.spec.name,
                     pod.spec.uid);
      const bool had_logs = files.has_logs();
      files.remove_logs();
      any = any || (had_logs && !files.has_logs());
    }
  });
  return any;
}

void Agent::finish_stop() {
  if (shutdown_.machine_down() && !pods_.has_synced()) {
    return;
  }
  if (on_stopped_ && workers_.all_done()) {
    shutdown_.all_done();
    env_.executor.post(std::exchange(on_stopped_, nullptr));
  }
}

void Agent::kill() {
  workers_.kill();
}

size_t Agent::running_pods() const {
  return workers_.live().size();
}

}  // namespace windlass::node
