#include "scheduler/scheduler.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace windlass::scheduler {
namespace {

client::Collection all_budgets() {
  return {api::find_resource("policy", "v1", "poddisruptionbudgets")};
}

// Certainly not carried out. All other errors leave that open: the answer may have been lost, or
// the pod may have been bound before.
bool is_refusal(const Status& status) {
  constexpr int kConflict = 409;
  constexpr int kTimeout = 408;
  return status.code >= 400 && status.code < 500 && status.code != kConflict &&
         status.code != kTimeout;
}

}  // namespace

Scheduler::Scheduler(client::ClientEnv env, Options options)
    : env_(env),
      options_(std::move(options)),
      placer_(cluster_, nominations_, env.random),
      queue_(env.executor, env.clock, options_.queue, [this] { run_soon(); }),
      events_(env, options_.name, options_.host),
      waker_(queue_, placer_, nominations_),
      failures_(env,
                {cluster_, nominations_, queue_, events_, metrics_, [this] { return budgets(); }},
                options_.disruption_conditions, options_.on_preemption),
      node_informer_(env, {&api::kinds::node()}, read_node),
      pod_informer_(env, {&api::kinds::pod()},
                    [this](const api::Message& pod) { return read_live_pod(pod, shapes_); }),
      budget_informer_(env, all_budgets(), read_budget),
      namespace_informer_(env, {&api::kinds::namespace_()}, read_namespace) {
  node_informer_.add_handler({[this](const NodeInfo& node) { on_node(node); },
                              [this](const NodeInfo&, const NodeInfo& node) { on_node(node); },
                              [this](const NodeInfo& node) { on_node_gone(node.name); }});
  pod_informer_.add_handler(
      {[this](const PodPtr& pod) { on_pod(nullptr, pod); },
       [this](const PodPtr& before, const PodPtr& pod) { on_pod(before.get(), pod); },
       [this](const PodPtr& pod) { on_pod_gone(pod); }});
  namespace_informer_.add_handler(
      {[this](const NamespaceInfo& ns) { on_namespace(ns); },
       [this](const NamespaceInfo&, const NamespaceInfo& ns) { on_namespace(ns); },
       [this](const NamespaceInfo& ns) { cluster_.remove_namespace(ns.name); }});
  const auto run = [this] { run_soon(); };
  node_informer_.when_synced(run);
  pod_informer_.when_synced(run);
  budget_informer_.when_synced(run);
  namespace_informer_.when_synced(run);
}

Scheduler::~Scheduler() = default;

Scheduler::Options options_with(const api::FeatureGates& gates) {
  Scheduler::Options options;
  options.disruption_conditions = gates.enabled(api::Feature::pod_disruption_conditions);
  return options;
}

void Scheduler::start() {
  node_informer_.start();
  pod_informer_.start();
  budget_informer_.start();
  namespace_informer_.start();
}

bool Scheduler::is_synced() const {
  return node_informer_.has_synced() && pod_informer_.has_synced() &&
         budget_informer_.has_synced() && namespace_informer_.has_synced();
}

std::vector<DisruptionBudget> Scheduler::budgets() const {
  std::vector<DisruptionBudget> all;
  budget_informer_.for_each(
      [&all](const std::string&, const DisruptionBudget& budget) { all.push_back(budget); });
  return all;
}

void Scheduler::on_pod(const PodInfo* before, const PodPtr& pod) {
  if (!pod->node.empty()) {
    on_assigned(before, pod);
  } else if (pod->scheduler_name == options_.name && !pod->gated) {
    on_waiting(pod);
  } else {
    drop(pod->uid);
  }
}

void Scheduler::on_assigned(const PodInfo* before, const PodPtr& pod) {
  if (const QueuedPod* queued = queue_.find(pod->uid);
      queued != nullptr && queued->place != QueuedPod::Place::in_work && queued->unanswered &&
      queued->doubtful_node == pod->node) {
    report_scheduled(event_target(*pod), pod->node);  // if in work, the answer does
  }
  drop(pod->uid);
  cluster_.set_pod(pod);
  const bool is_new = before == nullptr || before->node.empty();
  if (is_new || before->labels != pod->labels) {
    waker_.on_labels_changed();
  }
}

void Scheduler::on_waiting(const PodPtr& pod) {
  QueuedPod* queued = queue_.find(pod->uid);
  if (queued == nullptr) {
    if (!pod->nominated_node.empty()) {
      nominations_.set(pod, pod->nominated_node);  // from before a restart
    }
    queue_.add(pod);
    return;
  }
  const bool changed = queued->pod->shape != pod->shape || queued->pod->labels != pod->labels;
  queue_.replace(*queued, pod);
  if (const std::string& node = nominations_.node_of(pod->uid); !node.empty()) {
    nominations_.set(pod, std::string(node));
  }
  if (changed) {
    queue_.wake(*queued);
  }
}

void Scheduler::on_pod_gone(const PodPtr& pod) {
  const bool was_nominated = !nominations_.node_of(pod->uid).empty();
  drop(pod->uid);
  if (const std::string node = cluster_.remove_pod(pod->uid); !node.empty()) {
    waker_.on_room_freed(node);
  } else if (was_nominated) {
    waker_.on_nomination_gone(*pod);
  }
}

void Scheduler::on_node(const NodeInfo& node) {
  if (cluster_.set_node(node) != Cluster::NodeChange::none) {
    waker_.on_node_changed(node.name);
  }
}

