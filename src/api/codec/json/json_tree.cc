#include "api/codec/json/json_tree.h"

#include "api/codec/base64.h"
#include "api/codec/json/json_encoder.h"
#include "api/codec/json/json_text.h"

namespace windlass::api {
namespace {

using Type = JsonValue::Type;

// Fills one value after the other. Pointers stay good: a list grows only after its last item is
// complete.
class TreeSink {
 public:
  explicit TreeSink(JsonValue& root) : value_(&root) {}

  JsonValue* begin() {
    JsonValue* outer = container_;
    container_ = value_;
    return outer;
  }
  void end_object(JsonValue* outer) { close(Type::object, outer); }
  void end_array(JsonValue* outer) { close(Type::array, outer); }

  void member(const JsonField& field) { value_ = &container_->members[field.name]; }
  void key(const std::string& name) { value_ = &container_->members[name]; }
  void item() { value_ = &container_->items.emplace_back(); }

  void null() {}
  void boolean(bool value) { set(Type::boolean, value ? "true" : "false"); }
  void integer(int64_t value) {
    value_->type = Type::number;
    append_integer(value, value_->text);
  }
  void string(std::string_view text) { set(Type::string, text); }
  void bytes(std::string_view content) {
    value_->type = Type::string;
    append_base64(content, value_->text);
  }
  void empty_array() { value_->type = Type::array; }
  void scalar_message(JsonKind kind, const Message& message) {
    text_.clear();
    append_scalar_message(kind, message, text_);
    if (kind == JsonKind::raw_json) {
      if (Result<JsonTree> tree = parse_json_value(text_)) {
        *value_ = std::move(tree->value);
      }
    } else if (text_.starts_with('"')) {
      set(Type::string, unescape_json_string(text_));
    } else if (text_ != "null") {
      set(Type::number, text_);
    }
  }

 private:
  void set(Type type, std::string_view text) {
    value_->type = type;
    value_->text = text;
  }
  void close(Type type, JsonValue* outer) {
    container_->type = type;
    container_ = outer;
  }

  JsonValue* value_;                // the next one to fill
  JsonValue* container_ = nullptr;  // the object or array that is open
  std::string text_;                // of a scalar message
};

}  // namespace

JsonValue to_json_tree(const Message& object, const TypeMeta& type) {
  JsonValue root;
  TreeSink sink(root);
  JsonEncoder(sink).object(json_struct(*object.GetDescriptor()), object, type);
  return root;
}

JsonValue to_json_tree(const Message& object, const TypeMeta& type,
                       std::span<const google::protobuf::FieldDescriptor* const> fields) {
  JsonValue root;
  TreeSink sink(root);
  JsonEncoder(sink).object_with(json_struct(*object.GetDescriptor()), object, type, fields);
  return root;
}

}  // namespace windlass::api
