#include "api/codec/canonical.h"

#include <google/protobuf/map.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <bit>
#include <optional>

#include "api/codec/json/json_scalars.h"
#include "api/codec/json/json_schema.h"
#include "api/codec/message_layout.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Map;

bool has_unknown_fields(const Message& message) {
  return !message.GetReflection()->GetUnknownFields(message).empty();
}

// A walk over what is present; only where a struct could be dropped it is asked whether it is
// empty.
class Canonicalizer {
 public:
  void object(const JsonStruct& shape, Message& message) {
    for (const JsonGroup& group : shape.groups) {
      if (group.holder == nullptr) {
        fields(shape, group, message);
      } else if (group.holder->layout.present(message)) {
        inlined(shape, group, message);
      }
    }
  }

  std::optional<Status> take_error() { return std::move(error_); }

 private:
  void inlined(const JsonStruct& shape, const JsonGroup& group, Message& message) {
    Message& holder = present_message_at(message, group.holder->layout);
    fields(shape, group, holder);
    if (!has_unknown_fields(holder) && is_empty(shape, group, holder)) {
      message.GetReflection()->ClearField(&message, group.holder->descriptor);
    }
  }

  void fields(const JsonStruct& shape, const JsonGroup& group, Message& owner) {
    for (const PresenceWord& word : group.words) {
      for (uint32_t bits = word.load(owner) & word.checked; bits != 0; bits &= bits - 1) {
        single(shape.fields[word.field[static_cast<size_t>(std::countr_zero(bits))]], owner);
      }
    }
    for (uint8_t list : group.lists) {
      const JsonField& field = shape.fields[list];
      for (Message* item : mutable_messages_at(owner, field.layout)) {
        message_value(field, *item);
      }
    }
    for (uint8_t map : group.maps) {
      map_values(shape.fields[map], owner);
    }
  }

  void single(const JsonField& field, Message& owner) {
    bool zero = field.prototype == nullptr ? is_zero(field, owner) : is_zero_message(field, owner);
    if (zero && field.zero_is_absent()) {
      owner.GetReflection()->ClearField(&owner, field.descriptor);
    }
  }

  bool is_zero_message(const JsonField& field, Message& owner) {
    Message& value = present_message_at(owner, field.layout);
    bool something = message_value(field, value);
    return field.kind == JsonKind::object ? field.zero_is_absent() && is_empty(*field.object, value)
                                          : !something;
  }

  // Whether a message of a scalar kind is other than zero.
  bool message_value(const JsonField& field, Message& value) {
    if (field.kind == JsonKind::object) {
      object(*field.object, value);
      return true;
    }
    Result<bool> something = canonicalize_scalar_message(field.kind, value);
    if (!something && !error_) {
      error_ = std::move(something).error();
    }
    return !something || *something;
  }

  static bool is_zero(const JsonField& field, const Message& owner) {
    switch (field.kind) {
      case JsonKind::boolean:
        return !value_at<bool>(owner, field.layout);
      case JsonKind::int32:
        return value_at<int32_t>(owner, field.layout) == 0;
      case JsonKind::int64:
        return value_at<int64_t>(owner, field.layout) == 0;
      default:
        return string_at(owner, field.layout).empty();
    }
  }

  static bool is_empty(const JsonStruct& shape, const Message& message) {
    for (const JsonGroup& group : shape.groups) {
      bool empty = group.holder == nullptr ? is_empty(shape, group, message)
                                           : !group.holder->layout.present(message);
      if (!empty) {
        return false;
      }
    }
    return !has_unknown_fields(message);
  }

  static bool is_empty(const JsonStruct& shape, const JsonGroup& group, const Message& owner) {
    for (const PresenceWord& word : group.words) {
      if (word.load(owner) != 0) {
        return false;
      }
    }
    for (size_t i = group.begin; i < group.end; ++i) {
      const JsonField& field = shape.fields[i];
      if (field.shape != JsonShape::single &&
          owner.GetReflection()->FieldSize(owner, field.descriptor) != 0) {
        return false;
      }
    }
    return true;
  }

  void map_values(const JsonField& field, Message& owner) {
    if (field.kind == JsonKind::quantity) {
      values(field, mutable_map_at<meta::v1::Quantity>(owner, field.layout));
    } else {
      values(field, mutable_map_at<meta::v1::Time>(owner, field.layout));
    }
  }

  template <class T>
  void values(const JsonField& field, Map<std::string, T>& map) {
    for (auto& entry : map) {
      message_value(field, entry.second);
    }
  }

  std::optional<Status> error_;
};

}  // namespace

Result<void> make_canonical(Message& object) {
  Canonicalizer canonicalizer;
  canonicalizer.object(json_struct(*object.GetDescriptor()), object);
  if (std::optional<Status> error = canonicalizer.take_error()) {
    return fail(*std::move(error));
  }
  return {};
}

}  // namespace windlass::api
