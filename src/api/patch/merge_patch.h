// JSON merge patch, RFC 7396 (api.md M92), from text to text. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::api {

// `target` is an object that we encoded ourselves. A patch that is no JSON object is a 400.
Result<std::string> apply_merge_patch(std::string_view target, std::string_view patch);

}  // namespace windlass::api
