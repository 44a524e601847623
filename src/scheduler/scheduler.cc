#include "scheduler/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace windlass::scheduler {

namespace {

// S-2: a pod that has ended is of no interest, whatever still holds its object.
client::Collection live_pods() {
  return {&api::kinds::pod(), "", "", "status.phase!=Succeeded,status.phase!=Failed"};
}

client::EventTarget event_target(const PodInfo& pod) {
  return {"v1", "Pod", pod.ns, pod.name, pod.uid, ""};
}

// S-20
std::string event_text(const std::string& message) {
  constexpr size_t kMaxLength = 1024;
  constexpr std::string_view kCut = " ...";
  if (message.size() <= kMaxLength) {
    return message;
  }
  return message.substr(0, kMaxLength - kCut.size()).append(kCut);
}

client::Collection all_nodes() {
  return {&api::kinds::node(), "", "", ""};
}

}  // namespace

Scheduler::Scheduler(client::ClientEnv env, Options options)
    : env_(env),
      options_(std::move(options)),
      conditions_(env),
      events_(env, options_.name),
      self_(std::make_shared<Scheduler*>(this)),
      nodes_informer_(env, all_nodes(), read_node),
      pods_informer_(env, live_pods(), read_pod) {
  nodes_informer_.add_handler({[this](const NodeInfo& node) { on_node(node); },
                               [this](const NodeInfo&, const NodeInfo& node) { on_node(node); },
                               [this](const NodeInfo& node) { cluster_.remove_node(node.name); }});
  pods_informer_.add_handler({[this](const ScheduledPod& pod) { on_pod(pod); },
                              [this](const ScheduledPod&, const ScheduledPod& pod) { on_pod(pod); },
                              [this](const ScheduledPod& pod) { on_pod_gone(pod); }});
  nodes_informer_.when_synced([this] { run_soon(); });
  pods_informer_.when_synced([this] { run_soon(); });
}

Scheduler::~Scheduler() {
  for (const auto& [uid, waiting] : pods_) {
    env_.executor.cancel(waiting.timer);
  }
}

void Scheduler::start() {
  nodes_informer_.start();
  pods_informer_.start();
}

bool Scheduler::wants_node(const ScheduledPod& pod) const {
  return pod.info.node.empty() && !pod.terminal && !pod.deleting && !pod.gated &&
         pod.scheduler_name == options_.name;
}

void Scheduler::on_pod(const ScheduledPod& pod) {
  const std::string& uid = pod.info.uid;
  if (pod.terminal) {
    on_pod_gone(pod);
    return;
  }
  if (!pod.info.node.empty()) {
    cluster_.set_pod(uid, pod.info.node, pod.info.requests);
    drop(uid);
    return;
  }
  if (!wants_node(pod)) {
    drop(uid);
    return;
  }
  const auto [entry, added] = pods_.try_emplace(uid);
  Waiting& waiting = entry->second;
  if (added) {
    waiting.arrival = ++arrivals_;
    waiting.pod = pod.info;
    ready_.insert(turn(waiting));
    run_soon();
  }
}

void Scheduler::on_pod_gone(const ScheduledPod& pod) {
  drop(pod.info.uid);
  if (cluster_.remove_pod(pod.info.uid)) {
    wake_parked();
  }
}

void Scheduler::on_node(const NodeInfo& node) {
  if (cluster_.set_node(node)) {
    wake_parked();
  }
}

Scheduler::Turn Scheduler::turn(const Waiting& waiting) {
  return {-int64_t{waiting.pod.priority}, waiting.arrival, waiting.pod.uid};
}

void Scheduler::move(Waiting& waiting, Place place) {
  ready_.erase(turn(waiting));
  parked_.erase(turn(waiting));
  env_.executor.cancel(std::exchange(waiting.timer, env::TimerId::none));
  waiting.place = place;
  if (place == Place::ready) {
    ready_.insert(turn(waiting));
    run_soon();
  } else if (place == Place::parked) {
    parked_.insert(turn(waiting));
  }
}

void Scheduler::drop(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) {
    return;
  }
  ready_.erase(turn(found->second));
  parked_.erase(turn(found->second));
  env_.executor.cancel(found->second.timer);
  pods_.erase(found);
}

void Scheduler::wake_parked() {
  for (const Turn& parked : std::exchange(parked_, {})) {
    Waiting& waiting = pods_.at(std::get<std::string>(parked));
    waiting.place = Place::ready;
    ready_.insert(parked);
  }
  run_soon();
}

void Scheduler::run_soon() {
  if (round_posted_ || ready_.empty()) {
    return;
  }
  round_posted_ = true;
  env_.executor.post([weak = std::weak_ptr<Scheduler*>(self_)] {
    if (const auto scheduler = weak.lock()) {
      (*scheduler)->run_round();
    }
  });
}

void Scheduler::run_round() {
  round_posted_ = false;
  // Without a full picture a pod could be refused, or placed twice, for no reason.
  if (!nodes_informer_.has_synced() || !pods_informer_.has_synced()) {
    return;
  }
  for (size_t i = 0; i < options_.pods_per_round && !ready_.empty(); ++i) {
    try_pod(pods_.at(std::get<std::string>(*ready_.begin())));
  }
  run_soon();
}

void Scheduler::try_pod(Waiting& waiting) {
  const Placement placement = first_fit(waiting.pod, cluster_.candidates());
  if (!placement.node) {
    move(waiting, Place::parked);
    tell(waiting, "Unschedulable", placement.message);
    return;
  }
  move(waiting, Place::binding);
  cluster_.assume(waiting.pod.uid, *placement.node, waiting.pod.requests);
  env_.client.bind({&api::kinds::pod(), waiting.pod.ns, waiting.pod.name}, *placement.node,
                   [weak = std::weak_ptr<Scheduler*>(self_), target = event_target(waiting.pod),
                    node = *placement.node](const Result<void>& result) {
                     if (const auto scheduler = weak.lock()) {
                       (*scheduler)->on_bound(target, node, result);
                     }
                   });
}

void Scheduler::on_bound(const client::EventTarget& target, const std::string& node,
                         const Result<void>& result) {
  const std::string& uid = target.uid;
  if (result) {
    events_.normal(target, "Scheduled",
                   fmt::format("Successfully assigned {}/{} to {}", target.ns, target.name, node));
    return;
  }
  cluster_.forget(uid);
  wake_parked();
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.place != Place::binding) {
    return;
  }
  Waiting& waiting = found->second;
  move(waiting, Place::backing_off);
  tell(waiting, "SchedulerError",
       "running Bind plugin \"DefaultBinder\": " + result.error().message);
  const Duration delay = std::max(waiting.next_retry, options_.first_retry);
  waiting.next_retry = std::min(delay * 2, options_.max_retry);
  waiting.timer = env_.executor.schedule(delay, [this, uid] {
    Waiting& due = pods_.at(uid);
    due.timer = env::TimerId::none;
    move(due, Place::ready);
  });
}

void Scheduler::tell(Waiting& waiting, const std::string& reason, const std::string& message) {
  if (waiting.told == message) {
    return;
  }
  waiting.told = message;
  conditions_.report(waiting.pod.ns, waiting.pod.name, waiting.pod.uid, reason, message);
  events_.warning(event_target(waiting.pod), "FailedScheduling", event_text(message));
}

}  // namespace windlass::scheduler
