#include "cli/commands/node/node_shutdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "node/config.h"
#include "node/node_object.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::cli {
namespace {

using api::core::v1::Node;

std::string order_patch(bool cancel, Time now) {
  return fmt::format(R"({{"metadata":{{"annotations":{{"{}":{}}}}}}})", node::kShutdownAnnotation,
                     cancel ? "null" : json_string(format_rfc3339(now)));
}

// Its agent has sent no heartbeat for a while.
bool is_lost(const Node& node) {
  return std::any_of(node.status().conditions().begin(), node.status().conditions().end(),
                     [](const auto& condition) {
                       return condition.type() == "Ready" && condition.status() == "Unknown";
                     });
}

std::string done_text(const Node& node, bool cancel) {
  if (is_lost(node)) {
    return cancel ? "takes pods again once its agent answers; it does not answer now"
                  : "shuts down once its agent answers; it does not answer now";
  }
  return cancel ? "takes pods again" : "is shutting down";
}

}  // namespace

void order_node_shutdown(client::ApiClient& api, const NodeShutdownOptions& options, Time now,
                         Output& output, const std::function<void(ExitCode)>& on_finished) {
  const client::ObjectRef ref{&api::kinds::node(), "", options.node};
  const auto fail_with = [&output, on_finished](const std::string& why) {
    output.err("error: " + why + "\n");
    on_finished(ExitCode::failed);
  };
  const auto say = [&output, on_finished, name = options.node](std::string_view text) {
    output.out(fmt::format("node/{} {}\n", name, text));
    on_finished(ExitCode::ok);
  };
  const auto on_patched = [fail_with, say,
                           cancel = options.cancel](const Result<client::ObjectPtr>& node) {
    if (!node) {
      return fail_with(node.error().message);
    }
    say(done_text(static_cast<const Node&>(**node), cancel));
  };
  api.get(ref, [&api, ref, fail_with, say, on_patched, cancel = options.cancel,
                patch = order_patch(options.cancel, now)](const Result<client::ObjectPtr>& found) {
    if (!found) {
      return fail_with(found.error().message);
    }
    const auto& node = static_cast<const Node&>(**found);
    // Other nodes, hollow ones included, would not act on it.
    if (node.status().node_info().container_runtime_version() != node::AgentConfig().runtime) {
      return fail_with(
          fmt::format("node \"{}\" does not belong to `windlass up` or `windlass node`", ref.name));
    }
    if (cancel && !node::has_shutdown_order(node)) {
      return say("is not shutting down");
    }
    api.patch(ref, "", client::PatchType::merge, patch, on_patched);
  });
}

}  // namespace windlass::cli
