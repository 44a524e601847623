#include "api/patch/merge_patch.h"

#include <simdjson.h>

#include <map>

#include "api/codec/json_scanner.h"
#include "api/codec/json_text.h"
#include "api/patch/json_value.h"
#include "base/check.h"

namespace windlass::api {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

// Recursion below is bounded by the depth that the parser accepts.
constexpr size_t kMaxDepth = kMaxJsonDepth;

// The members of an object; of a key given twice the last one counts.
std::map<std::string_view, element> members_of(object value) {
  std::map<std::string_view, element> members;
  for (const auto field : value) {
    members.insert_or_assign(field.key, field.value);
  }
  return members;
}

void append_key(std::string_view key, bool& first, std::string& out) {
  if (!first) {
    out += ',';
  }
  first = false;
  append_json_string(key, out);
  out += ':';
}

void append_value(element value, std::string& out) {
  if (value.type() == element_type::STRING) {
    append_json_string(value.get_string().value_unsafe(), out);
  } else {
    out += simdjson::to_string(value);
  }
}

// What a patch value becomes where there is nothing to merge it with: itself, without its nulls.
void append_new(element patch, std::string& out) {
  if (patch.type() != element_type::OBJECT) {
    append_value(patch, out);
    return;
  }
  out += '{';
  bool first = true;
  for (const auto& [key, value] : members_of(patch.get_object().value_unsafe())) {
    if (value.type() != element_type::NULL_VALUE) {
      append_key(key, first, out);
      append_new(value, out);
    }
  }
  out += '}';
}

void append_merged(element target, element patch, std::string& out) {
  if (target.type() != element_type::OBJECT || patch.type() != element_type::OBJECT) {
    append_new(patch, out);
    return;
  }
  std::map<std::string_view, element> changes = members_of(patch.get_object().value_unsafe());
  out += '{';
  bool first = true;
  const simdjson::dom::object members = target.get_object().value_unsafe();
  for (const auto field : members) {
    const auto change = changes.find(field.key);
    if (change == changes.end()) {
      append_key(field.key, first, out);
      append_value(field.value, out);
      continue;
    }
    if (change->second.type() != element_type::NULL_VALUE) {
      append_key(field.key, first, out);
      append_merged(field.value, change->second, out);
    }
    changes.erase(change);
  }
  for (const auto& [key, value] : changes) {
    if (value.type() != element_type::NULL_VALUE) {
      append_key(key, first, out);
      append_new(value, out);
    }
  }
  out += '}';
}

std::string_view type_name(element_type type) {
  switch (type) {
    case element_type::ARRAY:
      return "array";
    case element_type::STRING:
      return "string";
    case element_type::BOOL:
      return "bool";
    default:
      return "number";
  }
}

}  // namespace

Result<std::string> apply_merge_patch(std::string_view target, std::string_view patch) {
  simdjson::dom::parser target_parser;
  simdjson::dom::parser patch_parser;
  element stored;
  CHECK(target_parser.parse(simdjson::padded_string(target)).get(stored) == simdjson::SUCCESS,
        "our own JSON is good");
  element change;
  if (patch_parser.allocate(patch.size(), kMaxDepth) != simdjson::SUCCESS) {
    return fail(bad_patch("out of memory"));
  }
  const auto error = patch_parser.parse(simdjson::padded_string(patch)).get(change);
  if (error != simdjson::SUCCESS) {
    const std::string why = json_syntax_error(patch);
    return fail(bad_patch(why.empty() ? simdjson::error_message(error) : why));
  }
  if (change.type() == element_type::NULL_VALUE) {
    return fail(bad_request("Invalid JSON Patch"));
  }
  if (change.type() != element_type::OBJECT) {
    return fail(bad_patch("json: cannot unmarshal " + std::string(type_name(change.type())) +
                          " into Go value of type map[string]interface {}"));
  }
  std::string merged;
  merged.reserve(target.size() + patch.size());
  append_merged(stored, change, merged);
  return merged;
}

}  // namespace windlass::api
