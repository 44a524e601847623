// What a gRPC health service has said, in a kubelet's words. Pure.
#pragma once

#include <string>

#include "env/network_checks.h"

namespace windlass::node {

// Why the probe has failed; "" when it has not. `where` is host:port.
std::string health_problem(const env::GrpcHealth& health, const std::string& where,
                           Duration timeout);

}  // namespace windlass::node
