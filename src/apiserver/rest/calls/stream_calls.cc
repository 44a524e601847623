// The subresources of pods that are streams of their containers: exec.
#include <fmt/format.h>

#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/calls/log_options.h"
#include "apiserver/rest/options.h"
#include "apiserver/rest/streams/command_session.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Pod;

Result<CommandOrder> parse_command(const http::Target& target) {
  CommandOrder order;
  order.container = text_parameter(target, "container");
  order.command = list_parameter(target, "command");
  order.input = target.flag("stdin");
  order.output = target.flag("stdout");
  order.errors = target.flag("stderr");
  order.terminal = target.flag("tty");
  if (order.command.empty() || order.command[0].empty()) {
    return fail(bad_request("you must specify at least one command for the container"));
  }
  if (!order.input && !order.output && !order.errors) {
    return fail(bad_request("you must specify at least one of stdin, stdout, stderr"));
  }
  return order;
}

// Where clients fall back to another protocol, what they say in the end is the answer to that.
Status no_upgrade(const Pod& pod, const std::string& container) {
  for (const auto* statuses :
       {&pod.status().container_statuses(), &pod.status().init_container_statuses()}) {
    for (const auto& status : *statuses) {
      if (status.name() == container && !status.state().has_running()) {
        return bad_request(
            fmt::format("container {} of pod {} is not running", container, pod.metadata().name()));
      }
    }
  }
  return bad_request(
      "this server takes commands over WebSocket only: use kubectl 1.31 or newer, or set "
      "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true with 1.29 or 1.30");
}

}  // namespace

Prepared prepare_exec(RestContext& context, RestRequest request) {
  auto order = parse_command(request.target);
  if (!order) {
    return failure_response(order.error(), request.format);
  }
  const http::Headers& headers = request.http.headers;
  Result<WebSocketUpgrade> upgrade = WebSocketUpgrade();
  if (wants_websocket(headers)) {
    upgrade = check_websocket(headers, kCommandProtocols);
  }
  if (!upgrade) {
    return failure_response(upgrade.error(), request.format);
  }
  return make_call(
      [&context, request = std::move(request), order = *std::move(order),
       upgrade = *std::move(upgrade)](std::shared_ptr<http::Exchange> exchange) mutable {
        const Reply reply(context, request, exchange);
        const auto found = context.server.get(request.ref());
        if (!found) {
          reply.fail(found.error());
          return;
        }
        order.pod = api::object_as<Pod>(*found);
        const auto container = choose_container(*order.pod, order.container);
        const std::string& node = order.pod->spec().node_name();
        if (!container) {
          reply.fail(container.error());
        } else if (node.empty()) {
          reply.fail(bad_request(
              fmt::format("pod {} does not have a host assigned", order.pod->metadata().name())));
        } else if (!context.hooks.open_command) {
          reply.fail(not_found({"", "nodes", node}));
        } else if (upgrade.protocol.empty()) {
          reply.fail(no_upgrade(*order.pod, *container));
        } else {
          order.container = *container;
          reply.note(101);
          CommandSession::start(context.hooks.open_command, order, std::move(upgrade),
                                std::move(exchange));
        }
      });
}

}  // namespace windlass::apiserver
