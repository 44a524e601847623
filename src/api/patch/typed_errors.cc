// What server-side apply says about a configuration that does not fit the schema (api.md M111).
#include <set>
#include <string_view>
#include <vector>

#include "api/patch/typed_merge.h"
#include "base/quote.h"

namespace windlass::api {
namespace {

// A configuration can be wrong everywhere, and every error names where.
constexpr size_t kMaxTypedErrors = 100;
constexpr size_t kMaxShownNameBytes = 256;

// Where in the configuration. The text is made only when there is something to say of the place.
struct ConfigPlace {
  const ConfigPlace* outer = nullptr;
  std::string_view dot = {};  // before the name of a member
  std::string_view name = {};

  std::string text() const {
    return outer == nullptr ? std::string()
                            : outer->text().append(dot).append(name.substr(0, kMaxShownNameBytes));
  }
};

class TypedChecker {
 public:
  std::vector<std::string> errors;

  // An object of the schema.
  void object(const JsonValue& value, const JsonStruct& type, const ConfigPlace& place) {
    if (value.is_null()) {
      return;
    }
    if (!value.is_object()) {
      wrong(place, "expected map, got " + shown(value));
      return;
    }
    for (const auto& [name, member] : value.members) {
      const ConfigPlace inner{&place, ".", name};
      const JsonField* field = find_field(&type, name);
      if (field != nullptr) {
        any(member, *field, inner);
      } else {
        wrong(inner, "field not declared in schema");
      }
    }
  }

 private:
  void wrong(const ConfigPlace& place, const std::string& why) {
    if (errors.size() < kMaxTypedErrors) {
      const std::string where = place.text();
      errors.push_back((where.empty() ? "." : where) + ": " + why);
    }
  }

  static std::string shown(const JsonValue& value) {
    return "&value.valueUnstructured{Value:" +
           (value.is_string() ? quote(value.text) : go_text(value)) + "}";
  }

  void any(const JsonValue& value, const JsonField& field, const ConfigPlace& place) {
    if (value.is_null()) {
      return;
    }
    switch (field.shape) {
      case JsonShape::map:
        if (!value.is_object()) {
          wrong(place, "expected map, got " + shown(value));
        }
        for (const auto& [name, member] : value.members) {
          one(member, field, {&place, ".", name});
        }
        return;
      case JsonShape::list:
        list(value, field, place);
        return;
      case JsonShape::single:
        one(value, field, place);
        return;
    }
  }

  void list(const JsonValue& value, const JsonField& field, const ConfigPlace& place) {
    if (!value.is_array()) {
      wrong(place, "expected list, got " + shown(value));
      return;
    }
    const NodeType type = type_of_field(field);
    std::set<std::string> seen;
    for (size_t i = 0; i < value.items.size(); ++i) {
      std::string name = "[" + std::to_string(i) + "]";
      if (!type.is_leaf()) {
        const Result<std::string> element = item_element(type, value.items[i]);
        if (!element) {
          wrong(place, "element " + std::to_string(i) + ": " + element.error().message);
          continue;
        }
        FieldSet named;
        named.children[*element].member = true;
        name = path_texts(named).front();
        if (!seen.insert(*element).second) {
          wrong(place, "duplicate entries for key " + name.substr(0, kMaxShownNameBytes));
        }
      }
      one(value.items[i], field, {&place, "", name});
    }
  }

  void one(const JsonValue& value, const JsonField& field, const ConfigPlace& place) {
    using Type = JsonValue::Type;
    if (value.is_null()) {
      return;
    }
    switch (field.kind) {
      case JsonKind::object:
        object(value, *field.object, place);
        return;
      case JsonKind::boolean:
        if (value.type != Type::boolean) {
          wrong(place, "expected boolean, got " + shown(value));
        }
        return;
      case JsonKind::int32:
      case JsonKind::int64:
        if (value.type != Type::number) {
          wrong(place,
                "expected numeric (int or float), got " + std::string(json_type_name(value)));
        }
        return;
      case JsonKind::string:
      case JsonKind::bytes:
      case JsonKind::time:
      case JsonKind::micro_time:
        if (value.type != Type::string) {
          wrong(place, "expected string, got " + shown(value));
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
  TypedChecker checker;
  checker.object(config, *type.object, {});
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
