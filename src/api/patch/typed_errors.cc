// What server-side apply says about a configuration that does not fit the schema (api.md M111).
#include <set>
#include <vector>

#include "api/patch/typed_merge.h"
#include "base/quote.h"

namespace windlass::api {
namespace {

using Form = NodeType::Form;

class Checker {
 public:
  std::vector<std::string> errors;

  // An object of the schema.
  void object(const JsonValue& value, const JsonStruct& type, const std::string& path) {
    if (value.is_null()) {
      return;
    }
    if (!value.is_object()) {
      wrong(path, "expected map, got " + shown(value));
      return;
    }
    for (const auto& [name, member] : value.members) {
      const std::string inner = path + "." + name;
      const JsonField* field = find_field(&type, name);
      if (field != nullptr) {
        any(member, *field, inner);
      } else {
        wrong(inner, "field not declared in schema");
      }
    }
  }

 private:
  void wrong(const std::string& path, const std::string& why) {
    errors.push_back((path.empty() ? "." : path) + ": " + why);
  }

  static std::string shown(const JsonValue& value) {
    return "&value.valueUnstructured{Value:" +
           (value.is_string() ? quote(value.text) : go_text(value)) + "}";
  }

  void any(const JsonValue& value, const JsonField& field, const std::string& path) {
    if (value.is_null()) {
      return;
    }
    switch (field.shape) {
      case JsonShape::map:
        if (!value.is_object()) {
          wrong(path, "expected map, got " + shown(value));
        }
        for (const auto& [name, member] : value.members) {
          one(member, field, path + "." + name);
        }
        return;
      case JsonShape::list:
        list(value, field, path);
        return;
      case JsonShape::single:
        one(value, field, path);
        return;
    }
  }

  void list(const JsonValue& value, const JsonField& field, const std::string& path) {
    if (!value.is_array()) {
      wrong(path, "expected list, got " + shown(value));
      return;
    }
    const NodeType type = type_of_field(field);
    std::set<std::string> seen;
    for (size_t i = 0; i < value.items.size(); ++i) {
      std::string place = path + "[" + std::to_string(i) + "]";
      if (!type.is_leaf()) {
        const Result<std::string> element = item_element(type, value.items[i]);
        if (!element) {
          wrong(path, "element " + std::to_string(i) + ": " + element.error().message);
          continue;
        }
        FieldSet named;
        named.children[*element].member = true;
        const std::string name = path_texts(named).front();
        if (!seen.insert(*element).second) {
          wrong(path, "duplicate entries for key " + name);
        }
        place = path + name;
      }
      one(value.items[i], field, place);
    }
  }

  void one(const JsonValue& value, const JsonField& field, const std::string& path) {
    using Type = JsonValue::Type;
    if (value.is_null()) {
      return;
    }
    switch (field.kind) {
      case JsonKind::object:
        object(value, *field.object, path);
        return;
      case JsonKind::boolean:
        if (value.type != Type::boolean) {
          wrong(path, "expected boolean, got " + shown(value));
        }
        return;
      case JsonKind::int32:
      case JsonKind::int64:
        if (value.type != Type::number) {
          wrong(path, "expected numeric (int or float), got " + std::string(json_type_name(value)));
        }
        return;
      case JsonKind::string:
      case JsonKind::bytes:
      case JsonKind::time:
      case JsonKind::micro_time:
        if (value.type != Type::string) {
          wrong(path, "expected string, got " + shown(value));
        }
        return;
      case JsonKind::quantity:
      case JsonKind::int_or_string:
      case JsonKind::raw_json:
        return;
    }
  }
};

}  // namespace

std::string typed_errors(const JsonValue& config, const NodeType& type) {
  Checker checker;
  checker.object(config, *type.object, "");
  if (checker.errors.size() <= 1) {
    return checker.errors.empty() ? "" : checker.errors.front();
  }
  std::string text = "errors:";
  for (const std::string& error : checker.errors) {
    text += "\n  " + error;
  }
  return text;
}

}  // namespace windlass::api
