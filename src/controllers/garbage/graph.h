// Who belongs to whom, by UID, as far as the caches have told. A change wakes exactly the objects
// that the collector has to look at because of it, so work follows changes and not the number of
// objects: an owner that waits for 100,000 dependents is looked at when the last of them is gone,
// not each time.
//
// Pure but for the wake callback, which must not change the graph. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "controllers/garbage/tracked_object.h"

namespace windlass::controllers::garbage {

class OwnerGraph {
 public:
  using Wake = std::function<void(const std::string& uid)>;

  explicit OwnerGraph(Wake wake) : wake_(std::move(wake)) {}

  void upsert(TrackedObjectPtr record);
  void erase(const std::string& uid);
  // Everything that would have been woken, had there been a listener from the start.
  void wake_unsettled() const;

  // nullptr for what was never seen or is gone.
  TrackedObjectPtr find(const std::string& uid) const;
  size_t dependents(const std::string& uid) const;
  // Those that a foreground deletion waits for.
  size_t blocking_dependents(const std::string& uid) const;
  // One of its dependents is itself waiting for dependents: the two may wait for each other.
  bool has_waiting_dependent(const std::string& uid) const;

  // Objects that are there, and owners that are only spoken of.
  size_t size() const { return nodes_.size(); }

 private:
  struct Node;
  // From a dependent to its owner, which finds it at this place among its dependents: a Job may
  // have 100,000 of them, and none is searched for.
  struct Link {
    Node* owner;
    bool blocks;  // any reference to it does
    size_t place;
  };
  struct Node {
    std::string uid = {};
    TrackedObjectPtr record = {};  // nullptr: only spoken of, by its dependents
    std::vector<Link> owners = {};
    std::vector<Node*> dependents = {};
    size_t blocking = 0;
  };

  static Stance stance_of(const TrackedObjectPtr& record);
  const Node* known(const std::string& uid) const;
  Node& node_of(const std::string& uid);
  // Leaves links alone that stay as they are.
  void relink(Node& node, const std::vector<OwnerRef>& owners);
  // Wakes an owner that waited for just this.
  void unlink(Node& node, size_t link_at);
  void forget_if_empty(const Node& node);
  void wake_dependents(const Node& node) const;
  bool is_settled(const TrackedObject& record, const OwnerRef& owner) const;
  bool wants_visit(const TrackedObject& record) const;

  Wake wake_;
  std::unordered_map<std::string, Node> nodes_;  // their order is never observed
};

// The record is what the reference of an object in namespace `ns` speaks of.
bool matches(const TrackedObject& record, const OwnerRef& owner, const std::string& ns);

}  // namespace windlass::controllers::garbage
