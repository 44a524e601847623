#include "base/uuid.h"

#include <algorithm>

namespace windlass {
namespace {

constexpr size_t kTextLength = 36;

bool dash_before_byte(size_t byte) {
  return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

std::optional<uint8_t> hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<uint8_t>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<uint8_t>(c - 'a' + 10);
  }
  if (c >= 'A' && c <= 'F') {
    return static_cast<uint8_t>(c - 'A' + 10);
  }
  return std::nullopt;
}

}  // namespace

Uuid Uuid::from_random(std::span<const std::byte, 16> bytes) {
  Uuid uuid;
  std::transform(bytes.begin(), bytes.end(), uuid.bytes_.begin(),
                 [](std::byte byte) { return std::to_integer<uint8_t>(byte); });
  uuid.bytes_[6] = static_cast<uint8_t>((uuid.bytes_[6] & 0x0F) | 0x40);
  uuid.bytes_[8] = static_cast<uint8_t>((uuid.bytes_[8] & 0x3F) | 0x80);
  return uuid;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != kTextLength) {
    return std::nullopt;
  }
  Uuid uuid;
  size_t at = 0;
  for (size_t byte = 0; byte < uuid.bytes_.size(); ++byte) {
    if (dash_before_byte(byte) && text[at++] != '-') {
      return std::nullopt;
    }
    const std::optional<uint8_t> high = hex_value(text[at]);
    const std::optional<uint8_t> low = hex_value(text[at + 1]);
    if (!high || !low) {
      return std::nullopt;
    }
    uuid.bytes_[byte] = static_cast<uint8_t>(*high << 4 | *low);
    at += 2;
  }
  return uuid;
}

std::string Uuid::to_string() const {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(kTextLength);
  for (size_t byte = 0; byte < bytes_.size(); ++byte) {
    if (dash_before_byte(byte)) {
      text += '-';
    }
    text += kHex[bytes_[byte] >> 4];
    text += kHex[bytes_[byte] & 0x0F];
  }
  return text;
}

}  // namespace windlass
