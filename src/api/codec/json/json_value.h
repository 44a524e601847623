// JSON as a tree that may be changed: what patches work on, where a message is too strict (a patch
// has directives, nulls and halves of objects) and text too flat. Numbers keep their text. Members
// are sorted by name: the order in a document means nothing. Plain data; any thread.
//
// No tree is deeper than kMaxJsonDepth: its builders see to that, because the functions here
// recurse.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::api {

struct JsonValue {
  enum class Type { null, boolean, number, string, array, object };
  using Members = std::map<std::string, JsonValue, std::less<>>;

  Type type = Type::null;
  std::string text = {};  // true, false; the number as it was written; the string's content
  std::vector<JsonValue> items = {};
  Members members = {};

  static JsonValue string(std::string_view content);
  static JsonValue array();
  static JsonValue object();

  bool is_null() const { return type == Type::null; }
  bool is_string() const { return type == Type::string; }
  bool is_array() const { return type == Type::array; }
  bool is_object() const { return type == Type::object; }
  // Null, or an object, array or string without content.
  bool is_empty() const;

  // nullptr where there is no such member, or no object.
  const JsonValue* find(std::string_view name) const;
  JsonValue* find(std::string_view name);
};

struct JsonTree {
  JsonValue value;
  // Paths of members given twice, the first kMaxFieldProblems of them; the last one is in the tree.
  std::vector<std::string> duplicates;
};

// A patch that cannot be read: a 400 that says why, in the words of Kubernetes.
Status bad_patch(std::string_view why);
// A patch that can be read, but not carried out: a 422 that does not say why, as in Kubernetes.
Status rejected_patch();

// A text that is not one JSON value is a 400 whose message is Go's.
Result<JsonTree> parse_json_value(std::string_view text);

void append_json(const JsonValue& value, std::string& out);
std::string to_json_text(const JsonValue& value);

// Equal as JSON: 1, 1.0 and 1e0 are one number.
bool json_equal(const JsonValue& a, const JsonValue& b);

// As Go prints it with %v: map[a:1 b:[x y] c:<nil>].
std::string go_text(const JsonValue& value);

// object, array, string, number, bool, null: how Go's decoder calls it.
std::string_view json_type_name(const JsonValue& value);

}  // namespace windlass::api
