// The order to shut a node down, given through the API: the annotation windlass.dev/shutdown on its
// Node object, with any value.
#pragma once

#include "api/object.h"

namespace windlass::node {

inline constexpr const char* kShutdownAnnotation = "windlass.dev/shutdown";

// `node` is a core/v1 Node.
bool has_shutdown_order(const api::Message& node);

}  // namespace windlass::node
