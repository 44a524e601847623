// Strategic merge patch (api.md M93, M94): a JSON merge patch that knows the schema, so that lists
// merge by key, with the directives $patch, $retainKeys, $setElementOrder and
// $deleteFromPrimitiveList. Pure; any thread.
#pragma once

#include <string>

#include "api/codec/json/json_schema.h"
#include "api/codec/json/json_value.h"
#include "base/result.h"

namespace windlass::api {

// Changes `target`, an object of the type. What a patch says wrongly is a plain 500, as in
// Kubernetes.
Result<void> apply_strategic_merge(JsonValue& target, const JsonValue& patch,
                                   const JsonStruct& type);

// Why the tree cannot be an object of the type, or "" when its shape is right: the words of M93,
// `cannot restore struct from: string`.
std::string wrong_shape(const JsonValue& value, const JsonStruct& type);

}  // namespace windlass::api
