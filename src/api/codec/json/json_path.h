// Where in a document the JSON reader is: a chain of frames on its call stack, turned into text
// only when something is wrong. Internal to the codec.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/codec/json/json_schema.h"

namespace windlass::api {

struct JsonFrame {
  enum class Type { field, map_key, item };

  const JsonFrame* outer = nullptr;  // nullptr for a member of the document itself
  Type type = Type::field;
  std::string_view name;              // of a field or a map key
  size_t index = 0;                   // of an item
  const JsonStruct* shape = nullptr;  // that a field belongs to
};

// spec.template.spec.containers[0].zork, and `name` behind it when given.
std::string path_text(const JsonFrame* at, std::string_view name = {});

// `json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32`.
// Go's field path has no indexes and no map keys.
std::string type_mismatch_text(const JsonFrame* at, std::string_view what,
                               std::string_view go_type);

// The number at that place as it stands in the text, or "" when it is not found.
std::string number_at(std::string_view json, const JsonFrame* at);

// The Go type that Kubernetes has for the field, or for one of its items or entries.
std::string go_type_of(const JsonField& field);
std::string go_item_type_of(const JsonField& field);

}  // namespace windlass::api
