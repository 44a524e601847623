#include "api/codec/wire_fields.h"

#include <google/protobuf/wire_format_lite.h>

#include <limits>

namespace windlass::api {

using google::protobuf::internal::WireFormatLite;

bool WireFields::next(WireField& out) {
  if (at_ == end_) {
    return false;
  }
  const char* begin = at_;
  broken_ = true;
  uint64_t tag = 0;
  if (!read_varint(tag) || tag > std::numeric_limits<uint32_t>::max()) {
    return false;
  }
  out.number = static_cast<uint32_t>(tag >> WireFormatLite::kTagTypeBits);
  out.has_length = false;
  uint64_t value = 0;
  bool read = false;
  switch (WireFormatLite::GetTagWireType(static_cast<uint32_t>(tag))) {
    case WireFormatLite::WIRETYPE_VARINT:
      read = read_varint(value);
      break;
    case WireFormatLite::WIRETYPE_FIXED64:
      read = skip(sizeof(uint64_t));
      break;
    case WireFormatLite::WIRETYPE_FIXED32:
      read = skip(sizeof(uint32_t));
      break;
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
      out.has_length = true;
      read = read_varint(value) && skip(value);
      break;
    default:
      break;
  }
  if (!read || out.number == 0) {
    return false;
  }
  broken_ = false;
  const auto length = static_cast<size_t>(out.has_length ? value : 0);
  out.whole = std::string_view(begin, static_cast<size_t>(at_ - begin));
  out.content = out.whole.substr(out.whole.size() - length);
  return true;
}

bool WireFields::read_varint(uint64_t& value) {
  constexpr int kMaxBits = 64;
  value = 0;
  for (int shift = 0; shift < kMaxBits && at_ != end_; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

bool WireFields::skip(uint64_t bytes) {
  if (bytes > static_cast<uint64_t>(end_ - at_)) {
    return false;
  }
  at_ += bytes;
  return true;
}

}  // namespace windlass::api
