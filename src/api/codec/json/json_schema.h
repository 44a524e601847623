// How each message looks as JSON: its fields in order, with their names and presence rules,
// compiled once per descriptor from proto/options.proto and kept for the life of the program. The
// JSON reader, the JSON writer and canonicalize() are loops over these tables. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/message_layout.h"

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace windlass::api {

struct JsonStruct;

// What one value is; a list or a map has many of them.
enum class JsonKind : uint8_t {
  boolean,
  int32,
  int64,
  string,
  bytes,
  object,
  time,
  micro_time,
  quantity,
  int_or_string,
  raw_json,
};

enum class JsonShape : uint8_t { single, list, map };

// The Presence of proto/options.proto.
enum class JsonPresence : uint8_t { omit_empty, pointer, always, nullable };

// An inlined message: its fields look as if they belonged to the message that holds it.
struct JsonHolder {
  const google::protobuf::FieldDescriptor* descriptor = nullptr;
  FieldLayout layout;
  const google::protobuf::Message* prototype = nullptr;
};

struct JsonField {
  std::string name;  // backoffLimit
  std::string key;   // ,"backoffLimit":
  JsonKind kind = JsonKind::string;
  JsonShape shape = JsonShape::single;
  JsonPresence presence = JsonPresence::omit_empty;
  // The items of a list object: never null (api.md M60), and each may carry apiVersion and kind.
  bool list_items = false;
  uint8_t index = 0;  // in JsonStruct::fields

  FieldLayout layout;
  const google::protobuf::FieldDescriptor* descriptor = nullptr;
  const JsonHolder* holder = nullptr;                    // of a field of an inlined message
  const google::protobuf::Message* prototype = nullptr;  // of message kinds
  const JsonStruct* object = nullptr;                    // of JsonKind::object

  // Zero, or an empty struct, is the same as absent: not a pointer in Go, or a time (api.md M7).
  bool zero_is_absent() const {
    return presence == JsonPresence::always || kind == JsonKind::time ||
           kind == JsonKind::micro_time ||
           (presence == JsonPresence::omit_empty && kind < JsonKind::object);
  }
};

// One word of a message's presence bits, and the fields they stand for: a look at 32 fields.
struct PresenceWord {
  static constexpr size_t kBits = 32;

  uint32_t offset = 0;
  uint32_t used = 0;     // bits that stand for a field
  uint32_t checked = 0;  // those of fields whose presence does not yet make them canonical
  std::array<uint8_t, kBits> field{};  // of each used bit, in JsonStruct::fields

  uint32_t load(const google::protobuf::Message& message) const {
    uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(&message) + offset, sizeof word);
    return word & used;
  }
};

// Fields that live in the same message, side by side in JSON: the object's own, or those of one
// inlined message.
struct JsonGroup {
  const JsonHolder* holder = nullptr;
  size_t begin = 0;
  size_t end = 0;
  std::vector<PresenceWord> words = {};  // of what is not a list or a map
  std::vector<uint8_t> lists = {};       // of messages
  std::vector<uint8_t> maps = {};        // to messages
};

struct JsonStruct {
  static constexpr size_t kMaxFields = 128;

  const google::protobuf::Descriptor* descriptor = nullptr;
  std::vector<JsonField> fields;
  std::vector<std::unique_ptr<JsonHolder>> holders;
  std::vector<JsonGroup> groups;

  // `expected` is where the caller thinks the field is: documents mostly follow the field order.
  const JsonField* find(std::string_view name, size_t expected) const;

  // Called once, when all fields are there.
  void index();

 private:
  void index_names();

  static constexpr size_t kSlots = 256;
  static size_t slot_of(std::string_view name);
  std::array<uint8_t, kSlots> slots_{};  // index + 1; 0 is free
};

const JsonStruct& json_struct(const google::protobuf::Descriptor& descriptor);

}  // namespace windlass::api
