#include <utility>

#include "scheduler/scheduler.h"

namespace windlass::scheduler {
namespace {

constexpr uint64_t kAroundReasons = bit(Reason::spread) | bit(Reason::spread_label) |
                                    bit(Reason::pod_affinity) | bit(Reason::pod_anti_affinity) |
                                    bit(Reason::existing_anti_affinity);
constexpr uint64_t kSpreadReasons = bit(Reason::spread) | bit(Reason::spread_label);
constexpr uint64_t kNodeReasons =
    bit(Reason::unschedulable) | bit(Reason::taint) | bit(Reason::node_affinity);

// Room on a node is what it lacks.
bool lacks_room(uint64_t reasons) {
  return (reasons & ~(kNodeReasons | kAroundReasons)) != 0;
}

}  // namespace

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
    tell_scheduled(event_target(*pod), pod->node);  // if in work, the answer does
  }
  drop(pod->uid);
  cluster_.set_pod(pod);
  const bool is_new = before == nullptr || before->node.empty();
  if (is_new || before->labels != pod->labels) {
    queue_.wake([](const PodInfo&, uint64_t reasons) { return (reasons & kAroundReasons) != 0; });
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
    on_room_freed(node);
  } else if (was_nominated) {
    on_nomination_gone(*pod);
  }
}

// S-9
void Scheduler::on_nomination_gone(const PodInfo& pod) {
  queue_.wake([priority = pod.priority()](const PodInfo& waiting, uint64_t) {
    return waiting.priority() <= priority;
  });
}

void Scheduler::on_room_freed(const std::string& node) {
  queue_.wake([this, &node](const PodInfo& waiting, uint64_t reasons) {
    return (reasons & kAroundReasons) != 0 ||
           (lacks_room(reasons) && !placer_.fit_locally_on(*waiting.shape, node).hopeless);
  });
}

// S-5a: a node that could not take the pod whichever pod left wakes none.
void Scheduler::on_node(const NodeInfo& node) {
  if (cluster_.set_node(node) == Cluster::NodeChange::none) {
    return;
  }
  queue_.wake([this, &node](const PodInfo& waiting, uint64_t reasons) {
    return reasons == 0 || (reasons & kSpreadReasons) != 0 ||
           !placer_.fit_locally_on(*waiting.shape, node.name).hopeless;
  });
  wake_let_down(node.name);
}

void Scheduler::on_node_gone(const std::string& name) {
  cluster_.remove_node(name);
  queue_.wake([](const PodInfo&, uint64_t reasons) { return (reasons & kSpreadReasons) != 0; });
  wake_let_down(name);
}

// P-3: who waits for room on a node that cannot take it any more may make room on another.
void Scheduler::wake_let_down(const std::string& node) {
  const auto* nominated = nominations_.at(node);
  if (nominated == nullptr) {
    return;
  }
  for (const auto& [uid, pod] : *nominated) {
    QueuedPod* queued = queue_.find(uid);
    if (queued != nullptr && placer_.fit_locally_on(*pod->shape, node).hopeless) {
      queue_.wake(*queued);
    }
  }
}

void Scheduler::on_namespace(const NamespaceInfo& ns) {
  if (cluster_.set_namespace(ns.name, ns.labels)) {
    queue_.wake([](const PodInfo&, uint64_t reasons) { return (reasons & kAroundReasons) != 0; });
  }
}

void Scheduler::drop(const std::string& uid) {
  nominations_.clear(uid);
  queue_.remove(uid);
}

}  // namespace windlass::scheduler
