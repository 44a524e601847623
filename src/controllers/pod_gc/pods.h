// What pod GC keeps of pods and nodes, and the order in which it takes pods. Plain data and pure
// functions; any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "api/object.h"
#include "base/time.h"

namespace windlass::controllers::pod_gc {

struct PodState {
  bool evicted = false;   // Failed, reason Evicted
  bool terminal = false;  // Failed or Succeeded
  bool counts = false;    // for the threshold: not Pending, Running or Unknown (G-4)
  bool deleting = false;
  bool grace_over = false;  // deleted with grace 0: only finalizers hold it (C-8a)

  bool operator==(const PodState&) const = default;
};

struct CollectablePod : PodState {
  std::string key = {};
  std::string ns = {};
  std::string uid = {};
  std::string node = {};
  Time created = {};

  // G-4: evicted ones first, then the oldest, then by name.
  std::tuple<bool, Time, std::string> rank() const { return {!evicted, created, key}; }
};

struct ServiceNode {
  std::string name = {};
  bool out_of_service = false;  // tainted so, and not Ready (G-9)
};

CollectablePod read_pod(const api::Message& pod);
// What was read of it before is what would be read now.
bool is_current(const CollectablePod& known, const api::Message& pod);
ServiceNode read_node(const api::Message& node);

// Failed or Succeeded: never to be changed any more (C-14).
bool is_terminal(const api::Message& pod);

// The pods, arranged by what may make them garbage, so that a round costs as much as there is to
// collect and not as there are pods. One thread.
class PodIndex {
 public:
  void add(const CollectablePod& pod);
  void remove(const CollectablePod& pod);

  // Those that count for the threshold, worst first (G-4).
  using Ranked = std::set<std::tuple<bool, Time, std::string>>;
  const Ranked& terminated() const { return terminated_; }
  // Keys of pods that are being deleted and have no node (G-8).
  const std::set<std::string>& unscheduled_terminating() const { return unscheduled_; }
  // Keys of the pods on each node that any pod names.
  const std::map<std::string, std::set<std::string>>& by_node() const { return by_node_; }

 private:
  Ranked terminated_;
  std::set<std::string> unscheduled_;
  std::map<std::string, std::set<std::string>> by_node_;
};

}  // namespace windlass::controllers::pod_gc
