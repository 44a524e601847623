#include "controllers/garbage/graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace windlass::controllers::garbage {

bool matches(const Record& record, const OwnerRef& owner, const std::string& ns) {
  return record.uid == owner.uid && record.name == owner.name && record.kind->kind == owner.kind &&
         record.kind->api_version() == owner.api_version &&
         (!record.kind->namespaced || record.ns == ns);
}

OwnerGraph::Links OwnerGraph::links_of(const RecordPtr& record) {
  Links links;
  if (record) {
    for (const OwnerRef& owner : record->owners) {
      bool& blocks = links[owner.uid];
      blocks = blocks || owner.blocks();
    }
  }
  return links;
}

Stance OwnerGraph::stance_of(const RecordPtr& record) {
  return record ? record->stance() : Stance::stays;
}

void OwnerGraph::upsert(RecordPtr record) {
  const std::string uid = record->uid;
  Node& node = nodes_[uid];
  const RecordPtr old = std::exchange(node.record, record);
  if (old && same_relations(*old, *record)) {
    return;
  }
  const Links before = links_of(old);
  const Links now = links_of(record);
  if (before != now) {
    Links added;
    Links removed;
    std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                        std::inserter(added, added.end()));
    std::set_difference(before.begin(), before.end(), now.begin(), now.end(),
                        std::inserter(removed, removed.end()));
    // A link that changed is in both: taken off, then put back.
    unlink(uid, removed);
    link(uid, added);
  }
  const Stance stance = record->stance();
  if (stance != Stance::stays && stance != stance_of(old)) {
    wake_dependents(node);
  }
  if (wants_visit(*record)) {
    wake_(uid);
  }
}

void OwnerGraph::erase(const std::string& uid) {
  const auto found = nodes_.find(uid);
  if (found == nodes_.end() || !found->second.record) {
    return;
  }
  const RecordPtr old = std::exchange(found->second.record, nullptr);
  unlink(uid, links_of(old));
  // An object may own itself, and then the node is gone by now.
  if (const auto left = nodes_.find(uid); left != nodes_.end()) {
    wake_dependents(left->second);
    forget_if_empty(uid);
  }
}

void OwnerGraph::link(const std::string& uid, const Links& links) {
  for (const auto& [owner, blocks] : links) {
    Node& node = nodes_[owner];
    node.dependents.insert(uid);
    node.blocking += blocks ? 1 : 0;
  }
}

void OwnerGraph::unlink(const std::string& uid, const Links& links) {
  for (const auto& [owner, blocks] : links) {
    const auto found = nodes_.find(owner);
    Node& node = found->second;
    node.dependents.erase(uid);
    node.blocking -= blocks ? 1 : 0;
    const Stance stance = stance_of(node.record);
    if ((stance == Stance::waits && node.blocking == 0) ||
        (stance == Stance::orphans && node.dependents.empty())) {
      wake_(owner);
    }
    forget_if_empty(owner);
  }
}

void OwnerGraph::forget_if_empty(const std::string& uid) {
  const auto found = nodes_.find(uid);
  if (found != nodes_.end() && !found->second.record && found->second.dependents.empty()) {
    nodes_.erase(found);
  }
}

void OwnerGraph::wake_dependents(const Node& node) const {
  for (const std::string& dependent : node.dependents) {
    wake_(dependent);
  }
}

void OwnerGraph::wake_unsettled() const {
  for (const auto& [uid, node] : nodes_) {
    if (node.record && wants_visit(*node.record)) {
      wake_(uid);
    }
  }
}

bool OwnerGraph::is_settled(const Record& record, const OwnerRef& owner) const {
  const RecordPtr known = find(owner.uid);
  return known && matches(*known, owner, record.ns) && known->stance() == Stance::stays;
}

bool OwnerGraph::wants_visit(const Record& record) const {
  return record.stance() != Stance::stays ||
         std::any_of(record.owners.begin(), record.owners.end(),
                     [this, &record](const OwnerRef& owner) { return !is_settled(record, owner); });
}

RecordPtr OwnerGraph::find(const std::string& uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : found->second.record;
}

size_t OwnerGraph::dependents(const std::string& uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? 0 : found->second.dependents.size();
}

size_t OwnerGraph::blocking_dependents(const std::string& uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? 0 : found->second.blocking;
}

bool OwnerGraph::has_waiting_dependent(const std::string& uid) const {
  const auto found = nodes_.find(uid);
  return found != nodes_.end() &&
         std::any_of(found->second.dependents.begin(), found->second.dependents.end(),
                     [this](const std::string& dependent) {
                       return stance_of(find(dependent)) == Stance::waits;
                     });
}

}  // namespace windlass::controllers::garbage
