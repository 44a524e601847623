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

Result<std::string> set_element(const JsonValue& item) {
  if (item.is_object()) {
    return fail(bad_request("associative list without keys has an element that's a map type"));
  }
  if (item.is_array()) {
    return fail(bad_request("not supported: associative list with lists as elements"));
  }
  if (item.is_null()) {
    return fail(
        bad_request("associative list without keys has an element that's an explicit null"));
  }
  return "v:" + to_json_text(item);
}

// ["containerPort" "protocol"], as Go prints them.
std::string quoted_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text += (text.empty() ? "" : " ") + quote(name);
  }
  return "[" + text + "]";
}

// An item may leave out some of its keys: another item that has them is another item.
Result<std::string> keyed_element(const NodeType& list, const JsonValue& item) {
  if (item.is_null()) {
    return fail(bad_request("associative list with keys may not have a null element"));
  }
  if (!item.is_object()) {
    return fail(bad_request("associative list with keys may not have non-map elements"));
  }
  JsonValue keys = JsonValue::object();
  for (const std::string_view name : key_names(list)) {
    const std::string_view default_value = default_key_value(name);
    if (const JsonValue* value = item.find(name)) {
      keys.members.emplace(name, *value);
    } else if (!default_value.empty()) {
      keys.members.emplace(name, JsonValue::string(default_value));
    }
  }
  if (keys.members.empty()) {
    return fail(bad_request("associative list with keys has an element that omits all key fields " +
                            quoted_names(key_names(list)) +
                            " (and doesn't have default values for any key fields)"));
  }
  return "k:" + to_json_text(keys);
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
  return list.form == Form::set ? set_element(item) : keyed_element(list, item);
}

const std::vector<std::string_view>& key_names(const NodeType& list) {
  return patch_rule(*list.field).keys;
}

}  // namespace windlass::api
