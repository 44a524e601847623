// The scheduler's picture of the cluster, kept from changes alone: nodes, the pods on them, what
// these take, and the pods it has just sent there and not yet seen arrive (assumed). Each node has
// a slot for as long as it is known, and a generation that grows whenever anything on it changes,
// so that a user that keeps results per slot knows which ones still hold.
//
// Owned by the scheduler, on its executor; no I/O.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/cluster/node_info.h"

namespace windlass::scheduler {

struct NodeState {
  NodeInfo info;
  bool present = false;  // false: only pods that name it are known
  uint64_t generation = 0;
  NodeUsage usage;
  std::map<std::string, PodPtr> pods;  // by uid
};

class Cluster {
 public:
  enum class NodeChange { none, added, changed };
  NodeChange set_node(NodeInfo node);
  void remove_node(const std::string& name);

  // A pod that is bound and not terminal. One that was assumed is now certain.
  void set_pod(const PodPtr& pod);
  // The node it was on, or "" when it was on none.
  std::string remove_pod(const std::string& uid);

  // A binding is on its way: the room is taken until set_pod confirms it or forget takes it back.
  void assume(const PodPtr& pod, const std::string& node);
  // A binding that did not happen. "" once set_pod has confirmed it, else the node.
  std::string forget(const std::string& uid);

  // True when the labels differ from those known.
  bool set_namespace(const std::string& name, const Labels& labels);
  void remove_namespace(const std::string& name);

  size_t node_count() const { return node_count_; }
  // Slots 0 to slot_count() - 1; those without a node are nullptr or not present.
  size_t slot_count() const { return slots_.size(); }
  const NodeState* at(size_t slot) const {
    const NodeState* node = slots_[slot].get();
    return node != nullptr && node->present ? node : nullptr;
  }
  const NodeState* find(std::string_view name) const;
  // Grows with every change.
  uint64_t generation() const { return generation_; }
  // Grows when the labels of a namespace change.
  uint64_t namespace_generation() const { return namespace_generation_; }

  // Where pods of one shape are. All pods of a Job are one shape, so that code that looks at shapes
  // has a few of them, and not every pod.
  struct Placed {
    ShapePtr shape;
    std::map<size_t, int64_t> counts;  // by slot; none is 0
  };
  using PlacedShapes = std::map<uint64_t, Placed>;  // by id
  // Of pods that ask others to stay away or to come near, or would like them to.
  const PlacedShapes& shapes_with_terms() const { return shapes_with_terms_; }
  // Those of them that keep others away.
  const PlacedShapes& repelling_shapes() const { return repelling_shapes_; }
  // Whether the term means this pod.
  bool matches(const PodTerm& term, const PodInfo& pod) const;

 private:
  struct Assigned {
    size_t slot = 0;
    bool assumed = false;
  };

  NodeState& slot_of(const std::string& name);
  void place(const PodPtr& pod, const std::string& node, bool assumed);
  // True when the pod was there already and differs in nothing that placement looks at.
  bool confirm(const PodPtr& pod);
  void count_shape(const ShapePtr& shape, size_t slot, int64_t by);
  void free_if_unused(size_t slot);

  std::vector<std::unique_ptr<NodeState>> slots_;
  std::vector<size_t> free_slots_;
  std::map<std::string, size_t, std::less<>> slots_by_name_;
  std::unordered_map<std::string, Assigned> assigned_;  // by uid; never iterated
  PlacedShapes shapes_with_terms_;
  PlacedShapes repelling_shapes_;
  std::map<std::string, Labels> namespaces_;
  size_t node_count_ = 0;
  uint64_t generation_ = 0;
  uint64_t namespace_generation_ = 0;
};

}  // namespace windlass::scheduler
