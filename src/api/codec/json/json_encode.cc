// Messages as JSON text: one pass that appends to one string.
#include "api/codec/base64.h"
#include "api/codec/json/json.h"
#include "api/codec/json/json_encoder.h"
#include "api/codec/json/json_text.h"
#include "base/json_writer.h"

namespace windlass::api {
namespace {

// Members and items are written with a comma in front. When the object or array is complete, its
// first comma becomes the opening bracket.
class TextSink {
 public:
  explicit TextSink(std::string& out) : out_(out) {}

  size_t begin() { return out_.size(); }
  void end_object(size_t start) { close(start, '{', '}'); }
  void end_array(size_t start) { close(start, '[', ']'); }

  void member(const JsonField& field) { out_ += field.key; }
  void key(std::string_view name) {
    out_ += ',';
    append_json_string(name, out_);
    out_ += ':';
  }
  void item() { out_ += ','; }

  void null() { out_ += "null"; }
  void boolean(bool value) { out_ += value ? "true" : "false"; }
  void integer(int64_t value) { append_integer(value, out_); }
  void string(std::string_view text) { append_json_string(text, out_); }
  void bytes(std::string_view content) {
    out_ += '"';
    append_base64(content, out_);
    out_ += '"';
  }
  void empty_array() { out_ += "[]"; }
  void scalar_message(JsonKind kind, const Message& message) {
    append_scalar_message(kind, message, out_);
  }

 private:
  void close(size_t start, char opening, char closing) {
    if (out_.size() == start) {
      out_ += opening;
    } else {
      out_[start] = opening;
    }
    out_ += closing;
  }

  std::string& out_;
};

void encode_compact(const Message& object, const TypeMeta& type_meta, std::string& out) {
  TextSink sink(out);
  JsonEncoder(sink).object(json_struct(*object.GetDescriptor()), object, type_meta);
}

}  // namespace

void encode_json(const Message& object, const TypeMeta& type_meta, JsonStyle style,
                 std::string& out) {
  if (style == JsonStyle::compact) {
    encode_compact(object, type_meta, out);
    return;
  }
  std::string compact;
  encode_compact(object, type_meta, compact);
  append_pretty_json(compact, out);
}

std::string to_json(const Message& object, const TypeMeta& type_meta, JsonStyle style) {
  std::string out;
  encode_json(object, type_meta, style, out);
  return out;
}

}  // namespace windlass::api
