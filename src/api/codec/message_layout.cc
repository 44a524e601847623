#include "api/codec/message_layout.h"

#include <google/protobuf/arenastring.h>
#include <google/protobuf/generated_message_reflection.h>
#include <google/protobuf/map_field.h>
#include <google/protobuf/message.h>
#include <google/protobuf/repeated_field.h>
#include <google/protobuf/repeated_ptr_field.h>

#include "base/check.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

#ifndef GOOGLE_PROTOBUF_HAS_CEL_MAP_REFLECTION_FRIEND
#error "this protobuf does not open its reflection to other programs: docs/decisions/0012"
#endif

// Protobuf names this class a friend of Reflection so that a program outside of it can define it
// and see what is behind the reflection interface.
namespace google::protobuf::expr {

class CelMapReflectionFriend {
 public:
  static const internal::ReflectionSchema& schema(const Reflection& reflection) {
    return reflection.schema_;
  }
};

}  // namespace google::protobuf::expr

namespace windlass::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Map;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::RepeatedField;
using google::protobuf::RepeatedPtrField;
using google::protobuf::expr::CelMapReflectionFriend;
using google::protobuf::internal::ArenaStringPtr;
using google::protobuf::internal::TypeDefinedMapFieldBase;

template <class T>
const T& part(const Message& message, const FieldLayout& layout) {
  return *reinterpret_cast<const T*>(layout.in(message));
}
template <class T>
T& part(Message& message, const FieldLayout& layout) {
  return *reinterpret_cast<T*>(layout.in(message));
}

}  // namespace

FieldLayout field_layout(const FieldDescriptor& field) {
  const Message* prototype =
      MessageFactory::generated_factory()->GetPrototype(field.containing_type());
  const auto& schema = CelMapReflectionFriend::schema(*prototype->GetReflection());
  CHECK(field.containing_oneof() == nullptr && !schema.IsFieldInlined(&field), field.full_name());
  FieldLayout layout;
  layout.offset = schema.GetFieldOffset(&field);
  if (!field.is_repeated()) {
    CHECK(schema.HasHasbits(), field.full_name());
    uint32_t bit = schema.HasBitIndex(&field);
    layout.has_offset = schema.HasBitsOffset() + bit / 32 * 4;
    layout.has_mask = uint32_t{1} << (bit % 32);
  }
  return layout;
}

const std::string& string_at(const Message& message, const FieldLayout& layout) {
  return part<ArenaStringPtr>(message, layout).Get();
}

std::string& mutable_string_at(Message& message, const FieldLayout& layout) {
  layout.set_present(message);
  return *part<ArenaStringPtr>(message, layout).Mutable(message.GetArena());
}

Message& mutable_message_at(Message& message, const FieldLayout& layout, const Message& prototype) {
  auto& place = part<Message*>(message, layout);
  if (place == nullptr) {
    place = prototype.New(message.GetArena());
  }
  layout.set_present(message);
  return *place;
}

template <class T>
std::span<const T> values_at(const Message& message, const FieldLayout& layout) {
  const auto& list = part<RepeatedField<T>>(message, layout);
  return {list.data(), static_cast<size_t>(list.size())};
}

template <class T>
void add_value_at(Message& message, const FieldLayout& layout, T value) {
  part<RepeatedField<T>>(message, layout).Add(value);
}

std::span<const std::string* const> strings_at(const Message& message, const FieldLayout& layout) {
  const auto& list = part<RepeatedPtrField<std::string>>(message, layout);
  return {list.data(), static_cast<size_t>(list.size())};
}

std::string& add_string_at(Message& message, const FieldLayout& layout) {
  return *part<RepeatedPtrField<std::string>>(message, layout).Add();
}

std::span<const Message* const> messages_at(const Message& message, const FieldLayout& layout) {
  const auto& list = part<RepeatedPtrField<Message>>(message, layout);
  return {list.data(), static_cast<size_t>(list.size())};
}

std::span<Message* const> mutable_messages_at(Message& message, const FieldLayout& layout) {
  auto& list = part<RepeatedPtrField<Message>>(message, layout);
  return {const_cast<Message* const*>(list.data()), static_cast<size_t>(list.size())};
}

Message& add_message_at(Message& message, const FieldLayout& layout, const Message& prototype) {
  Message* item = prototype.New(message.GetArena());
  part<RepeatedPtrField<Message>>(message, layout).UnsafeArenaAddAllocated(item);
  return *item;
}

template <class T>
const Map<std::string, T>& map_at(const Message& message, const FieldLayout& layout) {
  return part<TypeDefinedMapFieldBase<std::string, T>>(message, layout).GetMap();
}

template <class T>
Map<std::string, T>& mutable_map_at(Message& message, const FieldLayout& layout) {
  return *part<TypeDefinedMapFieldBase<std::string, T>>(message, layout).MutableMap();
}

using meta::v1::Quantity;
template std::span<const bool> values_at(const Message&, const FieldLayout&);
template std::span<const int32_t> values_at(const Message&, const FieldLayout&);
template std::span<const int64_t> values_at(const Message&, const FieldLayout&);
template void add_value_at(Message&, const FieldLayout&, bool);
template void add_value_at(Message&, const FieldLayout&, int32_t);
template void add_value_at(Message&, const FieldLayout&, int64_t);
template const Map<std::string, std::string>& map_at(const Message&, const FieldLayout&);
template const Map<std::string, Quantity>& map_at(const Message&, const FieldLayout&);
template const Map<std::string, meta::v1::Time>& map_at(const Message&, const FieldLayout&);
template Map<std::string, std::string>& mutable_map_at(Message&, const FieldLayout&);
template Map<std::string, Quantity>& mutable_map_at(Message&, const FieldLayout&);
template Map<std::string, meta::v1::Time>& mutable_map_at(Message&, const FieldLayout&);

}  // namespace windlass::api
