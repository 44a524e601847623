// The few bytes of protobuf that are written around messages which are bytes already: lists of
// stored objects, envelopes, watch frames. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/object.h"

namespace windlass::apiserver {

size_t varint_size(uint64_t value);
void append_varint(uint64_t value, std::string& out);
// Tag and length of a field whose `size` bytes follow.
void append_field_head(int number, size_t size, std::string& out);
// Of a field with a number below 16.
size_t field_head_size(size_t size);
inline void append_field(int number, std::string_view bytes, std::string& out) {
  append_field_head(number, bytes.size(), out);
  out += bytes;
}

// "k8s\0" and the envelope up to the object's bytes, of which there will be `raw_size` (api.md M6).
void append_envelope_head(const api::TypeMeta& type, size_t raw_size, std::string& out);

}  // namespace windlass::apiserver
