#include "api/object.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::api {

namespace {

// Every kind declares metadata first, so no lookup by name or number is needed; schema_test holds
// the schema to it. The check costs a pointer comparison and keeps the cast below honest.
const google::protobuf::FieldDescriptor* metadata_field(const Message& object) {
  const google::protobuf::Descriptor* type = object.GetDescriptor();
  CHECK(type->field_count() > 0, type->full_name());
  const google::protobuf::FieldDescriptor* field = type->field(0);
  CHECK(field->number() == 1 && field->message_type() == meta::v1::ObjectMeta::descriptor(),
        type->full_name());
  return field;
}

}  // namespace

const meta::v1::ObjectMeta& metadata_of(const Message& object) {
  const Message& metadata = object.GetReflection()->GetMessage(object, metadata_field(object));
  return static_cast<const meta::v1::ObjectMeta&>(metadata);
}

meta::v1::ObjectMeta& mutable_metadata_of(Message& object) {
  Message* metadata = object.GetReflection()->MutableMessage(&object, metadata_field(object));
  return static_cast<meta::v1::ObjectMeta&>(*metadata);
}

}  // namespace windlass::api
