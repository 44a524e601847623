// The scheduler's picture of the cluster: nodes, the pods on them, and the pods it has just sent
// there and not yet seen arrive (assumed). Owned by the scheduler, on its executor; no I/O.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/fit.h"

namespace windlass::scheduler {

class Cluster {
 public:
  // True when the node is new or differs in something that placement looks at.
  bool set_node(NodeInfo node);
  void remove_node(const std::string& name);

  // A pod that is bound and not terminal. A pod that was assumed is now certain.
  void set_pod(const std::string& uid, const std::string& node, const Resources& requests);
  // True when this freed something.
  bool remove_pod(const std::string& uid);

  // A binding is on its way: the room is taken, until set_pod confirms or forget takes it back.
  void assume(const std::string& uid, const std::string& node, const Resources& requests);
  // A failed binding. Does nothing once set_pod has confirmed it.
  void forget(const std::string& uid);

  // All nodes in the order of their names.
  std::vector<Candidate> candidates() const;

 private:
  struct Assigned {
    std::string node;
    Resources requests;
    bool assumed = false;
  };

  void place(const std::string& uid, Assigned assigned);

  std::map<std::string, NodeInfo> nodes_;
  std::map<std::string, Assigned> pods_;    // by uid
  std::map<std::string, NodeUsage> usage_;  // by node name, also of nodes not seen yet
};

}  // namespace windlass::scheduler
