// Whether an agent may have a node's name. Two of one name would both run every pod that is bound
// to it, so one that finds another at work does not begin.
//
// Each says on its Node object which one it is, by an identity of its own folder: the same one
// started again has the name at once. Another has it when nothing was heard for as long as the
// Node's Lease says.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "client/api_client.h"
#include "env/clock.h"

namespace windlass::cli {

// On the Node object.
inline constexpr const char* kAgentAnnotation = "windlass.dev/agent";

// A conflict when another agent has it. Other errors are the API server's. `done` runs once, on the
// client's executor; `api` and `clock` outlive that.
void check_node_name(client::ApiClient& api, env::Clock& clock, const std::string& node,
                     const std::string& identity, std::function<void(const Result<void>&)> done);

}  // namespace windlass::cli
