// JSON patch, RFC 6902 (api.md M91), from text to text. Pure; any thread.
//
// The work is bounded whatever the patch says: the number of operations, what `copy` adds, the
// depth of what comes out, and how many values are looked at or moved in all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::api {

inline constexpr size_t kMaxJsonPatchOperations = 10'000;
inline constexpr size_t kMaxJsonPatchCopyBytes = 3U << 20;
// Values visited by copies and moves, and items shifted inside arrays.
inline constexpr size_t kMaxJsonPatchWork = 20'000'000;

// `target` is an object that we encoded ourselves. No patch at all is a 400, too many operations a
// 413, one that cannot be carried out a 422.
Result<std::string> apply_json_patch(std::string_view target, std::string_view patch);

}  // namespace windlass::api
