#include "apiserver/stored_form.h"

#include <google/protobuf/message.h>

#include <array>
#include <optional>

#include "api/codec/protobuf.h"
#include "apiserver/strategies/strategies.h"
#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

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

// Nothing when the bytes end before it does, here and below.
std::optional<uint64_t> read_varint(std::string_view bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at >= bytes.size()) {
      return std::nullopt;
    }
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
std::optional<size_t> skip_value(std::string_view bytes, size_t at, uint64_t wire_type) {
  switch (wire_type) {
    case 0:
      if (!read_varint(bytes, at)) {
        return std::nullopt;
      }
      break;
    case 1:
      at += 8;
      break;
    case 2: {
      const std::optional<uint64_t> size = read_varint(bytes, at);
      if (!size || *size > bytes.size() - at) {
        return std::nullopt;
      }
      at += *size;
      break;
    }
    case 5:
      at += 4;
      break;
    default:
      break;  // where a group of a stranger begins or ends: what is inside comes next
  }
  return at <= bytes.size() ? std::optional(at) : std::nullopt;
}

std::optional<std::string> renumber(std::string bytes,
                                    const std::array<unsigned char, 16>& numbers) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t tag_at = at;
    const std::optional<uint64_t> tag = read_varint(bytes, at);
    if (!tag) {
      return std::nullopt;
    }
    if (*tag < 128) {
      bytes[tag_at] = static_cast<char>((uint64_t{numbers[*tag >> 3]} << 3) | (*tag & 7));
    }
    const std::optional<size_t> next = skip_value(bytes, at, *tag & 7);
    if (!next) {
      return std::nullopt;
    }
    at = *next;
  }
  return bytes;
}

bool parse(std::string_view bytes, api::Message& object) {
  return object.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

std::unique_ptr<api::Message> stored_message(const api::Kind& kind, const api::Message& object) {
  std::unique_ptr<api::Message> stored = stored_kind(kind).make();
  const std::optional<std::string> bytes = renumber(api::encode_protobuf(object), kCoreNumber);
  CHECK(bytes && parse(*bytes, *stored), "our own encoding is good");
  return stored;
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
  return stored_message(kind, *object);
}

std::string encode_stored(const api::Kind& kind, const api::Message& object) {
  if (is_stored_form(kind)) {
    return api::encode_protobuf(object);
  }
  return api::encode_protobuf(*stored_message(kind, object));
}

bool is_stored_as(const api::Kind& kind, const api::Message& object, std::string_view bytes) {
  // Most changes change the size, which is known for less.
  const bool may_be = !is_stored_form(kind) || object.ByteSizeLong() == bytes.size();
  return may_be && encode_stored(kind, object) == bytes;
}

std::string served_bytes(const api::Kind& kind, const store::Version& version) {
  if (is_stored_form(kind)) {
    return version.bytes();
  }
  if (std::optional<std::string> bytes = renumber(version.bytes(), kNewNumber)) {
    return *std::move(bytes);
  }
  const std::unique_ptr<api::Message> placeholder = kind.make();
  make_placeholder(version, *placeholder);
  return api::encode_protobuf(*placeholder);
}

void parse_version(const api::Kind& kind, const store::Version& version, api::Message& object) {
  const bool parsed = is_stored_form(kind) ? parse(version.bytes(), object)
                                           : parse(served_bytes(kind, version), object);
  if (!parsed) {
    make_placeholder(version, object);
  }
}

void make_placeholder(const store::Version& version, api::Message& object) {
  object.Clear();
  api::meta::v1::ObjectMeta& metadata = api::mutable_metadata_of(object);
  const std::string& key = version.key();
  const size_t slash = key.find('/');
  if (slash == std::string::npos) {
    metadata.set_name(key);
  } else {
    metadata.set_namespace_(key.substr(0, slash));
    metadata.set_name(key.substr(slash + 1));
  }
  metadata.set_resource_version(std::to_string(version.revision()));
  (*metadata.mutable_annotations())["windlass.dev/undecodable"] =
      "the stored bytes are not an object of this kind; only its deletion is possible";
}

bool is_placeholder(const api::Message& stored) {
  return api::metadata_of(stored).uid().empty();
}

api::ObjectPtr decoded_as(const api::Kind& kind, const store::Version& version) {
  return is_stored_form(kind) ? version.decoded() : nullptr;
}

api::ObjectPtr ObjectCache::decode(const api::Kind& kind, const store::Version& version) {
  if (!is_stored_form(kind)) {
    std::unique_ptr<api::Message> made = kind.make();
    parse_version(kind, version, *made);
    return made;
  }
  if (api::ObjectPtr object = version.decoded()) {
    return object;
  }
  api::ObjectPtr object = api::decode_stored(version.bytes(), kind.prototype());
  if (object == nullptr) {
    std::unique_ptr<api::Message> placeholder = kind.make();
    make_placeholder(version, *placeholder);
    object = std::move(placeholder);
  }
  version.remember(object);
  keep(object);
  return object;
}

void ObjectCache::keep(api::ObjectPtr object) {
  kept_[next_] = std::move(object);
  next_ = (next_ + 1) % kKept;
}

}  // namespace windlass::apiserver
