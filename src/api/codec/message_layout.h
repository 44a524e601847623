// Where messages keep their fields: presence bits, values, strings, lists and maps, read and
// written in place. Reflection does the same behind checks and look-ups that cost more than the
// codec's own work, and it turns maps into lists first. See docs/decisions/0012; a test compares
// every field of the schema with reflection. Internal to this layer: a caller has looked up
// the field's layout and knows its type.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace google::protobuf {
class FieldDescriptor;
class Message;
template <class Key, class T>
class Map;
}  // namespace google::protobuf

namespace windlass::api {

struct FieldLayout {
  uint32_t offset = 0;
  // Of the word with the presence bit, and the bit; only for what is not a list or a map.
  uint32_t has_offset = 0;
  uint32_t has_mask = 0;

  const char* in(const google::protobuf::Message& message) const {
    return reinterpret_cast<const char*>(&message) + offset;
  }
  char* in(google::protobuf::Message& message) const {
    return reinterpret_cast<char*>(&message) + offset;
  }

  bool present(const google::protobuf::Message& message) const {
    uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(&message) + has_offset, sizeof word);
    return (word & has_mask) != 0;
  }
  void set_present(google::protobuf::Message& message) const {
    char* place = reinterpret_cast<char*>(&message) + has_offset;
    uint32_t word = 0;
    std::memcpy(&word, place, sizeof word);
    word |= has_mask;
    std::memcpy(place, &word, sizeof word);
  }
};

FieldLayout field_layout(const google::protobuf::FieldDescriptor& field);

// bool, int32_t, int64_t; zero when absent.
template <class T>
T value_at(const google::protobuf::Message& message, const FieldLayout& layout) {
  T value;
  std::memcpy(&value, layout.in(message), sizeof value);
  return value;
}
template <class T>
void set_value_at(google::protobuf::Message& message, const FieldLayout& layout, T value) {
  std::memcpy(layout.in(message), &value, sizeof value);
  layout.set_present(message);
}

// Strings and bytes; empty when absent. The mutable one makes it present.
const std::string& string_at(const google::protobuf::Message& message, const FieldLayout& layout);
std::string& mutable_string_at(google::protobuf::Message& message, const FieldLayout& layout);

// nullptr when there never was one; whether it counts, the presence bit says.
inline const google::protobuf::Message* message_at(const google::protobuf::Message& message,
                                                   const FieldLayout& layout) {
  return value_at<const google::protobuf::Message*>(message, layout);
}
// Of a field that is present.
inline google::protobuf::Message& present_message_at(google::protobuf::Message& message,
                                                     const FieldLayout& layout) {
  return *value_at<google::protobuf::Message*>(message, layout);
}
// Makes it present.
google::protobuf::Message& mutable_message_at(google::protobuf::Message& message,
                                              const FieldLayout& layout,
                                              const google::protobuf::Message& prototype);

// Lists of numbers.
template <class T>
std::span<const T> values_at(const google::protobuf::Message& message, const FieldLayout& layout);
template <class T>
void add_value_at(google::protobuf::Message& message, const FieldLayout& layout, T value);

// Lists of strings and of messages.
std::span<const std::string* const> strings_at(const google::protobuf::Message& message,
                                               const FieldLayout& layout);
std::string& add_string_at(google::protobuf::Message& message, const FieldLayout& layout);
std::span<const google::protobuf::Message* const> messages_at(
    const google::protobuf::Message& message, const FieldLayout& layout);
std::span<google::protobuf::Message* const> mutable_messages_at(google::protobuf::Message& message,
                                                                const FieldLayout& layout);
google::protobuf::Message& add_message_at(google::protobuf::Message& message,
                                          const FieldLayout& layout,
                                          const google::protobuf::Message& prototype);

// T is std::string, meta::v1::Quantity or meta::v1::Time, whichever the field has.
template <class T>
const google::protobuf::Map<std::string, T>& map_at(const google::protobuf::Message& message,
                                                    const FieldLayout& layout);
template <class T>
google::protobuf::Map<std::string, T>& mutable_map_at(google::protobuf::Message& message,
                                                      const FieldLayout& layout);

}  // namespace windlass::api
