#include "cli/node_command.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "node/config.h"
#include "node/shutdown_order.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::cli {
namespace {

std::string order_patch(bool cancel, Time now) {
  return fmt::format(R"({{"metadata":{{"annotations":{{"{}":{}}}}}}})", node::kShutdownAnnotation,
                     cancel ? "null" : quote(format_rfc3339(now)));
}

}  // namespace

void order_node_shutdown(client::ApiClient& api, const NodeShutdownOptions& options, Time now,
                         Output& output, const std::function<void(ExitCode)>& on_finished) {
  const client::ObjectRef ref{&api::kinds::node(), "", options.node};
  const auto fail_with = [&output, on_finished](const std::string& why) {
    output.err("error: " + why + "\n");
    on_finished(ExitCode::failed);
  };
  const auto on_patched = [&output, on_finished, fail_with,
                           options](const Result<client::ObjectPtr>& node) {
    if (!node) {
      return fail_with(node.error().message);
    }
    output.out(fmt::format("node/{} {}\n", options.node,
                           options.cancel ? "takes pods again" : "is shutting down"));
    on_finished(ExitCode::ok);
  };
  api.get(ref, [&api, ref, fail_with, on_patched,
                patch = order_patch(options.cancel, now)](const Result<client::ObjectPtr>& found) {
    if (!found) {
      return fail_with(found.error().message);
    }
    const auto& node = static_cast<const api::core::v1::Node&>(**found);
    // Nobody else would act on it, hollow nodes neither.
    if (node.status().node_info().container_runtime_version() != node::AgentConfig().runtime) {
      return fail_with(fmt::format(
          "node \"{}\" is not one that `windlass up` or `windlass node` runs", ref.name));
    }
    api.patch(ref, "", client::PatchType::merge, patch, on_patched);
  });
}

}  // namespace windlass::cli
