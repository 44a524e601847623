// -o of `windlass policy test` and `windlass policy lint`. Only lint has sarif and github.
#pragma once

namespace windlass::cli {

enum class PolicyFormat { table, json, junit, sarif, github };

}  // namespace windlass::cli
