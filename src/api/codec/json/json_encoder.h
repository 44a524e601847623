// Walks a message along the field tables of json_schema.h and tells a sink each JSON value, in the
// order in which Kubernetes writes them. Two sinks exist: text (json_encode.cc) and a tree
// (json_tree.cc). Internal to the codec.
//
// A sink has: begin() before an object or array and end_object() or end_array() after it;
// member(field), key(name) or item() before each value inside; null(), boolean(), integer(),
// string(), bytes(), empty_array() and scalar_message() for the values.
#pragma once

#include <google/protobuf/map.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <span>
#include <vector>

#include "api/codec/json/json_scalars.h"
#include "api/codec/json/json_schema.h"
#include "api/codec/message_layout.h"
#include "api/object.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {

template <class Sink>
class JsonEncoder {
 public:
  explicit JsonEncoder(Sink& sink) : sink_(sink) {}

  void object(const JsonStruct& shape, const Message& message, const TypeMeta& type_meta = {}) {
    const auto start = sink_.begin();
    write_type(type_meta);
    for (const JsonGroup& group : shape.groups) {
      const Message& owner =
          group.holder == nullptr
              ? message
              : present_or_empty(message, group.holder->layout, *group.holder->prototype);
      for (size_t i = group.begin; i < group.end; ++i) {
        member(shape.fields[i], owner);
      }
    }
    sink_.end_object(start);
  }

  // With these of its own fields and no others.
  void object_with(const JsonStruct& shape, const Message& message, const TypeMeta& type_meta,
                   std::span<const google::protobuf::FieldDescriptor* const> fields) {
    const auto start = sink_.begin();
    write_type(type_meta);
    for (const JsonField& field : shape.fields) {
      if (std::ranges::find(fields, field.descriptor) != fields.end()) {
        member(field, message);
      }
    }
    sink_.end_object(start);
  }

 private:
  template <class T>
  using Map = google::protobuf::Map<std::string, T>;

  void write_type(const TypeMeta& type_meta) {
    if (!type_meta.kind.empty()) {
      sink_.key("kind");
      sink_.string(type_meta.kind);
    }
    if (!type_meta.api_version.empty()) {
      sink_.key("apiVersion");
      sink_.string(type_meta.api_version);
    }
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
          sink_.member(field);
          sink_.boolean(value);
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
          sink_.member(field);
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
      sink_.member(field);
      sink_.null();
    } else if (field.presence == JsonPresence::always) {
      sink_.member(field);
      zero(field);
    }
  }

  void zero(const JsonField& field) {
    switch (field.kind) {
      case JsonKind::boolean:
        sink_.boolean(false);
        return;
      case JsonKind::int32:
      case JsonKind::int64:
        sink_.integer(0);
        return;
      case JsonKind::string:
      case JsonKind::bytes:
        sink_.string({});
        return;
      default:
        message_value(field, *field.prototype);
    }
  }

  void integer(const JsonField& field, int64_t value) {
    if (value != 0 || !leaves_out_zero(field)) {
      sink_.member(field);
      sink_.integer(value);
    }
  }

  void single_message(const JsonField& field, const Message& value) {
    bool is_time = field.kind == JsonKind::time || field.kind == JsonKind::micro_time;
    if (is_time && leaves_out_zero(field) && is_zero_time(value, field.kind)) {
      return;
    }
    sink_.member(field);
    message_value(field, value);
  }

  void message_value(const JsonField& field, const Message& value) {
    if (field.kind == JsonKind::object) {
      object(*field.object, value);
    } else {
      sink_.scalar_message(field.kind, value);
    }
  }

  void text(JsonKind kind, const std::string& value) {
    if (kind == JsonKind::string) {
      sink_.string(value);
      return;
    }
    sink_.bytes(value);
  }

  void list(const JsonField& field, const Message& owner) {
    switch (field.kind) {
      case JsonKind::boolean:
        items(field, values_at<bool>(owner, field.layout),
              [&](bool value) { sink_.boolean(value); });
        return;
      case JsonKind::int32:
        items(field, values_at<int32_t>(owner, field.layout),
              [&](int32_t value) { sink_.integer(value); });
        return;
      case JsonKind::int64:
        items(field, values_at<int64_t>(owner, field.layout),
              [&](int64_t value) { sink_.integer(value); });
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
    sink_.member(field);
    const auto start = sink_.begin();
    for (const T& value : values) {
      sink_.item();
      write_item(value);
    }
    sink_.end_array(start);
  }

  void absent_many(const JsonField& field) {
    if (field.presence == JsonPresence::always) {
      sink_.member(field);
      if (field.list_items) {
        sink_.empty_array();
      } else {
        sink_.null();
      }
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
  void entries(const JsonField& field, const Map<T>& map, const WriteValue& write_value) {
    if (map.empty()) {
      absent_many(field);
      return;
    }
    sink_.member(field);
    std::vector<const typename Map<T>::value_type*> sorted;
    sorted.reserve(map.size());
    for (const auto& entry : map) {
      sorted.push_back(&entry);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    const auto start = sink_.begin();
    for (const auto* entry : sorted) {
      sink_.key(entry->first);
      write_value(entry->second);
    }
    sink_.end_object(start);
  }

  Sink& sink_;
};

}  // namespace windlass::api
