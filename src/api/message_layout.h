// The two things that the codec needs of protobuf messages and reflection does not offer at a price
// worth paying: whether a field is present, as one bit, and maps as maps (reflection first turns
// them into lists). See docs/decisions/0022. Internal to the codec.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace google::protobuf {
class FieldDescriptor;
class Message;
template <class Key, class T>
class Map;
}  // namespace google::protobuf

namespace windlass::api {

// Where a message keeps the presence bit of a singular field.
struct PresenceBit {
  uint32_t offset = 0;
  uint32_t mask = 0;

  bool in(const google::protobuf::Message& message) const {
    uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(&message) + offset, sizeof word);
    return (word & mask) != 0;
  }
};

PresenceBit presence_bit(const google::protobuf::FieldDescriptor& field);

// T is std::string, meta::v1::Quantity or meta::v1::Time, whichever the field has.
template <class T>
const google::protobuf::Map<std::string, T>& map_of(const google::protobuf::Message& message,
                                                    const google::protobuf::FieldDescriptor& field);
template <class T>
google::protobuf::Map<std::string, T>& mutable_map_of(
    google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field);

}  // namespace windlass::api
