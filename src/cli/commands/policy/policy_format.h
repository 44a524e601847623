// -o of `windlass policy test` and `windlass policy lint`.
#pragma once

namespace windlass::cli {

enum class PolicyFormat { table, json, junit };

}  // namespace windlass::cli
