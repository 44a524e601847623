// The Node object that an agent registers (api.md E79, N1, N6). Pure; any thread.
#pragma once

#include <memory>

#include "api/object.h"
#include "base/time.h"
#include "node/config.h"

namespace windlass::node {

std::unique_ptr<api::Message> make_node(const AgentConfig& config, Time now);

// Brings labels, capacity, addresses and conditions of an object that is already there up to date,
// and leaves alone what others wrote (taints, unschedulable, foreign labels and conditions).
void refresh_node(const AgentConfig& config, Time now, api::Message& node,
                  const NodeHealth& health = {});

// The status is the same, but for when it was said.
bool same_status(const api::Message& node, const api::Message& other);

// The annotation, with any value, that orders a node to shut down.
inline constexpr const char* kShutdownAnnotation = "windlass.dev/shutdown";
bool has_shutdown_order(const api::Message& node);

// Its conditions say what `health` says.
bool says(const api::Message& node, const NodeHealth& health);

}  // namespace windlass::node
