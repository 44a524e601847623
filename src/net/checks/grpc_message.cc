#include "net/checks/grpc_message.h"

#include <cstdint>

namespace windlass::net {
namespace {

constexpr size_t kPrefixBytes = 5;  // compressed or not, and the length, big-endian
constexpr int kMaxVarintBytes = 10;
constexpr char kServiceTag = 0x0A;  // field 1, length-delimited
constexpr uint64_t kStatusTag = 8;  // field 1, varint

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) {
    bytes += static_cast<char>(value | 0x80U);
  }
  return bytes + static_cast<char>(value);
}

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int i = 0; i < kMaxVarintBytes && !bytes.empty(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7FU) << static_cast<unsigned>(7 * i);
    if (byte < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

// A field that the health protocol may get one day.
bool skip_field(uint64_t tag, std::string_view& bytes) {
  uint64_t length = 0;
  switch (tag & 7U) {
    case 0:
      return take_varint(bytes).has_value();
    case 1:
      length = 8;
      break;
    case 2: {
      const auto given = take_varint(bytes);
      if (!given) {
        return false;
      }
      length = *given;
      break;
    }
    case 5:
      length = 4;
      break;
    default:
      return false;
  }
  if (length > bytes.size()) {
    return false;
  }
  bytes.remove_prefix(static_cast<size_t>(length));
  return true;
}

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? std::optional(lower - 'a' + 10) : std::nullopt;
}

}  // namespace

std::string health_request(std::string_view service) {
  std::string message;
  if (!service.empty()) {
    message = kServiceTag + varint(service.size());
    message += service;
  }
  std::string framed(1, '\0');
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    framed += static_cast<char>(message.size() >> shift);
  }
  return framed + message;
}

std::optional<int> health_status(std::string_view body) {
  if (body.size() < kPrefixBytes || body[0] != 0) {
    return std::nullopt;
  }
  size_t length = 0;
  for (size_t i = 1; i < kPrefixBytes; ++i) {
    length = length << 8U | static_cast<unsigned char>(body[i]);
  }
  body.remove_prefix(kPrefixBytes);
  if (body.size() != length) {
    return std::nullopt;
  }
  int status = 0;
  while (!body.empty()) {
    const auto tag = take_varint(body);
    if (!tag) {
      return std::nullopt;
    }
    if (*tag == kStatusTag) {
      const auto value = take_varint(body);
      if (!value) {
        return std::nullopt;
      }
      status = static_cast<int>(*value);
    } else if (!skip_field(*tag, body)) {
      return std::nullopt;
    }
  }
  return status;
}

std::string grpc_message_text(std::string_view encoded) {
  std::string text;
  for (size_t i = 0; i < encoded.size(); ++i) {
    const auto high =
        encoded[i] == '%' && i + 2 < encoded.size() ? hex_digit(encoded[i + 1]) : std::nullopt;
    const auto low = high ? hex_digit(encoded[i + 2]) : std::nullopt;
    if (low) {
      text += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      text += encoded[i];
    }
  }
  return text;
}

}  // namespace windlass::net
