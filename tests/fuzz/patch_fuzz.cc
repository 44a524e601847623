// Any patch on any object: the first line is the target, the rest the patch. Whatever comes out is
// JSON, and a configuration that is applied a second time changes nothing.
#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json/json_value.h"
#include "api/kind.h"
#include "api/patch/field_set.h"
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "api/patch/typed_compare.h"
#include "api/patch/typed_merge.h"
#include "base/check.h"
#include "schema/core/v1/pod.pb.h"

namespace {

using namespace windlass::api;

const JsonStruct& pod_struct() {
  return json_struct(*core::v1::Pod::descriptor());
}

void merge_strategically(const JsonValue& target, const JsonValue& patch) {
  JsonValue once = target;
  if (!apply_strategic_merge(once, patch, pod_struct())) {
    return;
  }
  CHECK(parse_json_value(to_json_text(once)).has_value(), "a tree is JSON");
  wrong_shape(once, pod_struct());
}

void apply_twice(const JsonValue& live, const JsonValue& config) {
  const NodeType type = root_type(pod_struct());
  if (!live.is_object() || !typed_errors(config, type).empty()) {
    return;
  }
  JsonValue merged = live;
  merge_typed(merged, config, type);
  const FieldSet owned = fields_of(config, type);
  CHECK(*parse_field_set(to_fields_v1(owned)) == owned, to_fields_v1(owned));
  JsonValue again = merged;
  merge_typed(again, config, type);
  prune_typed(again, {owned, owned, {}}, type);
  const FieldChanges changes = compare_fields(merged, again, type);
  CHECK(changes.set.empty() && changes.removed.empty(), to_json_text(again));
  prune_typed(again, {owned, {}, {}}, type);
  path_texts(compare_fields(merged, again, type).removed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) {
    return 0;
  }
  const auto target = parse_json_value(text.substr(0, line));
  const std::string_view patch_text = text.substr(line + 1);
  if (!target) {
    return 0;
  }
  const auto patch = parse_json_value(patch_text);
  if (patch) {
    JsonValue patched = target->value;
    if (apply_json_patch(patched, patch->value)) {
      CHECK(parse_json_value(to_json_text(patched)).has_value(), to_json_text(patched));
    }
    patched = target->value;
    if (apply_merge_patch(patched, patch->value)) {
      CHECK(parse_json_value(to_json_text(patched)).has_value(), to_json_text(patched));
    }
    if (target->value.is_object() && patch->value.is_object()) {
      merge_strategically(target->value, patch->value);
    }
    apply_twice(target->value, patch->value);
  }
  return 0;
}
