// `kind: List` (what `kubectl get -o yaml` prints for several objects) taken apart into the
// documents it holds, each with the positions of its own fields. Pure; any thread.
#pragma once

#include <vector>

#include "api/codec/yaml/yaml.h"

namespace windlass::api {

// The items of a v1 List; any other document comes back alone, as it is.
std::vector<YamlDocument> split_list(YamlDocument document);

}  // namespace windlass::api
