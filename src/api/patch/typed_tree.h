// What each value of a JSON tree is to server-side apply: one thing that is owned whole, or
// something whose parts have owners of their own (api.md M104). Pure look-ups; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json_value.h"
#include "api/patch/patch_schema.h"
#include "base/result.h"

namespace windlass::api {

struct NodeType {
  enum class Form {
    leaf,    // owned whole: a scalar, or what the schema calls atomic
    object,  // by field
    map,     // by key
    set,     // by value
    keyed,   // a list whose items are known by some of their fields
  };
  Form form = Form::leaf;
  const JsonStruct* object = nullptr;  // of objects, and of the items of a keyed list
  const JsonField* field = nullptr;    // nullptr for the root and for what the schema does not know

  bool is_leaf() const { return form == Form::leaf; }
};

NodeType root_type(const JsonStruct& object);
NodeType type_of_field(const JsonField& field);
// Of a member of an object or map.
NodeType member_type(const NodeType& type, std::string_view name);
// Of the items of a set or keyed list.
NodeType item_type(const NodeType& type);

// f:name
std::string field_element(std::string_view name);
// The path element of an item of a set or keyed list: v:"x" or k:{"name":"c"}. The error says what
// is missing.
Result<std::string> item_element(const NodeType& list, const JsonValue& item);
// Which members name the items of a keyed list.
const std::vector<std::string_view>& key_names(const NodeType& list);

}  // namespace windlass::api
