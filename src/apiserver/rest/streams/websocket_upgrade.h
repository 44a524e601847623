// Whether a request asks for a WebSocket, and what is answered (RFC 6455, 4.2). Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace windlass::apiserver {

struct WebSocketUpgrade {
  std::string protocol;  // the client's first choice of those that are served
  http::Headers headers;
};

bool wants_websocket(const http::Headers& headers);
// 400 for what is no proper request, or offers no protocol that is served; 403 for the page of
// another site, which a browser lets connect anywhere, with the user's certificate.
Result<WebSocketUpgrade> check_websocket(const http::Headers& headers,
                                         std::span<const std::string_view> protocols);

}  // namespace windlass::apiserver
