// encode_json: a loop over the field tables of json_schema.h that appends to one string.
#include <google/protobuf/map.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <vector>

#include "api/base64.h"
#include "api/json.h"
#include "api/json_scalars.h"
#include "api/json_schema.h"
#include "api/json_text.h"
#include "api/message_layout.h"
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
          group.holder == nullptr ? message : shape.reflection->GetMessage(message, group.holder);
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

  void member(const JsonField& field, const Message& owner) {
    if (field.shape == JsonShape::single) {
      single(field, owner);
      return;
    }
    if (field.reflection->FieldSize(owner, field.descriptor) == 0) {
      if (field.presence == JsonPresence::always) {
        out_ += field.key;
        out_ += field.list_items ? "[]" : "null";
      }
      return;
    }
    out_ += field.key;
    if (field.shape == JsonShape::list) {
      list(field, owner);
    } else {
      map(field, owner);
    }
  }

  // Whether a scalar is written; writes what stands for an absent one.
  bool begins(const JsonField& field, const Message& owner, bool zero) {
    bool written = !zero;
    switch (field.presence) {
      case JsonPresence::omit_empty:
        break;
      case JsonPresence::always:
        written = true;
        break;
      case JsonPresence::pointer:
        written = field.reflection->HasField(owner, field.descriptor);
        break;
      case JsonPresence::nullable:
        written = field.reflection->HasField(owner, field.descriptor);
        if (!written) {
          out_ += field.key;
          out_ += "null";
        }
        break;
    }
    if (written) {
      out_ += field.key;
    }
    return written;
  }

  void single(const JsonField& field, const Message& owner) {
    const google::protobuf::Reflection& reflection = *field.reflection;
    switch (field.kind) {
      case JsonKind::boolean: {
        bool value = reflection.GetBool(owner, field.descriptor);
        if (begins(field, owner, !value)) {
          out_ += value ? "true" : "false";
        }
        return;
      }
      case JsonKind::int32: {
        int32_t value = reflection.GetInt32(owner, field.descriptor);
        if (begins(field, owner, value == 0)) {
          append_integer(value, out_);
        }
        return;
      }
      case JsonKind::int64: {
        int64_t value = reflection.GetInt64(owner, field.descriptor);
        if (begins(field, owner, value == 0)) {
          append_integer(value, out_);
        }
        return;
      }
      case JsonKind::string:
      case JsonKind::bytes: {
        std::string scratch;
        const std::string& value = reflection.GetStringReference(owner, field.descriptor, &scratch);
        if (begins(field, owner, value.empty())) {
          text(field.kind, value);
        }
        return;
      }
      default:
        single_message(field, owner);
    }
  }

  void single_message(const JsonField& field, const Message& owner) {
    bool present = field.reflection->HasField(owner, field.descriptor);
    if (!present && field.presence != JsonPresence::always) {
      if (field.presence == JsonPresence::nullable) {
        out_ += field.key;
        out_ += "null";
      }
      return;
    }
    const Message& value = field.reflection->GetMessage(owner, field.descriptor);
    bool is_time = field.kind == JsonKind::time || field.kind == JsonKind::micro_time;
    if (is_time && field.presence == JsonPresence::omit_empty && is_zero_time(value, field.kind)) {
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
    const google::protobuf::Reflection& reflection = *field.reflection;
    size_t start = out_.size();
    switch (field.kind) {
      case JsonKind::boolean:
        for (bool value : reflection.GetRepeatedFieldRef<bool>(owner, field.descriptor)) {
          out_ += value ? ",true" : ",false";
        }
        break;
      case JsonKind::int32:
        for (int32_t value : reflection.GetRepeatedFieldRef<int32_t>(owner, field.descriptor)) {
          out_ += ',';
          append_integer(value, out_);
        }
        break;
      case JsonKind::int64:
        for (int64_t value : reflection.GetRepeatedFieldRef<int64_t>(owner, field.descriptor)) {
          out_ += ',';
          append_integer(value, out_);
        }
        break;
      case JsonKind::string:
      case JsonKind::bytes: {
        std::string scratch;
        int count = reflection.FieldSize(owner, field.descriptor);
        for (int i = 0; i < count; ++i) {
          out_ += ',';
          text(field.kind,
               reflection.GetRepeatedStringReference(owner, field.descriptor, i, &scratch));
        }
        break;
      }
      default: {
        int count = reflection.FieldSize(owner, field.descriptor);
        for (int i = 0; i < count; ++i) {
          out_ += ',';
          message_value(field, reflection.GetRepeatedMessage(owner, field.descriptor, i));
        }
      }
    }
    close(start, '[', ']');
  }

  void map(const JsonField& field, const Message& owner) {
    switch (field.kind) {
      case JsonKind::string:
      case JsonKind::bytes:
        entries(map_of<std::string>(owner, *field.descriptor),
                [&](const std::string& value) { text(field.kind, value); });
        return;
      case JsonKind::quantity:
        entries(map_of<meta::v1::Quantity>(owner, *field.descriptor),
                [&](const meta::v1::Quantity& value) {
                  append_scalar_message(field.kind, value, out_);
                });
        return;
      default:
        entries(map_of<meta::v1::Time>(owner, *field.descriptor), [&](const meta::v1::Time& value) {
          append_scalar_message(field.kind, value, out_);
        });
    }
  }

  // In the order of the keys' bytes, as Go sorts them.
  template <class T, class WriteValue>
  void entries(const Map<std::string, T>& map, const WriteValue& write_value) {
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