void Scheduler::on_node_gone(const std::string& name) {
  cluster_.remove_node(name);
  waker_.on_node_gone(name);
}

void Scheduler::on_namespace(const NamespaceInfo& ns) {
  if (cluster_.set_namespace(ns.name, ns.labels)) {
    waker_.on_labels_changed();
  }
}

void Scheduler::drop(const std::string& uid) {
  nominations_.clear(uid);
  queue_.remove(uid);
}

void Scheduler::run_soon() {
  if (round_posted_ || !queue_.has_ready()) {
    return;
  }
  round_posted_ = true;
  env_.executor.post(self_.bind(&Scheduler::run_round));
}

void Scheduler::run_round() {
  round_posted_ = false;
  // Without a full picture a pod could be refused, or placed twice, for no reason.
  if (!is_synced()) {
    return;
  }
  for (size_t i = 0; i < options_.pods_per_round && bindings_ < options_.max_bindings; ++i) {
    QueuedPod* queued = queue_.take();
    if (queued == nullptr) {
      return;
    }
    try_pod(*queued);
  }
  if (bindings_ < options_.max_bindings) {
    run_soon();  // else the next answer does
  }
}

void Scheduler::try_pod(QueuedPod& queued) {
  if (queued.pod->deleting) {
    skip_deleting(queued);
    return;
  }
  if (!queued.doubtful_node.empty()) {
    // It may be there already. Until that is known its room is taken, and it goes nowhere else.
    if (cluster_.find(queued.doubtful_node) != nullptr) {
      bind(queued, queued.doubtful_node);
      return;
    }
    queued.doubtful_node.clear();
    cluster_.forget(queued.pod->uid);
  }
  if (cluster_.node_count() == 0) {
    failures_.park(queued, 0, "no nodes available to schedule pods");
    return;
  }
  try_everywhere(queued);
}

void Scheduler::try_everywhere(QueuedPod& queued) {
  if (failures_.park_like_its_group(queued)) {
    return;
  }
  const PodPtr pod = queued.pod;
  Attempt attempt = placer_.attempt(*pod);
  const Placement placement = placer_.place(attempt);
  if (placement.node.empty()) {
    failures_.handle(queued, attempt, placement);
    return;
  }
  nominations_.clear(pod->uid);
  cluster_.assume(pod, placement.node);
  const std::string group = queued.group;
  bind(queued, placement.node);
  queue_.wake_next(group);
}

// S-17
void Scheduler::bind(QueuedPod& queued, const std::string& node) {
  ++bindings_;
  queued.doubtful_node = node;
  env_.client.bind({&api::kinds::pod(), queued.pod->ns, queued.pod->name}, queued.pod->uid, node,
                   self_.bind([target = event_target(*queued.pod), node](
                                  Scheduler& self, const Result<void>& result) {
                     self.on_bound(target, node, result);
                   }));
}

void Scheduler::on_bound(const client::EventTarget& target, const std::string& node,
                         const Result<void>& result) {
  --bindings_;
  const PodPtr* seen = pod_informer_.find(target.ns, target.name);
  // Whatever the answer says, or an earlier one that was lost.
  const bool is_there = seen != nullptr && (*seen)->uid == target.uid && (*seen)->node == node;
  if (result || is_there) {
    report_scheduled(target, node);
  }
  QueuedPod* queued = queue_.find(target.uid);
  if (queued != nullptr && queued->place == QueuedPod::Place::in_work && !result) {
    on_bind_failed(*queued, node, result.error());
  }
  run_soon();
}

void Scheduler::report_scheduled(const client::EventTarget& target, const std::string& node) {
  ++metrics_.scheduled;
  events_.normal_action(
      target, "Scheduled", "Binding",
      fmt::format("Successfully assigned {}/{} to {}", target.ns, target.name, node));
}

void Scheduler::on_bind_failed(QueuedPod& queued, const std::string& node, const Status& why) {
  // Most likely it is where an earlier binding, whose answer was lost, has put it.
  const bool is_repetition = std::exchange(queued.unanswered, !is_refusal(why));
  if (is_refusal(why)) {
    queued.doubtful_node.clear();
    cluster_.forget(queued.pod->uid);
    waker_.on_room_freed(node);
  }
  if (!is_repetition || !is_conflict(why)) {
    ++metrics_.errors;
    failures_.report(queued, "SchedulerError",
                     "running Bind plugin \"DefaultBinder\": " + why.message);
  }
  queue_.back_off(queued, QueuedPod::Patience::full);
}

// S-7
void Scheduler::skip_deleting(QueuedPod& queued) {
  const PodPtr pod = queued.pod;
  const std::string group = queued.group;
  const bool was_nominated = nominations_.clear(pod->uid);
  // It is being deleted and has no node, so it was not bound, and cannot be any more (S-17).
  queued.doubtful_node.clear();
  const std::string freed = cluster_.forget(pod->uid);
  queue_.skip(queued);
  events_.warning_action(event_target(*pod), "FailedScheduling", "Scheduling",
                         fmt::format("skip schedule deleting pod: {}/{}", pod->ns, pod->name));
  queue_.wake_next(group);
  if (!freed.empty()) {
    waker_.on_room_freed(freed);
  } else if (was_nominated) {
    waker_.on_nomination_gone(*pod);
  }
}

}  // namespace windlass::scheduler
