#include "apiserver/rest/answers/wire.h"

namespace windlass::apiserver {

size_t varint_size(uint64_t value) {
  size_t size = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++size;
  }
  return size;
}

void append_varint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void append_field_head(int number, size_t size, std::string& out) {
  constexpr int kLengthDelimited = 2;
  append_varint(static_cast<uint64_t>(number * 8 + kLengthDelimited), out);
  append_varint(size, out);
}

size_t field_head_size(size_t size) {
  return 1 + varint_size(size);
}

void append_envelope_head(const api::TypeMeta& type, size_t raw_size, std::string& out) {
  std::string type_bytes;
  append_field(1, type.api_version, type_bytes);
  append_field(2, type.kind, type_bytes);
  out.append("k8s\0", 4);
  append_field(1, type_bytes, out);
  append_field_head(2, raw_size, out);
}

}  // namespace windlass::apiserver
