// The host ports of the pods on all nodes that this process runs on one machine. Those nodes share
// the machine's network, while the scheduler counts ports by node: two pods with the same hostPort
// may conflict here, and the second one gets an event that names the first. Nodes in processes of
// their own (`windlass node`) are not compared.
//
// Shared by the agents, on their executor; outlives them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "placement/needs.h"

namespace windlass::node {

class MachinePorts {
 public:
  struct Holder {
    std::string node;
    std::string pod;  // namespace/name
    std::vector<placement::HostPort> ports;
  };

  // In a sentence: the pod on another node that has one of these ports.
  std::optional<std::string> conflict(const Holder& wanted) const;
  void take(const std::string& uid, Holder holder);
  void release(const std::string& uid) { holders_.erase(uid); }

 private:
  std::map<std::string, Holder> holders_;  // by UID of the pod
};

}  // namespace windlass::node
