#include "node/agent.h"

#include <algorithm>
#include <utility>

#include "base/quantity.h"

namespace windlass::node {

namespace {

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

Agent::Agent(env::Env env, client::ApiClient& api, AgentConfig config, ContainerObserver* observer)
    : env_(env),
      api_(api),
      config_(std::move(config)),
      facts_(host_facts(config_)),
      observer_(observer),
      events_({api_, env_.executor, env_.clock, env_.random, env_.log}, "kubelet",
              config_.node_name),
      registration_({api_, env_.executor, env_.clock, env_.random, env_.log}, config_),
      heartbeats_({api_, env_.executor, env_.clock, env_.random, env_.log}, config_.heartbeats),
      pods_({api_, env_.executor, env_.clock, env_.random, env_.log}, pods_of(config_.node_name),
            [](const api::Message& pod) {
              return BoundPod{read_plan(pod), read_seen(pod)};
            }) {
  pods_.add_handler({[this](const BoundPod& pod) { on_pod(pod); },
                     [this](const BoundPod&, const BoundPod& pod) { on_pod(pod); },
                     [this](const BoundPod& pod) { on_pod_gone(pod); }});
}

Agent::~Agent() = default;

void Agent::start(std::function<void()> on_registered) {
  registration_.start([this, on_registered = std::move(on_registered)] {
    heartbeats_.add(config_.node_name, registration_.uid());
    registration_.keep_current();
    pods_.start();
    if (on_registered) {
      on_registered();
    }
  });
}

void Agent::on_pod(const BoundPod& pod) {
  const auto found = workers_.find(pod.plan.uid);
  if (found != workers_.end()) {
    found->second->observe(pod.seen);
    return;
  }
  if (stopping_ || (is_terminal_phase(pod.seen.phase) && !pod.seen.deleting)) {
    return;  // nothing to run, nothing to say
  }
  auto worker = std::make_unique<PodWorker>(
      WorkerHost{env_, api_, config_, facts_, events_, observer_}, pod.plan, pod.seen,
      [this, uid = pod.plan.uid] { on_worker_done(uid); });
  PodWorker& started = *worker;
  workers_.emplace(pod.plan.uid, std::move(worker));
  started.start();
}

void Agent::on_pod_gone(const BoundPod& pod) {
  if (const auto found = workers_.find(pod.plan.uid); found != workers_.end()) {
    found->second->forget();
  }
}

void Agent::on_worker_done(const std::string& uid) {
  const auto found = workers_.find(uid);
  if (found != workers_.end() && found->second->forgotten()) {
    workers_.erase(found);
  }
  finish_stop();
}

void Agent::stop(Duration grace, std::function<void()> on_stopped) {
  stopping_ = true;
  on_stopped_ = std::move(on_stopped);
  for (const auto& [uid, worker] : workers_) {
    worker->stop(grace);
  }
  finish_stop();
}

void Agent::finish_stop() {
  const auto done = [](const auto& entry) { return entry.second->done(); };
  if (on_stopped_ && std::all_of(workers_.begin(), workers_.end(), done)) {
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
