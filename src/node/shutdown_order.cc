#include "node/shutdown_order.h"

#include "schema/core/v1/node.pb.h"

namespace windlass::node {

bool has_shutdown_order(const api::Message& node) {
  return static_cast<const api::core::v1::Node&>(node).metadata().annotations().contains(
      kShutdownAnnotation);
}

}  // namespace windlass::node
