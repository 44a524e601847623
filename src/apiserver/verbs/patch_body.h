// The body of a PATCH as a tree. It is read where there is time, on a transport thread; the verb
// that works on the tree runs on the core. Pure; any thread.
#pragma once

#include <string_view>

#include "api/codec/json/json_value.h"
#include "client/api_client.h"

namespace windlass::apiserver {

struct PatchBody {
  client::PatchType type = client::PatchType::merge;
  // Or why it cannot be read, which the client hears only if there is an object to patch.
  Result<api::JsonTree> tree;
};

// The body of an apply is YAML or JSON, that of the others JSON.
PatchBody read_patch(client::PatchType type, std::string_view body);

}  // namespace windlass::apiserver
