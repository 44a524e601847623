// `windlass node shutdown`: orders a node through the API to shut down, or cancels that order
// (decision 31).
#pragma once

#include <functional>

#include "cli/commands/node/node.h"
#include "cli/output/output.h"
#include "client/api_client.h"
#include "env/clock.h"

namespace windlass::cli {

// `on_finished` runs once, on the client's executor. `api` and `output` outlive that.
void order_node_shutdown(client::ApiClient& api, const NodeShutdownOptions& options, Time now,
                         Output& output, const std::function<void(ExitCode)>& on_finished);

}  // namespace windlass::cli
