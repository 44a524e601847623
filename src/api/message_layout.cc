#include "api/message_layout.h"

#include <google/protobuf/generated_message_reflection.h>
#include <google/protobuf/map_field.h>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

#ifndef GOOGLE_PROTOBUF_HAS_CEL_MAP_REFLECTION_FRIEND
#error "this protobuf does not open its reflection to other programs: docs/decisions/0022"
#endif

// Protobuf names this class a friend of Reflection so that a program outside of it can define it
// and reach what is behind the reflection interface.
namespace google::protobuf::expr {

class CelMapReflectionFriend {
 public:
  static const internal::MapFieldBase* map(const Message& message, const FieldDescriptor& field) {
    return message.GetReflection()->GetMapData(message, &field);
  }
  static internal::MapFieldBase* mutable_map(Message& message, const FieldDescriptor& field) {
    return message.GetReflection()->MutableMapData(&message, &field);
  }
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
using google::protobuf::expr::CelMapReflectionFriend;
using google::protobuf::internal::TypeDefinedMapFieldBase;

}  // namespace

PresenceBit presence_bit(const FieldDescriptor& field) {
  CHECK(!field.is_repeated() && field.containing_oneof() == nullptr, field.full_name());
  const Message* prototype =
      MessageFactory::generated_factory()->GetPrototype(field.containing_type());
  const auto& schema = CelMapReflectionFriend::schema(*prototype->GetReflection());
  uint32_t index = schema.HasBitIndex(&field);
  return {schema.HasBitsOffset() + index / 32 * 4, uint32_t{1} << (index % 32)};
}

template <class T>
const Map<std::string, T>& map_of(const Message& message, const FieldDescriptor& field) {
  const auto* map = CelMapReflectionFriend::map(message, field);
  return static_cast<const TypeDefinedMapFieldBase<std::string, T>*>(map)->GetMap();
}

template <class T>
Map<std::string, T>& mutable_map_of(Message& message, const FieldDescriptor& field) {
  auto* map = CelMapReflectionFriend::mutable_map(message, field);
  return *static_cast<TypeDefinedMapFieldBase<std::string, T>*>(map)->MutableMap();
}

using meta::v1::Quantity;
template const Map<std::string, std::string>& map_of(const Message&, const FieldDescriptor&);
template const Map<std::string, Quantity>& map_of(const Message&, const FieldDescriptor&);
template const Map<std::string, meta::v1::Time>& map_of(const Message&, const FieldDescriptor&);
template Map<std::string, std::string>& mutable_map_of(Message&, const FieldDescriptor&);
template Map<std::string, Quantity>& mutable_map_of(Message&, const FieldDescriptor&);
template Map<std::string, meta::v1::Time>& mutable_map_of(Message&, const FieldDescriptor&);

}  // namespace windlass::api
