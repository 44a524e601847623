#include "api/canonical.h"

#include <google/protobuf/map.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <optional>

#include "api/json_scalars.h"
#include "api/json_schema.h"
#include "api/message_layout.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Map;

class Canonicalizer {
 public:
  // Whether anything is left in the message.
  bool object(const JsonStruct& shape, Message& message) {
    bool something = has_unknown_fields(message);
    for (const JsonGroup& group : shape.groups) {
      if (group.holder == nullptr) {
        something |= fields(shape, group, message);
      } else if (shape.reflection->HasField(message, group.holder)) {
        Message& inlined = *shape.reflection->MutableMessage(&message, group.holder);
        if (fields(shape, group, inlined) | has_unknown_fields(inlined)) {
          something = true;
        } else {
          shape.reflection->ClearField(&message, group.holder);
        }
      }
    }
    return something;
  }

  std::optional<Status> take_error() { return std::move(error_); }

 private:
  static bool has_unknown_fields(const Message& message) {
    return !message.GetReflection()->GetUnknownFields(message).empty();
  }

  bool fields(const JsonStruct& shape, const JsonGroup& group, Message& owner) {
    bool something = false;
    for (size_t i = group.begin; i < group.end; ++i) {
      const JsonField& field = shape.fields[i];
      switch (field.shape) {
        case JsonShape::single:
          something |= field.present.in(owner) && single(field, owner);
          break;
        case JsonShape::list:
          something |= list(field, owner);
          break;
        case JsonShape::map:
          something |= map(field, owner);
          break;
      }
    }
    return something;
  }

  bool single(const JsonField& field, Message& owner) {
    bool droppable = field.zero_is_absent();
    if (field.prototype == nullptr && !droppable) {
      return true;
    }
    bool something = field.prototype == nullptr ? !is_zero(field, owner) : message(field, owner);
    if (something || !droppable) {
      return true;
    }
    field.reflection->ClearField(&owner, field.descriptor);
    return false;
  }

  bool message(const JsonField& field, Message& owner) {
    return message_value(field, *field.reflection->MutableMessage(&owner, field.descriptor));
  }

  bool message_value(const JsonField& field, Message& value) {
    if (field.kind == JsonKind::object) {
      return object(*field.object, value);
    }
    Result<bool> something = canonicalize_scalar_message(field.kind, value);
    if (!something && !error_) {
      error_ = std::move(something).error();
    }
    return !something || *something;
  }

  static bool is_zero(const JsonField& field, const Message& owner) {
    const google::protobuf::Reflection& reflection = *field.reflection;
    std::string scratch;
    switch (field.kind) {
      case JsonKind::boolean:
        return !reflection.GetBool(owner, field.descriptor);
      case JsonKind::int32:
        return reflection.GetInt32(owner, field.descriptor) == 0;
      case JsonKind::int64:
        return reflection.GetInt64(owner, field.descriptor) == 0;
      default:
        return reflection.GetStringReference(owner, field.descriptor, &scratch).empty();
    }
  }

  bool list(const JsonField& field, Message& owner) {
    int size = field.reflection->FieldSize(owner, field.descriptor);
    if (field.prototype != nullptr) {
      for (int i = 0; i < size; ++i) {
        message_value(field,
                      *field.reflection->MutableRepeatedMessage(&owner, field.descriptor, i));
      }
    }
    return size > 0;
  }

  bool map(const JsonField& field, Message& owner) {
    if (field.reflection->FieldSize(owner, field.descriptor) == 0) {
      return false;
    }
    if (field.kind == JsonKind::quantity) {
      values(field, mutable_map_of<meta::v1::Quantity>(owner, *field.descriptor));
    } else if (field.kind == JsonKind::time) {
      values(field, mutable_map_of<meta::v1::Time>(owner, *field.descriptor));
    }
    return true;
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
