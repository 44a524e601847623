// The answers that the transport itself gives, as Kubernetes' clients expect errors: a Status in
// JSON. Everything else answers through the API's own codec. Pure; any thread.
#pragma once

#include <string>

#include "base/status.h"
#include "http/message.h"

namespace windlass::http {

// With a Retry-After header when the details have one.
Response status_response(const Status& status);

// 429: there is no room right now (api.md M28).
Status too_many_requests(std::string message);
// 504: took longer than a request may.
Status request_timeout(std::string message);

}  // namespace windlass::http
