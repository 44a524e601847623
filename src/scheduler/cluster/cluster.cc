#include "scheduler/cluster/cluster.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace windlass::scheduler {

NodeState& Cluster::slot_of(const std::string& name) {
  if (const auto found = slots_by_name_.find(name); found != slots_by_name_.end()) {
    return *slots_[found->second];
  }
  size_t slot = slots_.size();
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  slots_[slot] = std::make_unique<NodeState>();
  slots_[slot]->info.name = name;
  slots_by_name_.emplace(name, slot);
  return *slots_[slot];
}

void Cluster::free_if_unused(size_t slot) {
  const NodeState& node = *slots_[slot];
  if (!node.present && node.pods.empty()) {
    slots_by_name_.erase(node.info.name);
    slots_[slot].reset();
    free_slots_.push_back(slot);
  }
}

Cluster::NodeChange Cluster::set_node(NodeInfo node) {
  NodeState& state = slot_of(node.name);
  if (state.present && state.info == node) {
    return NodeChange::none;
  }
  const NodeChange change = state.present ? NodeChange::changed : NodeChange::added;
  node_count_ += state.present ? 0 : 1;
  state.present = true;
  state.info = std::move(node);
  state.generation = ++generation_;
  return change;
}

void Cluster::remove_node(const std::string& name) {
  const auto found = slots_by_name_.find(name);
  if (found == slots_by_name_.end() || !slots_[found->second]->present) {
    return;
  }
  NodeState& state = *slots_[found->second];
  state.present = false;
  state.info = {};
  state.info.name = name;
  state.generation = ++generation_;
  --node_count_;
  free_if_unused(found->second);
}

void Cluster::set_pod(const PodPtr& pod) {
  if (!confirm(pod)) {
    place(pod, pod->node, false);
  }
}

bool Cluster::confirm(const PodPtr& pod) {
  const auto found = assigned_.find(pod->uid);
  if (found == assigned_.end() || slots_[found->second.slot]->info.name != pod->node) {
    return false;
  }
  PodPtr& known = slots_[found->second.slot]->pods.at(pod->uid);
  if (known->shape != pod->shape || known->labels != pod->labels ||
      known->deleting != pod->deleting || known->preempted != pod->preempted) {
    return false;
  }
  known = pod;
  found->second.assumed = false;
  return true;
}

void Cluster::assume(const PodPtr& pod, const std::string& node) {
  place(pod, node, true);
}

void Cluster::place(const PodPtr& pod, const std::string& node, bool assumed) {
  remove_pod(pod->uid);
  NodeState& state = slot_of(node);
  state.usage.add(*pod->shape);
  state.pods.emplace(pod->uid, pod);
  state.generation = ++generation_;
  const size_t slot = slots_by_name_.find(node)->second;
  assigned_.emplace(pod->uid, Assigned{slot, assumed});
  count_shape(pod->shape, slot, 1);
}

void Cluster::count_shape(const ShapePtr& shape, size_t slot, int64_t by) {
  const auto count = [&](PlacedShapes& shapes) {
    const auto entry = shapes.try_emplace(shape->id, Placed{shape, {}}).first;
    std::map<size_t, int64_t>& counts = entry->second.counts;
    if ((counts[slot] += by) == 0) {
      counts.erase(slot);
    }
    if (counts.empty()) {
      shapes.erase(entry);
    }
  };
  if (shape->has_pod_terms()) {
    count(shapes_with_terms_);
  }
  if (!shape->required_anti_affinity.empty()) {
    count(repelling_shapes_);
  }
}

std::string Cluster::remove_pod(const std::string& uid) {
  const auto found = assigned_.find(uid);
  if (found == assigned_.end()) {
    return "";
  }
  const size_t slot = found->second.slot;
  assigned_.erase(found);
  NodeState& state = *slots_[slot];
  const auto pod = state.pods.find(uid);
  CHECK(pod != state.pods.end(), "an assigned pod is on its node");
  state.usage.remove(*pod->second->shape);
  count_shape(pod->second->shape, slot, -1);
  state.pods.erase(pod);
  state.generation = ++generation_;
  std::string node = state.info.name;
  free_if_unused(slot);
  return node;
}

std::string Cluster::forget(const std::string& uid) {
  const auto found = assigned_.find(uid);
  return found != assigned_.end() && found->second.assumed ? remove_pod(uid) : "";
}

bool Cluster::set_namespace(const std::string& name, const Labels& labels) {
  const auto [entry, added] = namespaces_.try_emplace(name, labels);
  if (!added && entry->second == labels) {
    return false;
  }
  entry->second = labels;
  ++namespace_generation_;
  return true;
}

void Cluster::remove_namespace(const std::string& name) {
  namespaces_.erase(name);
  ++namespace_generation_;
}

const NodeState* Cluster::find(std::string_view name) const {
  const auto found = slots_by_name_.find(name);
  return found == slots_by_name_.end() ? nullptr : at(found->second);
}

bool Cluster::matches(const PodTerm& term, const PodInfo& pod) const {
  bool in_namespace = std::binary_search(term.namespaces.begin(), term.namespaces.end(), pod.ns);
  if (!in_namespace && term.namespace_selector) {
    const auto labels = namespaces_.find(pod.ns);
    in_namespace =
        term.namespace_selector->matches(labels == namespaces_.end() ? Labels() : labels->second);
  }
  return in_namespace && term.selector.matches(pod.labels);
}

}  // namespace windlass::scheduler
