// The protobuf form: the "k8s\0" envelope with its TypeMeta (api.md M6), and the canonical form in
// which a decoded message equals the one that JSON would have given (M7). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/object.h"
#include "base/result.h"

namespace windlass::api {

struct Envelope {
  TypeMeta type;
  std::string_view raw;  // points into the input
};

bool has_protobuf_magic(std::string_view bytes);
Result<Envelope> open_envelope(std::string_view bytes);
std::string seal_envelope(const TypeMeta& type, const Message& object);

// Parses and canonicalizes. Unknown fields are kept.
Result<void> decode_protobuf(std::string_view raw, Message& out);
std::string encode_protobuf(const Message& object);

// Drops what Go writes although it is zero: value scalars that are zero and value structs that are
// empty. After this, equal objects have equal messages.
void canonicalize(Message& object);

}  // namespace windlass::api
