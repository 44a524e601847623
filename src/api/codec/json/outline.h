// What of an object its reader looks at. The rest is left out of the protobuf bytes before they are
// decoded, which costs a walk over tags instead of the decoding of strings that remain unread: of a
// pod, most of its spec and status and who manages which field. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::api {

struct OutlinePart;

// The fields of a message that stay.
using Outline = std::vector<OutlinePart>;

struct OutlinePart {
  uint32_t field = 0;
  Outline inner = {};  // of a message: what stays of it; all of it when this is empty
};

// The bytes of the same message without what the outline leaves out. What is no protobuf comes back
// as it is, for the decoder to refuse.
std::string apply_outline(std::string_view raw, const Outline& outline);

}  // namespace windlass::api
