#include "controllers/garbage/graph.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace windlass::controllers::garbage {

bool matches(const TrackedObject& record, const OwnerRef& owner, const std::string& ns) {
  return record.uid == owner.uid && record.name == owner.name && record.kind->kind == owner.kind &&
         record.kind->api_version() == owner.api_version &&
         (!record.kind->namespaced || record.ns == ns);
}

Stance OwnerGraph::stance_of(const TrackedObjectPtr& record) {
  return record ? record->stance() : Stance::stays;
}

const OwnerGraph::Node* OwnerGraph::known(const std::string& uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : &found->second;
}

OwnerGraph::Node& OwnerGraph::node_of(const std::string& uid) {
  Node& node = nodes_[uid];
  node.uid = uid;
  return node;
}

void OwnerGraph::upsert(TrackedObjectPtr record) {
  Node& node = node_of(record->uid);
  const TrackedObjectPtr old = std::exchange(node.record, std::move(record));
  if (old && same_relations(*old, *node.record)) {
    return;
  }
  relink(node, node.record->owners);
  const Stance stance = node.record->stance();
  if (stance != Stance::stays && stance != stance_of(old)) {
    wake_dependents(node);
  }
  if (wants_visit(*node.record)) {
    wake_(node.uid);
  }
}

void OwnerGraph::erase(const std::string& uid) {
  const auto found = nodes_.find(uid);
  if (found == nodes_.end() || !found->second.record) {
    return;
  }
  Node& node = found->second;
  node.record = nullptr;
  relink(node, {});
  wake_dependents(node);
  forget_if_empty(node);
}

void OwnerGraph::relink(Node& node, const std::vector<OwnerRef>& owners) {
  std::vector<std::pair<std::string, bool>> wanted;  // UID, and whether any reference blocks
  for (const OwnerRef& owner : owners) {
    const auto same = std::ranges::find(wanted, owner.uid, &std::pair<std::string, bool>::first);
    if (same == wanted.end()) {
      wanted.emplace_back(owner.uid, owner.blocks());
    } else {
      same->second = same->second || owner.blocks();
    }
  }
  for (size_t i = 0; i < node.owners.size();) {
    const Link& link = node.owners[i];
    if (std::erase(wanted, std::pair(link.owner->uid, link.blocks)) > 0) {
      ++i;
    } else {
      unlink(node, i);
    }
  }
  for (const auto& [uid, blocks] : wanted) {
    Node& owner = node_of(uid);
    node.owners.push_back({&owner, blocks, owner.dependents.size()});
    owner.dependents.push_back(&node);
    owner.blocking += blocks ? 1 : 0;
  }
}

void OwnerGraph::unlink(Node& node, size_t link_at) {
  const Link link = node.owners[link_at];
  node.owners.erase(node.owners.begin() + static_cast<std::ptrdiff_t>(link_at));
  Node& owner = *link.owner;
  // The last one takes its place.
  Node& last = *owner.dependents.back();
  owner.dependents[link.place] = &last;
  owner.dependents.pop_back();
  if (&last != &node) {
    std::ranges::find(last.owners, &owner, &Link::owner)->place = link.place;
  }
  owner.blocking -= link.blocks ? 1 : 0;
  const Stance stance = stance_of(owner.record);
  if ((stance == Stance::waits && owner.blocking == 0) ||
      (stance == Stance::orphans && owner.dependents.empty())) {
    wake_(owner.uid);
  }
  if (&owner != &node) {  // an object may own itself
    forget_if_empty(owner);
  }
}

void OwnerGraph::forget_if_empty(const Node& node) {
  if (!node.record && node.dependents.empty()) {
    nodes_.erase(std::string(node.uid));
  }
}

void OwnerGraph::wake_dependents(const Node& node) const {
  for (const Node* dependent : node.dependents) {
    wake_(dependent->uid);
  }
}

void OwnerGraph::wake_unsettled() const {
  std::vector<std::string> unsettled;
  for (const auto& [uid, node] : nodes_) {
    if (node.record && wants_visit(*node.record)) {
      unsettled.push_back(uid);
    }
  }
  std::ranges::sort(unsettled);
  for (const std::string& uid : unsettled) {
    wake_(uid);
  }
}

bool OwnerGraph::is_settled(const TrackedObject& record, const OwnerRef& owner) const {
  const TrackedObjectPtr known = find(owner.uid);
  return known && matches(*known, owner, record.ns) && known->stance() == Stance::stays;
}

bool OwnerGraph::wants_visit(const TrackedObject& record) const {
  return record.stance() != Stance::stays ||
         std::any_of(record.owners.begin(), record.owners.end(),
                     [this, &record](const OwnerRef& owner) { return !is_settled(record, owner); });
}

TrackedObjectPtr OwnerGraph::find(const std::string& uid) const {
  const Node* node = known(uid);
  return node == nullptr ? nullptr : node->record;
}

size_t OwnerGraph::dependents(const std::string& uid) const {
  const Node* node = known(uid);
  return node == nullptr ? 0 : node->dependents.size();
}

size_t OwnerGraph::blocking_dependents(const std::string& uid) const {
  const Node* node = known(uid);
  return node == nullptr ? 0 : node->blocking;
}

bool OwnerGraph::has_waiting_dependent(const std::string& uid) const {
  const Node* node = known(uid);
  return node != nullptr && std::ranges::any_of(node->dependents, [](const Node* dependent) {
           return stance_of(dependent->record) == Stance::waits;
         });
}

}  // namespace windlass::controllers::garbage
