#include "apiserver/stored_form.h"

#include <google/protobuf/message.h>

#include <array>

#include "api/codec/protobuf.h"
#include "apiserver/strategies.h"
#include "base/check.h"

namespace windlass::apiserver {
namespace {

// Indexed by the field number in core/v1: the number in events.k8s.io/v1 (api.md N20). All of them
// fit into a tag of one byte.
constexpr std::array<unsigned char, 16> kNewNumber = {0,  1,  8, 7, 10, 12, 13, 14,
                                                      15, 11, 2, 3, 6,  9,  4,  5};

constexpr std::array<unsigned char, 16> inverse(const std::array<unsigned char, 16>& numbers) {
  std::array<unsigned char, 16> result = {};
  for (size_t i = 0; i < numbers.size(); ++i) {
    result[numbers[i]] = static_cast<unsigned char>(i);
  }
  return result;
}
constexpr std::array<unsigned char, 16> kCoreNumber = inverse(kNewNumber);

uint64_t read_varint(std::string_view bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    CHECK(at < bytes.size(), "encoded bytes are whole");
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) {
      break;
    }
  }
  return value;
}

// Behind the value of a field. What is not in the schema may be of any wire type: it is renumbered
// there and back again, and so stays what it is.
size_t skip_value(std::string_view bytes, size_t at, uint64_t wire_type) {
  switch (wire_type) {
    case 0:
      read_varint(bytes, at);
      break;
    case 1:
      at += 8;
      break;
    case 2: {
      const uint64_t size = read_varint(bytes, at);
      CHECK(size <= bytes.size() - at, "encoded bytes are whole");
      at += size;
      break;
    }
    case 5:
      at += 4;
      break;
    default:
      break;  // where a group of a stranger begins or ends: what is inside comes next
  }
  CHECK(at <= bytes.size(), "encoded bytes are whole");
  return at;
}

std::string renumber(std::string bytes, const std::array<unsigned char, 16>& numbers) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t tag_at = at;
    const uint64_t tag = read_varint(bytes, at);
    if (tag < 128) {
      bytes[tag_at] = static_cast<char>((uint64_t{numbers[tag >> 3]} << 3) | (tag & 7));
    }
    at = skip_value(bytes, at, tag & 7);
  }
  return bytes;
}

void parse(std::string_view bytes, api::Message& object) {
  CHECK(object.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())),
        "stored bytes are an object of their kind");
}

}  // namespace

const api::Kind& stored_kind(const api::Kind& kind) {
  return &kind == &new_event_kind() ? api::kinds::event() : kind;
}

std::vector<const api::Kind*> all_stored_kinds() {
  std::vector<const api::Kind*> stored;
  for (const api::Kind& kind : api::all_kinds()) {
    if (find_strategy(kind) != nullptr && is_stored_form(kind)) {
      stored.push_back(&kind);
    }
  }
  return stored;
}

api::ObjectPtr to_stored(const api::Kind& kind, api::ObjectPtr object) {
  if (is_stored_form(kind)) {
    return object;
  }
  std::unique_ptr<api::Message> stored = stored_kind(kind).make();
  parse(renumber(api::encode_protobuf(*object), kCoreNumber), *stored);
  return stored;
}

std::string encode_stored(const api::Kind& kind, const api::Message& object) {
  if (is_stored_form(kind)) {
    return api::encode_protobuf(object);
  }
  const std::unique_ptr<api::Message> stored = stored_kind(kind).make();
  parse(renumber(api::encode_protobuf(object), kCoreNumber), *stored);
  return api::encode_protobuf(*stored);
}

bool is_stored_as(const api::Kind& kind, const api::Message& object, std::string_view bytes) {
  // Most changes change the size, which is known for less.
  const bool may_be = !is_stored_form(kind) || object.ByteSizeLong() == bytes.size();
  return may_be && encode_stored(kind, object) == bytes;
}

std::string served_bytes(const api::Kind& kind, const store::Version& version) {
  return is_stored_form(kind) ? version.bytes() : renumber(version.bytes(), kNewNumber);
}

void parse_version(const api::Kind& kind, const store::Version& version, api::Message& object) {
  if (is_stored_form(kind)) {
    parse(version.bytes(), object);
  } else {
    parse(served_bytes(kind, version), object);
  }
}

api::ObjectPtr decoded_as(const api::Kind& kind, const store::Version& version) {
  return is_stored_form(kind) ? version.decoded() : nullptr;
}

}  // namespace windlass::apiserver
