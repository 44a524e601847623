#include "api/equality.h"

#include <google/protobuf/message.h>

#include <map>

#include "base/check.h"
#include "base/quantity.h"
#include "schema/options.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

bool equal_messages(const Message& a, const Message& b);

JsonForm form_of(const Message& message) {
  return message.GetDescriptor()->options().GetExtension(type_rule).form();
}

// Both hold an optional field of Go's pointer kind, or neither does.
bool presence_matters(const FieldDescriptor* field) {
  const Presence presence = field->options().GetExtension(field_rule).presence();
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return presence == POINTER || presence == NULLABLE;
  }
  const JsonForm form = field->message_type()->options().GetExtension(type_rule).form();
  return presence != ALWAYS && form != TIME && form != MICRO_TIME;
}

bool equal_quantities(const Message& a, const Message& b) {
  const FieldDescriptor* text = a.GetDescriptor()->field(0);
  const std::string text_a = a.GetReflection()->GetString(a, text);
  const std::string text_b = b.GetReflection()->GetString(b, text);
  if (text_a == text_b) {
    return true;
  }
  const auto parse = [](const std::string& value) {
    return value.empty() ? Result<Quantity>(Quantity()) : Quantity::parse(value);
  };
  const auto quantity_a = parse(text_a);
  const auto quantity_b = parse(text_b);
  return quantity_a && quantity_b && *quantity_a == *quantity_b;
}

bool equal_scalars(const Message& a, const Message& b, const FieldDescriptor* field) {
  const Reflection& in_a = *a.GetReflection();
  const Reflection& in_b = *b.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return in_a.GetInt32(a, field) == in_b.GetInt32(b, field);
    case FieldDescriptor::CPPTYPE_INT64:
      return in_a.GetInt64(a, field) == in_b.GetInt64(b, field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return in_a.GetBool(a, field) == in_b.GetBool(b, field);
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch_a;
      std::string scratch_b;
      return in_a.GetStringReference(a, field, &scratch_a) ==
             in_b.GetStringReference(b, field, &scratch_b);
    }
    default:
      CHECK(false, "the schema has no such field type");
  }
}

bool equal_elements(const Message& a, const Message& b, const FieldDescriptor* field, int i) {
  const Reflection& in_a = *a.GetReflection();
  const Reflection& in_b = *b.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return in_a.GetRepeatedInt32(a, field, i) == in_b.GetRepeatedInt32(b, field, i);
    case FieldDescriptor::CPPTYPE_INT64:
      return in_a.GetRepeatedInt64(a, field, i) == in_b.GetRepeatedInt64(b, field, i);
    case FieldDescriptor::CPPTYPE_STRING:
      return in_a.GetRepeatedString(a, field, i) == in_b.GetRepeatedString(b, field, i);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return equal_messages(in_a.GetRepeatedMessage(a, field, i),
                            in_b.GetRepeatedMessage(b, field, i));
    default:
      CHECK(false, "the schema has no such list type");
  }
}

// The entries of a map by key. All keys of the schema are strings.
std::map<std::string, const Message*> entries(const Message& message,
                                              const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  std::map<std::string, const Message*> found;
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, field, i);
    found[entry.GetReflection()->GetString(entry, field->message_type()->map_key())] = &entry;
  }
  return found;
}

bool equal_fields(const Message& a, const Message& b, const FieldDescriptor* field);

bool equal_maps(const Message& a, const Message& b, const FieldDescriptor* field) {
  const auto in_a = entries(a, field);
  const auto in_b = entries(b, field);
  const FieldDescriptor* value = field->message_type()->map_value();
  return std::equal(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                    [&](const auto& entry_a, const auto& entry_b) {
                      return entry_a.first == entry_b.first &&
                             equal_fields(*entry_a.second, *entry_b.second, value);
                    });
}

bool equal_lists(const Message& a, const Message& b, const FieldDescriptor* field) {
  const int size = a.GetReflection()->FieldSize(a, field);
  if (size != b.GetReflection()->FieldSize(b, field)) {
    return false;
  }
  for (int i = 0; i < size; ++i) {
    if (!equal_elements(a, b, field, i)) {
      return false;
    }
  }
  return true;
}

bool equal_fields(const Message& a, const Message& b, const FieldDescriptor* field) {
  if (field->is_map()) {
    return equal_maps(a, b, field);
  }
  if (field->is_repeated()) {
    return equal_lists(a, b, field);
  }
  const bool in_a = a.GetReflection()->HasField(a, field);
  const bool in_b = b.GetReflection()->HasField(b, field);
  if (!in_a && !in_b) {
    return true;
  }
  if (in_a != in_b && presence_matters(field)) {
    return false;
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    return equal_messages(a.GetReflection()->GetMessage(a, field),
                          b.GetReflection()->GetMessage(b, field));
  }
  return equal_scalars(a, b, field);
}

bool equal_unknown_fields(const Message& a, const Message& b) {
  const auto& unknown_a = a.GetReflection()->GetUnknownFields(a);
  const auto& unknown_b = b.GetReflection()->GetUnknownFields(b);
  if (unknown_a.empty() && unknown_b.empty()) {
    return true;
  }
  std::string bytes_a;
  std::string bytes_b;
  return unknown_a.SerializeToString(&bytes_a) && unknown_b.SerializeToString(&bytes_b) &&
         bytes_a == bytes_b;
}

bool equal_messages(const Message& a, const Message& b) {
  if (form_of(a) == QUANTITY) {
    return equal_quantities(a, b);
  }
  for (int i = 0; i < a.GetDescriptor()->field_count(); ++i) {
    if (!equal_fields(a, b, a.GetDescriptor()->field(i))) {
      return false;
    }
  }
  return equal_unknown_fields(a, b);
}

// Written out they are the same. Most of what is compared is, and this takes a tenth of the time
// that field by field does.
bool same_bytes(const Message& a, const Message& b) {
  return a.ByteSizeLong() == b.ByteSizeLong() &&
         a.SerializePartialAsString() == b.SerializePartialAsString();
}

}  // namespace

bool semantically_equal(const Message& a, const Message& b) {
  CHECK(a.GetDescriptor() == b.GetDescriptor(), "messages of different types");
  return same_bytes(a, b) || equal_messages(a, b);
}

std::vector<std::string> differing_fields(const Message& a, const Message& b) {
  CHECK(a.GetDescriptor() == b.GetDescriptor(), "messages of different types");
  std::vector<std::string> names;
  for (int i = 0; i < a.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = a.GetDescriptor()->field(i);
    if (!equal_fields(a, b, field)) {
      names.push_back(field->json_name());
    }
  }
  return names;
}

}  // namespace windlass::api
