#include "net/dispatch.h"

#include <utility>
#include <variant>

#include "http/status_response.h"

namespace windlass::net {

std::optional<http::Response> dispatch(ServerState& state, http::Request request,
                                       http::RequestClass request_class, Standing& standing,
                                       RequestHold& hold,
                                       const std::shared_ptr<ExchangeLink>& link) {
  state.requests.fetch_add(1, std::memory_order_relaxed);
  const http::Caller caller = state.handler.identify(request.headers, request.peer);
  if (!standing.admit(caller, state.limits.connections)) {
    state.throttled.fetch_add(1);
    return http::status_response(
        http::too_many_requests("Too many connections of this user, please use fewer."));
  }
  if (!hold.take_place(request_class, caller)) {
    return http::status_response(
        http::too_many_requests("Too many requests, please try again later."));
  }
  auto prepared = state.handler.prepare(std::move(request));
  if (auto* response = std::get_if<http::Response>(&prepared)) {
    return std::move(*response);
  }
  std::shared_ptr<http::Call> call = std::get<std::unique_ptr<http::Call>>(std::move(prepared));
  const bool quick = call->is_quick();
  env::Task run = [place = hold.share(), call = std::move(call),
                   exchange = std::make_shared<CoreExchange>(link)]() mutable {
    const auto held = std::move(place);
    // Both go where the call keeps them: an exchange that nobody keeps is answered.
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
