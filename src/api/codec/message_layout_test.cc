// Every field of every message of the schema: what is written in place is what reflection reads,
// and the other way round. A protobuf that lays messages out differently fails here.
#include "api/codec/message_layout.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/map.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <set>

#include "api/kind.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MessageFactory;
using google::protobuf::Reflection;

void collect(const Descriptor& message, std::set<const Descriptor*>& found) {
  if (message.options().map_entry() || !found.insert(&message).second) {
    return;
  }
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (field.is_map() && field.message_type()->map_value()->message_type() != nullptr) {
      collect(*field.message_type()->map_value()->message_type(), found);
    } else if (field.message_type() != nullptr) {
      collect(*field.message_type(), found);
    }
  }
}

std::set<const Descriptor*> all_messages() {
  std::set<const Descriptor*> found;
  for (const Kind& kind : all_kinds()) {
    collect(*kind.prototype().GetDescriptor(), found);
  }
  return found;
}

const Message& prototype_of(const Descriptor& type_of) {
  return *MessageFactory::generated_factory()->GetPrototype(&type_of);
}

template <class T>
void check_value(Message& message, const FieldDescriptor& field, const FieldLayout& layout,
                 T (Reflection::*get)(const Message&, const FieldDescriptor*) const) {
  set_value_at(message, layout, T{1});
  EXPECT_EQ((message.GetReflection()->*get)(message, &field), T{1});
  EXPECT_EQ(value_at<T>(message, layout), T{1});
}

void check_single(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  FieldLayout layout = field_layout(field);
  EXPECT_FALSE(layout.present(message));
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      check_value<bool>(message, field, layout, &Reflection::GetBool);
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      check_value<int32_t>(message, field, layout, &Reflection::GetInt32);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      check_value<int64_t>(message, field, layout, &Reflection::GetInt64);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      EXPECT_EQ(string_at(message, layout), "");
      mutable_string_at(message, layout) = "a text too long for a small string";
      EXPECT_EQ(reflection.GetString(message, &field), "a text too long for a small string");
      EXPECT_EQ(string_at(message, layout), "a text too long for a small string");
      break;
    default: {
      EXPECT_EQ(message_at(message, layout), nullptr);
      Message& made = mutable_message_at(message, layout, prototype_of(*field.message_type()));
      EXPECT_EQ(&reflection.GetMessage(message, &field), &made);
      EXPECT_EQ(message_at(message, layout), &made);
    }
  }
  EXPECT_TRUE(reflection.HasField(message, &field));
  EXPECT_TRUE(layout.present(message));
  reflection.ClearField(&message, &field);
  EXPECT_FALSE(layout.present(message));
}

void check_list(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  FieldLayout layout = field_layout(field);
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      add_value_at<int32_t>(message, layout, 7);
      EXPECT_EQ(values_at<int32_t>(message, layout)[0], 7);
      EXPECT_EQ(reflection.GetRepeatedInt32(message, &field, 0), 7);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      add_value_at<int64_t>(message, layout, 7);
      EXPECT_EQ(values_at<int64_t>(message, layout)[0], 7);
      EXPECT_EQ(reflection.GetRepeatedInt64(message, &field, 0), 7);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      add_string_at(message, layout) = "x";
      EXPECT_EQ(*strings_at(message, layout)[0], "x");
      EXPECT_EQ(reflection.GetRepeatedString(message, &field, 0), "x");
      break;
    default: {
      ASSERT_EQ(field.cpp_type(), FieldDescriptor::CPPTYPE_MESSAGE) << field.full_name();
      Message& made = add_message_at(message, layout, prototype_of(*field.message_type()));
      EXPECT_EQ(messages_at(message, layout)[0], &made);
      EXPECT_EQ(mutable_messages_at(message, layout)[0], &made);
      EXPECT_EQ(&reflection.GetRepeatedMessage(message, &field, 0), &made);
    }
  }
  EXPECT_EQ(reflection.FieldSize(message, &field), 1);
}

void check_map(Message& message, const FieldDescriptor& field) {
  FieldLayout layout = field_layout(field);
  const FieldDescriptor& value = *field.message_type()->map_value();
  if (value.message_type() == nullptr) {
    mutable_map_at<std::string>(message, layout)["k"] = "v";
    EXPECT_EQ(map_at<std::string>(message, layout).at("k"), "v");
  } else if (value.message_type()->name() == "Quantity") {
    mutable_map_at<meta::v1::Quantity>(message, layout)["k"].set_string("1");
    EXPECT_EQ(map_at<meta::v1::Quantity>(message, layout).at("k").string(), "1");
  } else {
    ASSERT_EQ(value.message_type()->name(), "Time") << field.full_name();
    mutable_map_at<meta::v1::Time>(message, layout)["k"].set_seconds(1);
    EXPECT_EQ(map_at<meta::v1::Time>(message, layout).at("k").seconds(), 1);
  }
  EXPECT_EQ(message.GetReflection()->FieldSize(message, &field), 1);
  const Message& entry = message.GetReflection()->GetRepeatedMessage(message, &field, 0);
  EXPECT_EQ(entry.GetReflection()->GetString(entry, field.message_type()->map_key()), "k");
}

TEST(MessageLayout, AgreesWithReflectionForTheWholeSchema) {
  std::set<const Descriptor*> messages = all_messages();
  EXPECT_GT(messages.size(), 100U);
  for (const Descriptor* type_of : messages) {
    std::unique_ptr<Message> message(prototype_of(*type_of).New());
    for (int i = 0; i < type_of->field_count(); ++i) {
      const FieldDescriptor& field = *type_of->field(i);
      SCOPED_TRACE(field.full_name());
      EXPECT_FALSE(field.has_default_value());
      if (field.is_map()) {
        check_map(*message, field);
      } else if (field.is_repeated()) {
        check_list(*message, field);
      } else {
        check_single(*message, field);
      }
    }
  }
}

}  // namespace
}  // namespace windlass::api
