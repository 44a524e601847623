#include "net/dispatch.h"

#include <utility>
#include <variant>

#include "http/status_response.h"

namespace windlass::net {

std::optional<http::Response> dispatch(ServerState& state, http::Request request,
                                       http::RequestClass request_class,
                                       ConnectionIdentity& identity, RequestHold& hold,
                                       const std::shared_ptr<ExchangeLink>& link) {
  state.requests.fetch_add(1, std::memory_order_relaxed);
  if (request.context == nullptr) {
    request.context = state.handler.read_head(request, request.peer);
  }
  hold.charge(request.context->caller);
  if (!identity.admit(request.context->caller)) {
    state.throttled.fetch_add(1);
    return http::status_response(
        http::too_many_requests("Too many connections of this user, please use fewer."));
  }
  if (!hold.take_place(request_class, identity.network())) {
    return http::status_response(
        http::too_many_requests("Too many requests, please try again later."));
  }
  auto prepared = state.handler.prepare(std::move(request));
  if (auto* response = std::get_if<http::Response>(&prepared)) {
    return std::move(*response);
  }
  std::shared_ptr<http::Call> call = std::get<std::unique_ptr<http::Call>>(std::move(prepared));
  const bool quick = call->is_quick();
  env::Task run = [admitted = hold.share(), call = std::move(call),
                   exchange = std::make_shared<CoreExchange>(link)]() mutable {
    const auto held = std::move(admitted);
    // Both go where the call keeps them: an exchange that is dropped is answered.
    const auto running = std::move(call);
    if (!exchange->is_client_gone()) {
      running->run(std::move(exchange));
    }
  };
  if (!quick || !state.core.try_run(run)) {
    state.core.post(std::move(run));
  }
  return std::nullopt;
}

}  // namespace windlass::net
