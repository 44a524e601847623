#include "api/uuid.h"

#include <string_view>

namespace windlass::api {

std::string uuid_from_random(std::span<const std::byte, 16> random) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (size_t i = 0; i < random.size(); ++i) {
    auto byte = std::to_integer<unsigned>(random[i]);
    if (i == 6) {
      byte = (byte & 0x0F) | 0x40;  // version 4
    } else if (i == 8) {
      byte = (byte & 0x3F) | 0x80;  // variant
    }
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += kHex[byte >> 4];
    text += kHex[byte & 0x0F];
  }
  return text;
}

}  // namespace windlass::api
