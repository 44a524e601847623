// Everything that is served in one document, as newer clients ask for it (api.md M122). Pure.
#pragma once

#include <string>

namespace windlass::apiserver {

// The core group alone, or all the others; apidiscovery.k8s.io/v2, or v2beta1.
std::string aggregated_discovery(bool core, bool beta);

}  // namespace windlass::apiserver
