// The order to shut a node down, given through the API: the annotation windlass.dev/shutdown on its
// Node object, with any value. Watches the object and says when the order comes and goes.
//
// Owned by the agent, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <string>

#include "api/object.h"
#include "client/informer.h"

namespace windlass::node {

inline constexpr const char* kShutdownAnnotation = "windlass.dev/shutdown";

// `node` is a core/v1 Node.
bool has_shutdown_order(const api::Message& node);

class ShutdownOrder {
 public:
  ShutdownOrder(client::ClientEnv env, const std::string& node,
                std::function<void(bool ordered)> on_change);

  // `on_change` runs at first only if the order is there.
  void start() { nodes_.start(); }

 private:
  void note(bool ordered);

  std::function<void(bool)> on_change_;
  bool ordered_ = false;
  client::Informer<bool> nodes_;
};

}  // namespace windlass::node
