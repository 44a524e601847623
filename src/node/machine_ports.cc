#include "node/machine_ports.h"

#include <fmt/format.h>

#include <utility>

namespace windlass::node {

std::optional<std::string> MachinePorts::conflict(const Holder& wanted) const {
  for (const auto& [uid, holder] : holders_) {
    if (holder.node == wanted.node) {
      continue;  // the node's own admission sees to that
    }
    for (const placement::HostPort& taken : holder.ports) {
      for (const placement::HostPort& port : wanted.ports) {
        if (placement::ports_clash(taken, port)) {
          return fmt::format(
              "hostPort {}/{} is taken by pod {} on node {}: the nodes of a machine share its "
              "network, so only one of the two pods can listen there",
              port.port, port.protocol, holder.pod, holder.node);
        }
      }
    }
  }
  return std::nullopt;
}

void MachinePorts::take(const std::string& uid, Holder holder) {
  if (!holder.ports.empty()) {
    holders_.insert_or_assign(uid, std::move(holder));
  }
}

}  // namespace windlass::node
