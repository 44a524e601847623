// The pods, arranged by what may make them garbage, so that a round costs as much as there is to
// collect and not as there are pods. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "controllers/pod_gc/pods.h"

namespace windlass::controllers::pod_gc {

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
