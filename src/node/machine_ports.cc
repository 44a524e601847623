#include "node/machine_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace windlass::node {

std::optional<std::string> MachinePorts::conflict(const Holder& wanted) const {
  for (const auto& [node, taken] : taken_) {
    if (node == wanted.node) {
      continue;  // the node's own admission sees to that
    }
    if (const placement::HostPort* port = taken.first_taken(wanted.ports)) {
      return fmt::format(
          "hostPort {}/{} is taken by pod {} on node {}: the nodes of a machine share its "
          "network, so only one of the two pods can listen there",
          port->port, port->protocol, pod_with(*port, node), node);
    }
  }
  return std::nullopt;
}

std::string MachinePorts::pod_with(const placement::HostPort& port, const std::string& node) const {
  placement::TakenPorts one;
  one.add({port});
  const auto holder = std::find_if(holders_.begin(), holders_.end(), [&](const auto& entry) {
    return entry.second.node == node && one.first_taken(entry.second.ports) != nullptr;
  });
  return holder->second.pod;
}

void MachinePorts::take(const std::string& uid, Holder holder) {
  if (holder.ports.empty()) {
    return;
  }
  release(uid);
  taken_[holder.node].add(holder.ports);
  holders_.emplace(uid, std::move(holder));
}

void MachinePorts::release(const std::string& uid) {
  if (const auto holder = holders_.find(uid); holder != holders_.end()) {
    taken_[holder->second.node].remove(holder->second.ports);
    holders_.erase(holder);
  }
}

}  // namespace windlass::node
