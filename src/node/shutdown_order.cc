#include "node/shutdown_order.h"

#include <utility>

#include "schema/core/v1/node.pb.h"

namespace windlass::node {

bool has_shutdown_order(const api::Message& node) {
  return static_cast<const api::core::v1::Node&>(node).metadata().annotations().contains(
      kShutdownAnnotation);
}

ShutdownOrder::ShutdownOrder(client::ClientEnv env, const std::string& node,
                             std::function<void(bool ordered)> on_change)
    : on_change_(std::move(on_change)),
      nodes_(env, {&api::kinds::node(), "", "", "metadata.name=" + node}, has_shutdown_order) {
  nodes_.add_handler({[this](bool ordered) { note(ordered); },
                      [this](bool, bool ordered) { note(ordered); }, [](bool) {}});
}

void ShutdownOrder::note(bool ordered) {
  if (std::exchange(ordered_, ordered) != ordered) {
    on_change_(ordered);
  }
}

}  // namespace windlass::node
