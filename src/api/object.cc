#include "api/object.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <typeinfo>

#include "api/codec/message_layout.h"
#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::api {

namespace {

using google::protobuf::FieldDescriptor;

// Every kind declares metadata first, so no look-up by name or number is needed; schema_test holds
// the schema to it. The check keeps the casts below honest.
FieldLayout find_metadata(const Message& object) {
  const google::protobuf::Descriptor* type = object.GetDescriptor();
  CHECK(type->field_count() > 0, type->full_name());
  const FieldDescriptor* field = type->field(0);
  CHECK(field->number() == 1 && field->message_type() == meta::v1::ObjectMeta::descriptor(),
        type->full_name());
  return field_layout(*field);
}

// Everybody asks for metadata, all the time, and of few types: where they keep it is remembered.
const FieldLayout& metadata_layout(const Message& object) {
  struct Known {
    const std::type_info* type = nullptr;
    FieldLayout layout;
  };
  constexpr size_t kKnown = 64;
  thread_local std::array<Known, kKnown> known;
  const std::type_info& type = typeid(object);
  Known& place = known[reinterpret_cast<uintptr_t>(&type) / alignof(std::type_info) % kKnown];
  if (place.type != &type) {
    place = {&type, find_metadata(object)};
  }
  return place.layout;
}

}  // namespace

const meta::v1::ObjectMeta& metadata_of(const Message& object) {
  const Message* metadata = message_at(object, metadata_layout(object));
  return metadata == nullptr ? meta::v1::ObjectMeta::default_instance()
                             : static_cast<const meta::v1::ObjectMeta&>(*metadata);
}

meta::v1::ObjectMeta& mutable_metadata_of(Message& object) {
  return static_cast<meta::v1::ObjectMeta&>(mutable_message_at(
      object, metadata_layout(object), meta::v1::ObjectMeta::default_instance()));
}

}  // namespace windlass::api
