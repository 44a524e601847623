// The agent's new pods: which of them it takes, and who goes for them (disruption.md 7.1, 7.7).
#include <algorithm>
#include <utility>

#include "node/agent.h"
#include "node/shutdown_groups.h"

namespace windlass::node {

// In the order in which they were made (K-1).
void Agent::admit_waiting() {
  std::vector<BoundPod> pods = std::exchange(waiting_, {});
  std::stable_sort(pods.begin(), pods.end(), [](const BoundPod& a, const BoundPod& b) {
    return a.seen.created < b.seen.created;
  });
  for (const BoundPod& pod : pods) {
    on_pod(pod);
  }
}

NodeRoom Agent::room() {
  NodeRoom room;
  room.traits = node_watch_.traits();
  room.allocatable = allocatable_;
  room.max_pods = max_pods_;
  room.operating_system = config_.operating_system;
  std::erase_if(takers_, [this, &room](const std::string& uid) {
    const auto found = workers_.find(uid);
    if (found == workers_.end() || !found->second->takes_room()) {
      return true;
    }
    const placement::PodNeeds& needs = found->second->plan().needs;
    placement::add(room.used, needs.requests);
    room.ports.insert(room.ports.end(), needs.host_ports.begin(), needs.host_ports.end());
    return false;
  });
  room.pods = static_cast<int64_t>(takers_.size());
  return room;
}

void Agent::admit(const BoundPod& pod, bool node_is_fresh) {
  const PodPlan& plan = pod.plan;
  if (held_.contains(plan.uid) || looked_at_.contains(plan.uid)) {
    return;
  }
  const NodeRoom now = room();
  // K-5: somebody may have just labelled the node, and bound the pod for that.
  if (!node_is_fresh && depends_on_labels(plan, now)) {
    looked_at_.insert(plan.uid);
    node_watch_.read([this, id = PodIdentity{plan.ns, plan.name, plan.uid}] {
      looked_at_.erase(id.uid);
      admit_again(id, true);
    });
    return;
  }
  const std::vector<Shortage> shortages = shortages_of(plan, now);
  if (const auto rejection = refuse(plan, now)) {
    add_worker(pod).reject(rejection->reason, rejection->message);
  } else if (shortages.empty()) {
    run(pod);
  } else {
    make_room(pod, shortages);
  }
}

// Nothing: it is taken; or, if it is critical and only room is missing, room is made for it.
std::optional<Rejection> Agent::refuse(const PodPlan& plan, const NodeRoom& now) const {
  if (auto rejection = pressure_rejection(plan, pressed_)) {
    return rejection;
  }
  const bool critical = plan.priority >= kCriticalPriority;
  const std::vector<Shortage> shortages = shortages_of(plan, now);
  if (!critical && !shortages.empty()) {
    return shortage_rejection(shortages.front());
  }
  if (auto rejection = predicate_rejection(plan, now)) {  // K-82
    return rejection;
  }
  if (auto rejection = system_rejection(plan, now)) {
    return rejection;
  }
  if (auto rejection = protection_rejection(plan, support_)) {
    return rejection;
  }
  if (shutdown_.active()) {
    return Rejection{"NodeShutdown", "Pod was rejected as the node is shutting down."};  // K-6
  }
  return std::nullopt;
}

// K-80, K-81.
void Agent::make_room(const BoundPod& pod, const std::vector<Shortage>& shortages) {
  std::vector<PlaceHolder> holders;
  HeldPod held{{pod.plan.ns, pod.plan.name, pod.plan.uid}, {}};
  for (const std::string& uid : takers_) {
    const PodPlan& plan = workers_.at(uid)->plan();
    holders.push_back({uid, plan.priority, plan.quality, plan.needs.requests});
  }
  Result<std::vector<std::string>> victims = pods_to_preempt(pod.plan.priority, shortages, holders);
  if (!victims) {
    add_worker(pod).reject("UnexpectedAdmissionError", victims.error().message);
    return;
  }
  held.victims = *std::move(victims);
  held_.emplace(pod.plan.uid, held);
  for (const std::string& uid : held.victims) {
    workers_.at(uid)->preempt();
  }
}

void Agent::admit_held() {
  std::vector<PodIdentity> ready;
  for (const auto& [uid, held] : held_) {
    const auto gone = [this](const std::string& victim) {
      const auto found = workers_.find(victim);
      return found == workers_.end() || found->second->stopped();
    };
    if (std::all_of(held.victims.begin(), held.victims.end(), gone)) {
      ready.push_back(held.pod);
    }
  }
  for (const PodIdentity& pod : ready) {
    held_.erase(pod.uid);
    admit_again(pod, false);
  }
}

void Agent::admit_again(const PodIdentity& pod, bool node_is_fresh) {
  const BoundPod* found = pods_.find(pod.ns, pod.name);
  if (stopping_ || found == nullptr || found->plan.uid != pod.uid || workers_.contains(pod.uid)) {
    return;  // somebody else has seen to it
  }
  admit(BoundPod(*found), node_is_fresh);
}

}  // namespace windlass::node
