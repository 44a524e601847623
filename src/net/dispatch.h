// From a whole request to its answer: asks the handler, on an I/O thread, and runs what it makes of
// the request on the core.
#pragma once

#include <memory>
#include <optional>

#include "http/message.h"
#include "net/admission/request_hold.h"
#include "net/exchange_link.h"
#include "net/server_state.h"

namespace windlass::net {

// The caller counts with its connection and its request. An answer that needs no look at the store,
// if there is one: then the link is not used. Otherwise the answer comes through the link, inside
// this call or later.
std::optional<http::Response> dispatch(ServerState& state, http::Request request,
                                       http::RequestClass request_class,
                                       ConnectionIdentity& identity, RequestHold& hold,
                                       const std::shared_ptr<ExchangeLink>& link);

}  // namespace windlass::net
