// JSON patch, RFC 6902 (api.md M91). Pure; any thread.
//
// The work is bounded whatever the patch says: the number of operations, what `copy` adds, the
// depth of what comes out, and how many values are looked at or moved in all.
#pragma once

#include <cstddef>

#include "api/codec/json/json_value.h"
#include "base/result.h"

namespace windlass::api {

inline constexpr size_t kMaxJsonPatchOperations = 10'000;
inline constexpr size_t kMaxJsonPatchCopyBytes = 3U << 20;
// Values visited by copies and moves, and items shifted inside arrays.
inline constexpr size_t kMaxJsonPatchWork = 20'000'000;

// A value that is no patch is a 400, too many operations are a 413, an operation that cannot be
// carried out is a 422 and leaves the target half changed.
Result<void> apply_json_patch(JsonValue& target, const JsonValue& patch);

}  // namespace windlass::api
