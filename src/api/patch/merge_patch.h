// JSON merge patch, RFC 7396 (api.md M92). Pure; any thread.
#pragma once

#include "api/codec/json/json_value.h"
#include "base/result.h"

namespace windlass::api {

// A patch that is not a JSON object is a 400.
Result<void> apply_merge_patch(JsonValue& target, const JsonValue& patch);

}  // namespace windlass::api
