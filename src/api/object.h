// An API object on its way through the program: a protobuf message that no longer changes,
// shared by all who look at it. Bytes at rest, a message only in flight (docs/decisions).
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
}

namespace windlass::api::meta::v1 {
class ObjectMeta;
}

namespace windlass::api {

using Message = google::protobuf::Message;
using ObjectPtr = std::shared_ptr<const Message>;
// An object that its one holder may still change.
using MutableObjectPtr = std::shared_ptr<Message>;

// apiVersion and kind: inside a JSON document, beside the bytes in a protobuf envelope.
struct TypeMeta {
  std::string api_version;
  std::string kind;

  bool operator==(const TypeMeta&) const = default;
};

// metadata of any kind's message (field 1 of every kind).
const meta::v1::ObjectMeta& metadata_of(const Message& object);
meta::v1::ObjectMeta& mutable_metadata_of(Message& object);

// The object as the type it is known to be; the caller knows it from the Kind it asked for.
template <class T>
std::shared_ptr<const T> object_as(const ObjectPtr& object) {
  return std::static_pointer_cast<const T>(object);
}

}  // namespace windlass::api
