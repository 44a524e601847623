// encode_json: a loop over the field tables of json_schema.h that appends to one string.
#include <google/protobuf/map.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <vector>

#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/codec/json_scalars.h"
#include "api/codec/json_schema.h"
#include "api/codec/json_text.h"
#include "api/codec/message_layout.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Map;

// Members and items are written with a comma in front; when the object or list is complete, its
// first comma becomes the opening bracket.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void object(const JsonStruct& shape, const Message& message, const TypeMeta& type_meta = {}) {
    size_t start = out_.size();
    if (!type_meta.kind.empty()) {
      out_ += ",\"kind\":";
      append_json_string(type_meta.kind, out_);
    }
    if (!type_meta.api_version.empty()) {
      out_ += ",\"apiVersion\":";
      append_json_string(type_meta.api_version, out_);
    }
    for (const JsonGroup& group : shape.groups) {
      const Message& owner =
          group.holder == nullptr
              ? message
              : present_or_empty(message, group.holder->layout, *group.holder->prototype);
      for (size_t i = group.begin; i < group.end; ++i) {
        member(shape.fields[i], owner);
      }
    }
    close(start, '{', '}');
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

  static const Message& present_or_empty(const Message& owner, const FieldLayout& layout,
                                         const Message& empty) {
    return layout.present(owner) ? *message_at(owner, layout) : empty;
  }

  void member(const JsonField& field, const Message& owner) {
    switch (field.shape) {
      case JsonShape::single:
        single(field, owner);
        return;
      case JsonShape::list:
        list(field, owner);
        return;
      case JsonShape::map:
        map(field, owner);
    }
  }

  void single(const JsonField& field, const Message& owner) {
    if (!field.layout.present(owner)) {
      absent(field);
      return;
    }
    switch (field.kind) {
      case JsonKind::boolean: {
        bool value = value_at<bool>(owner, field.layout);
        if (value || !leaves_out_zero(field)) {
          out_ += field.key;
          out_ += value ? "true" : "false";
        }
        return;
      }
      case JsonKind::int32:
        integer(field, value_at<int32_t>(owner, field.layout));
        return;
      case JsonKind::int64:
        integer(field, value_at<int64_t>(owner, field.layout));
        return;
      case JsonKind::string:
      case JsonKind::bytes: {
        const std::string& value = string_at(owner, field.layout);
        if (!value.empty() || !leaves_out_zero(field)) {
          out_ += field.key;
          text(field.kind, value);
        }
        return;
      }
      default:
        single_message(field, *message_at(owner, field.layout));
    }
  }

  static bool leaves_out_zero(const JsonField& field) {
    return field.presence == JsonPresence::omit_empty;
  }

  // What stands for a field that is not there.
  void absent(const JsonField& field) {
    if (field.presence == JsonPresence::nullable) {
      out_ += field.key;
      out_ += "null";
    } else if (field.presence == JsonPresence::always) {
      out_ += field.key;
      zero(field);
    }
  }

  void zero(const JsonField& field) {
    switch (field.kind) {
      case JsonKind::boolean:
        out_ += "false";
        return;
      case JsonKind::int32:
      case JsonKind::int64:
        out_ += '0';
        return;
      case JsonKind::string:
      case JsonKind::bytes:
        out_ += "\"\"";
        return;
      default:
        message_value(field, *field.prototype);
    }
  }

  void integer(const JsonField& field, int64_t value) {
    if (value != 0 || !leaves_out_zero(field)) {
      out_ += field.key;
      append_integer(value, out_);
    }
  }

  void single_message(const JsonField& field, const Message& value) {
    bool is_time = field.kind == JsonKind::time || field.kind == JsonKind::micro_time;
    if (is_time && leaves_out_zero(field) && is_zero_time(value, field.kind)) {
      return;
    }
    out_ += field.key;
    message_value(field, value);
  }

  void message_value(const JsonField& field, const Message& value) {
    if (field.kind == JsonKind::object) {
      object(*field.object, value);
    } else {
      append_scalar_message(field.kind, value, out_);
    }
  }

  void text(JsonKind kind, const std::string& value) {
    if (kind == JsonKind::string) {
      append_json_string(value, out_);
      return;
    }
    out_ += '"';
    append_base64(value, out_);
    out_ += '"';
  }

  void list(const JsonField& field, const Message& owner) {
    switch (field.kind) {
      case JsonKind::boolean:
        items(field, values_at<bool>(owner, field.layout),
              [&](bool value) { out_ += value ? "true" : "false"; });
        return;
      case JsonKind::int32:
        items(field, values_at<int32_t>(owner, field.layout),
              [&](int32_t value) { append_integer(value, out_); });
        return;
      case JsonKind::int64:
        items(field, values_at<int64_t>(owner, field.layout),
              [&](int64_t value) { append_integer(value, out_); });
        return;
      case JsonKind::string:
      case JsonKind::bytes:
        items(field, strings_at(owner, field.layout),
              [&](const std::string* value) { text(field.kind, *value); });
        return;
      default:
        items(field, messages_at(owner, field.layout),
              [&](const Message* value) { message_value(field, *value); });
    }
  }

  template <class T, class WriteItem>
  void items(const JsonField& field, std::span<const T> values, const WriteItem& write_item) {
    if (values.empty()) {
      absent_many(field);
      return;
    }
    out_ += field.key;
    size_t start = out_.size();
    for (const T& value : values) {
      out_ += ',';
      write_item(value);
    }
    close(start, '[', ']');
  }

  void absent_many(const JsonField& field) {
    if (field.presence == JsonPresence::always) {
      out_ += field.key;
      out_ += field.list_items ? "[]" : "null";
    }
  }

  void map(const JsonField& field, const Message& owner) {
    switch (field.kind) {
      case JsonKind::string:
      case JsonKind::bytes:
        entries(field, map_at<std::string>(owner, field.layout),
                [&](const std::string& value) { text(field.kind, value); });
        return;
      case JsonKind::quantity:
        entries(field, map_at<meta::v1::Quantity>(owner, field.layout),
                [&](const meta::v1::Quantity& value) { message_value(field, value); });
        return;
      default:
        entries(field, map_at<meta::v1::Time>(owner, field.layout),
                [&](const meta::v1::Time& value) { message_value(field, value); });
    }
  }

  // In the order of the keys' bytes, as Go sorts them.
  template <class T, class WriteValue>
  void entries(const JsonField& field, const Map<std::string, T>& map,
               const WriteValue& write_value) {
    if (map.empty()) {
      absent_many(field);
      return;
    }
    out_ += field.key;
    std::vector<const typename Map<std::string, T>::value_type*> sorted;
    sorted.reserve(map.size());
    for (const auto& entry : map) {
      sorted.push_back(&entry);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    size_t start = out_.size();
    for (const auto* entry : sorted) {
      out_ += ',';
      append_json_string(entry->first, out_);
      out_ += ':';
      write_value(entry->second);
    }
    close(start, '{', '}');
  }

  std::string& out_;
};

}  // namespace

void encode_json(const Message& object, const TypeMeta& type_meta, JsonStyle style,
                 std::string& out) {
  const JsonStruct& shape = json_struct(*object.GetDescriptor());
  if (style == JsonStyle::compact) {
    JsonWriter(out).object(shape, object, type_meta);
    return;
  }
  std::string compact;
  JsonWriter(compact).object(shape, object, type_meta);
  append_pretty_json(compact, out);
}

std::string to_json(const Message& object, const TypeMeta& type_meta, JsonStyle style) {
  std::string out;
  encode_json(object, type_meta, style, out);
  return out;
}

}  // namespace windlass::api
