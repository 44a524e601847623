// What of an object its reader looks at. The rest is left out of the protobuf bytes before they are
// decoded, which costs a walk over a few tags instead of the decoding of strings that nobody reads:
// of a pod, most of its spec and who manages which field. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::api {

struct Outline {
  // One field of the object, itself a message, and which of its fields stay.
  struct Part {
    uint32_t field = 0;
    bool all_but = false;  // all but those that follow, instead of only those
    std::vector<uint32_t> fields = {};

    bool keeps(uint32_t number) const;
  };
  std::vector<Part> parts = {};  // what is not named stays
};

// The bytes of the same message without what the outline leaves out. What is no protobuf comes back
// as it is, for the decoder to refuse.
std::string apply_outline(std::string_view raw, const Outline& outline);

}  // namespace windlass::api
