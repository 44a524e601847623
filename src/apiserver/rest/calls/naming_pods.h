// Which ConfigMaps and Secrets a node may read: those that a pod bound to it names. All pods of a
// namespace are looked at, so in pieces: others have their turns in between. Core executor only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apiserver/rest/rest_context.h"

namespace windlass::apiserver {

// The kinds that this is about.
bool is_named_by_pods(const api::Kind& kind);

// Calls back once, perhaps within the call, with whether there is such a pod; never when the
// handler goes away meanwhile.
void find_naming_pod(std::shared_ptr<RestContext> context, const ObjectRef& wanted,
                     const std::string& node, std::function<void(bool named)> then);

}  // namespace windlass::apiserver
