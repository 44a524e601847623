// Whether an agent may use a node's name. Two agents of one name would both run every pod that is
// bound to the node, so an agent that finds another one running does not start.
//
// Each agent writes the identity of its folder to its Node object: the same agent gets the name
// back at once after a restart. Another agent gets it when the Node's Lease has expired.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "client/api_client.h"
#include "env/clock.h"

namespace windlass::plane {

// On the Node object.
inline constexpr const char* kAgentAnnotation = "windlass.dev/agent";

// A conflict if another agent has the name; other errors come from the API server. `done` runs
// once, on the client's executor; `api` and `clock` outlive that.
void check_node_name(client::ApiClient& api, env::Clock& clock, const std::string& node,
                     const std::string& identity, std::function<void(const Result<void>&)> done);

}  // namespace windlass::plane
