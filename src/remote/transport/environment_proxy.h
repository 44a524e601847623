// The proxy that the environment asks for: HTTPS_PROXY (HTTP_PROXY for a server without TLS) and
// NO_PROXY, read as Go programs read them, kubectl among them. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "remote/cluster_access.h"

namespace windlass::remote {

// The values, whichever spelling they came from.
struct ProxyEnvironment {
  std::string https_proxy = {};
  std::string http_proxy = {};
  std::string no_proxy = {};
};

// Nothing where none is asked for. A server on this machine is never reached through a proxy.
Result<std::optional<Proxy>> proxy_from_environment(const ServerUrl& server,
                                                    const ProxyEnvironment& environment);

// Whether NO_PROXY names the server: `*`; names, which mean their subdomains too (`.name` and
// `*.name` mean only those); addresses; ranges (10.0.0.0/8); each but a range with a port if it is
// for that one alone.
bool is_excepted(const ServerUrl& server, std::string_view no_proxy);

}  // namespace windlass::remote
