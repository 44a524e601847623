#include "apiserver/verbs/object_parts.h"

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>

#include "api/codec/protobuf.h"

namespace windlass::apiserver {
namespace {

using api::Message;
using google::protobuf::FieldDescriptor;

bool is_part(Part field) {
  return !field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

void copy_part(Part part, const Message& from, Message& to) {
  const auto* reflection = from.GetReflection();
  if (reflection->HasField(from, part)) {
    reflection->MutableMessage(&to, part)->CopyFrom(reflection->GetMessage(from, part));
  } else {
    reflection->ClearField(&to, part);
  }
}

bool same(Part part, const Message& a, const Message& b) {
  const auto* reflection = a.GetReflection();
  const bool there = reflection->HasField(a, part);
  return there == reflection->HasField(b, part) &&
         (!there || api::encode_protobuf(reflection->GetMessage(a, part)) ==
                        api::encode_protobuf(reflection->GetMessage(b, part)));
}

}  // namespace

bool consists_of_parts(const Message& object) {
  const auto* type = object.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    if (!is_part(type->field(i))) {
      return false;
    }
  }
  return true;
}

Part find_part(const Message& object, std::string_view name) {
  const auto* type = object.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->json_name() == name && is_part(type->field(i))) {
      return type->field(i);
    }
  }
  return nullptr;
}

std::vector<Part> differing_parts(const Message& a, const Message& b) {
  std::vector<Part> parts;
  const auto* type = a.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    if (!same(type->field(i), a, b)) {
      parts.push_back(type->field(i));
    }
  }
  return parts;
}

void copy_other_parts(const Message& other, const std::vector<Part>& parts, Message& object) {
  const auto* type = other.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    if (std::ranges::find(parts, type->field(i)) == parts.end()) {
      copy_part(type->field(i), other, object);
    }
  }
  const auto* reflection = other.GetReflection();
  reflection->MutableUnknownFields(&object)->MergeFrom(reflection->GetUnknownFields(other));
}

}  // namespace windlass::apiserver
