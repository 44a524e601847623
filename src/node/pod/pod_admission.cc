#include "node/pod/pod_admission.h"

#include <algorithm>
#include <utility>

#include "base/quantity.h"
#include "node/shutdown/node_shutdown.h"

namespace windlass::node {

PodAdmission::PodAdmission(Host host) : host_(std::move(host)) {
  for (const auto& [name, amount] : host_.config.capacity) {
    const Quantity quantity = Quantity::parse(amount).value_or(Quantity());
    placement::set_amount(allocatable_, name, quantity);
    max_pods_ = name == "pods" ? quantity.value() : max_pods_;
  }
}

std::vector<BoundPod> PodAdmission::take_deferred() {
  std::vector<BoundPod> pods = std::exchange(deferred_, {});
  std::stable_sort(pods.begin(), pods.end(), [](const BoundPod& a, const BoundPod& b) {
    return a.seen.created < b.seen.created;
  });
  return pods;
}

NodeRoom PodAdmission::room() {
  NodeRoom room;
  room.traits = host_.node.traits();
  room.allocatable = allocatable_;
  room.max_pods = max_pods_;
  room.operating_system = host_.config.operating_system;
  std::erase_if(counted_, [this, &room](const std::string& uid) {
    const PodWorker* worker = host_.workers.find(uid);
    if (worker == nullptr || !worker->takes_room()) {
      return true;
    }
    const placement::PodNeeds& needs = worker->spec().needs;
    placement::add(room.used, needs.requests);
    room.ports.add(needs.host_ports);
    return false;
  });
  room.pods = static_cast<int64_t>(counted_.size());
  return room;
}

void PodAdmission::admit(const BoundPod& pod, bool node_is_fresh) {
  const PodSpecView& spec = pod.spec;
  if (held_.contains(spec.uid) || awaiting_node_.contains(spec.uid)) {
    return;
  }
  const NodeRoom now = room();
  // K-5: the node may have been labelled a moment ago, and the pod bound to it for that.
  if (!node_is_fresh && depends_on_labels(spec, now)) {
    awaiting_node_.insert(spec.uid);
    host_.node.read([this, id = PodIdentity{spec.ns, spec.name, spec.uid}] {
      awaiting_node_.erase(id.uid);
      admit_again(id, true);
    });
    return;
  }
  const std::vector<Shortage> shortages = shortages_of(spec, now);
  if (const auto rejection = refuse(spec, now)) {
    host_.workers.add(pod).reject(rejection->reason, rejection->message);
  } else if (shortages.empty()) {
    host_.run(pod);
  } else {
    make_room(pod, shortages);
  }
}

// Nothing: it is taken; or, if it is critical and only room is missing, room is made for it.
std::optional<Rejection> PodAdmission::refuse(const PodSpecView& pod, const NodeRoom& now) const {
  if (auto rejection = pressure_rejection(pod, host_.pressure)) {
    return rejection;
  }
  const bool critical = pod.priority >= kCriticalPriority;
  const std::vector<Shortage> shortages = shortages_of(pod, now);
  if (!critical && !shortages.empty()) {
    return shortage_rejection(shortages.front());
  }
  if (auto rejection = predicate_rejection(pod, now)) {  // K-82
    return rejection;
  }
  if (auto rejection = system_rejection(pod, now)) {
    return rejection;
  }
  if (auto rejection = protection_rejection(pod, host_.support)) {
    return rejection;
  }
  if (auto rejection =
          host_.config.protection.allow_privileged ? std::nullopt : privilege_rejection(pod)) {
    return rejection;
  }
  if (host_.shutdown.active()) {
    return Rejection{"NodeShutdown", "Pod was rejected as the node is shutting down."};  // K-6
  }
  return std::nullopt;
}

// K-80, K-81.
void PodAdmission::make_room(const BoundPod& pod, const std::vector<Shortage>& shortages) {
  std::vector<PlaceHolder> holders;
  for (const std::string& uid : counted_) {
    const PodSpecView& spec = host_.workers.find(uid)->spec();
    holders.push_back({uid, spec.priority, spec.qos_class, spec.needs.requests});
  }
  const Result<std::vector<std::string>> victims =
      pods_to_preempt(pod.spec.priority, shortages, holders);
  if (!victims) {
    host_.workers.add(pod).reject("UnexpectedAdmissionError", victims.error().message);
    return;
  }
  held_.emplace(pod.spec.uid, HeldPod{{pod.spec.ns, pod.spec.name, pod.spec.uid}, *victims});
  for (const std::string& uid : *victims) {
    host_.workers.find(uid)->preempt();
  }
}

void PodAdmission::retry_held() {
  const auto gone = [this](const std::string& victim) {
    const PodWorker* worker = host_.workers.find(victim);
    return worker == nullptr || worker->stopped();
  };
  std::vector<PodIdentity> ready;
  for (const auto& [uid, held] : held_) {
    if (std::all_of(held.victims.begin(), held.victims.end(), gone)) {
      ready.push_back(held.pod);
    }
  }
  for (const PodIdentity& pod : ready) {
    held_.erase(pod.uid);
    admit_again(pod, false);
  }
}

void PodAdmission::admit_again(const PodIdentity& pod, bool node_is_fresh) {
  const BoundPod* found = host_.find(pod.ns, pod.name);
  const bool handled = host_.workers.find(pod.uid) != nullptr;
  if (closed_ || found == nullptr || found->spec.uid != pod.uid || handled) {
    return;
  }
  admit(BoundPod(*found), node_is_fresh);
}

}  // namespace windlass::node
