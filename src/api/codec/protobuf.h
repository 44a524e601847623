// The protobuf form: the "k8s\0" envelope with its TypeMeta (api.md M6), and the canonical form in
// which a decoded message equals the one that JSON would have given (M7). Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/object.h"
#include "base/result.h"

namespace windlass::api {

// Of one message; a list of everything in a large cluster is a few tens of megabytes.
inline constexpr size_t kMaxProtobufBytes = 256U << 20;

struct Envelope {
  TypeMeta type;
  std::string_view raw;  // points into the input
};

bool has_protobuf_magic(std::string_view bytes);
Result<Envelope> open_envelope(std::string_view bytes);
std::string seal_envelope(const TypeMeta& type, const Message& object);

// Parses and canonicalizes. Unknown fields are kept. A quantity or a time that no JSON could have
// given is an error, as is a truncated message.
Result<void> decode_protobuf(std::string_view raw, Message& out);
// The same, on memory of its own in few pieces: for objects that are looked at and dropped.
Result<ObjectPtr> decode_protobuf_object(std::string_view raw, const Message& prototype);
// The object of bytes that encode_protobuf wrote, on memory of its own in few pieces; such bytes
// are canonical, so nothing is checked again. nullptr when they are damaged.
ObjectPtr decode_stored(std::string_view raw, const Message& prototype);
// Equal messages give equal bytes.
std::string encode_protobuf(const Message& object);

// Drops what Go writes although it is zero: value scalars that are zero and value structs that are
// empty. After this, equal objects have equal messages.
void canonicalize(Message& object);

}  // namespace windlass::api
