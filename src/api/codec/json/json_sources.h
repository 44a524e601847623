// The two kinds of parsed JSON that the reader takes: simdjson's document, and a tree of JsonValue.
// TreeElement has as much of simdjson::dom::element as the reader uses. Internal to the codec.
#pragma once

#include <simdjson.h>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json_path.h"
#include "api/codec/json/json_reader.h"
#include "api/codec/json/json_value.h"

namespace windlass::api {

struct TreeObject {
  const JsonValue::Members* members = nullptr;

  auto begin() const { return members->begin(); }
  auto end() const { return members->end(); }
  size_t size() const { return members->size(); }
};

struct TreeArray {
  const std::vector<JsonValue>* items = nullptr;

  auto begin() const { return items->begin(); }
  auto end() const { return items->end(); }
};

class TreeElement {
 public:
  using Object = TreeObject;
  using Array = TreeArray;

  explicit TreeElement(const JsonValue& value) : value_(&value) {}

  const JsonValue& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }
  bool is_number() const { return value_->type == JsonValue::Type::number; }

  simdjson::error_code get(bool& truth) const {
    truth = value_->text == "true";
    return check(value_->type == JsonValue::Type::boolean);
  }
  simdjson::error_code get(int64_t& number) const {
    const char* const end = value_->text.data() + value_->text.size();
    const auto [stop, error] = std::from_chars(value_->text.data(), end, number);
    return check(is_number() && error == std::errc() && stop == end);
  }
  simdjson::error_code get(std::string_view& text) const {
    if (value_->is_string()) {
      text = value_->text;
    }
    return check(value_->is_string());
  }
  simdjson::error_code get(TreeObject& object) const {
    object.members = &value_->members;
    return check(value_->is_object());
  }
  simdjson::error_code get(TreeArray& array) const {
    array.items = &value_->items;
    return check(value_->is_array());
  }

 private:
  static simdjson::error_code check(bool is_right) {
    return is_right ? simdjson::SUCCESS : simdjson::INCORRECT_TYPE;
  }

  const JsonValue* value_;
};

// The same types of simdjson's document.
struct DomElement : simdjson::dom::element {
  using Object = simdjson::dom::object;
  using Array = simdjson::dom::array;

  explicit DomElement(const simdjson::dom::element& parsed) : simdjson::dom::element(parsed) {}
};

// Go's name for the type, as in json_reader.h.
inline std::string_view describe_json(const TreeElement& element) {
  return json_type_name(element.value());
}

inline std::string compact_json(const TreeElement& element) {
  return to_json_text(element.value());
}
inline std::string compact_json(const simdjson::dom::element& element) {
  return simdjson::minify(element);
}

// The number at that place as it was written. `text` is what the document was parsed from.
inline std::string number_literal(const TreeElement& element, std::string_view /*text*/,
                                  const JsonFrame* /*at*/) {
  return element.value().text;
}
inline std::string number_literal(const simdjson::dom::element& /*element*/, std::string_view text,
                                  const JsonFrame* at) {
  return number_at(text, at);
}

}  // namespace windlass::api
