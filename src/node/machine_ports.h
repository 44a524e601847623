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

#include "placement/taken_ports.h"

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
  void release(const std::string& uid);

 private:
  // The pod on this node that has a port which clashes with this one; there is one.
  std::string pod_with(const placement::HostPort& port, const std::string& node) const;

  std::map<std::string, Holder> holders_;               // by UID of the pod
  std::map<std::string, placement::TakenPorts> taken_;  // of the holders, by node
};

}  // namespace windlass::node
