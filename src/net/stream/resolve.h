#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/stream/endpoint.h"

namespace windlass::net {

// The addresses of a host, best first; an address is its own. Blocks for as long as the system's
// resolver does: for a thread that has time.
inline constexpr size_t kMaxAddresses = 16;
Result<std::vector<Endpoint>> resolve(const std::string& host, uint16_t port);

}  // namespace windlass::net
