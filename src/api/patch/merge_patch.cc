#include "api/patch/merge_patch.h"

namespace windlass::api {
namespace {

// Recursion is bounded by the depth of a tree.
void merge(JsonValue& target, const JsonValue& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) {
    target = JsonValue::object();
  }
  for (const auto& [name, change] : patch.members) {
    if (change.is_null()) {
      target.members.erase(name);
    } else {
      merge(target.members[name], change);
    }
  }
}

}  // namespace

Result<void> apply_merge_patch(JsonValue& target, const JsonValue& patch) {
  if (patch.is_null()) {
    return fail(bad_request("Invalid JSON Patch"));
  }
  if (!patch.is_object()) {
    return fail(bad_patch("json: cannot unmarshal " + std::string(json_type_name(patch)) +
                          " into Go value of type map[string]interface {}"));
  }
  merge(target, patch);
  return {};
}

}  // namespace windlass::api
