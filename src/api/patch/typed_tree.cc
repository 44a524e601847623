#include "api/patch/typed_tree.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>

#include "base/quote.h"

namespace windlass::api {
namespace {

using Form = NodeType::Form;

// References: their parts mean something only together (x-kubernetes-map-type: atomic of the type).
bool is_reference(const JsonStruct& object) {
  static constexpr std::array<std::string_view, 3> kNames = {
      "OwnerReference", "LocalObjectReference", "ObjectReference"};
  return std::ranges::find(kNames, object.descriptor->name()) != kNames.end();
}

Form form_of(const JsonField& field) {
  switch (patch_rule(field).merging) {
    case Merging::atomic:
      return Form::leaf;
    case Merging::set:
      return Form::set;
    case Merging::keyed:
      return Form::keyed;
    case Merging::granular:
      break;
  }
  if (field.shape == JsonShape::map) {
    return Form::map;
  }
  return field.object == nullptr || is_reference(*field.object) ? Form::leaf : Form::object;
}

}  // namespace

NodeType root_type(const JsonStruct& object) {
  return {Form::object, &object, nullptr};
}

NodeType type_of_field(const JsonField& field) {
  return {form_of(field), field.object, &field};
}

NodeType member_type(const NodeType& type, std::string_view name) {
  if (type.form != Form::object) {
    return {};
  }
  const JsonField* field = find_field(type.object, name);
  return field == nullptr ? NodeType() : type_of_field(*field);
}

NodeType item_type(const NodeType& type) {
  if (type.form != Form::keyed || type.object == nullptr || is_reference(*type.object)) {
    return {};
  }
  return {Form::object, type.object, nullptr};
}

std::string field_element(std::string_view name) {
  return "f:" + std::string(name);
}

Result<std::string> item_element(const NodeType& list, const JsonValue& item) {
  if (list.form == Form::set) {
    if (item.is_object() || item.is_array() || item.is_null()) {
      return fail(bad_request("lists and nulls are not allowed in a set"));
    }
    return "v:" + to_json_text(item);
  }
  if (!item.is_object()) {
    return fail(bad_request("associative list with keys may not have non-map elements"));
  }
  JsonValue keys = JsonValue::object();
  for (const std::string_view name : key_names(list)) {
    const JsonValue* value = item.find(name);
    if (value == nullptr && default_key_value(name).empty()) {
      return fail(bad_request("associative list with keys has an element that omits key field " +
                              quote(name) + " (and doesn't have default value)"));
    }
    keys.members.emplace(name,
                         value == nullptr ? JsonValue::string(default_key_value(name)) : *value);
  }
  return "k:" + to_json_text(keys);
}

const std::vector<std::string_view>& key_names(const NodeType& list) {
  return patch_rule(*list.field).keys;
}

}  // namespace windlass::api
