#include "api/codec/base64.h"

#include <array>
#include <cstdint>

namespace windlass::api {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  for (uint8_t& digit : digits) {
    digit = kNoDigit;
  }
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}
constexpr std::array<uint8_t, 256> kDigits = make_digits();

bool is_line_break(char c) {
  return c == '\n' || c == '\r';
}

// Behind the first `=` only what completes the group of four may follow.
std::optional<Base64Error> check_padding(std::string_view text, size_t at, int digits) {
  if (digits < 2) {
    return Base64Error{at};
  }
  int missing = 4 - digits;
  for (; missing > 0 && at < text.size(); ++at) {
    if (is_line_break(text[at])) {
      continue;
    }
    if (text[at] != '=') {
      return Base64Error{at};
    }
    --missing;
  }
  if (missing > 0) {
    return Base64Error{text.size()};
  }
  while (at < text.size() && is_line_break(text[at])) {
    ++at;
  }
  return at == text.size() ? std::nullopt : std::optional(Base64Error{at});
}

void append_group(uint32_t bits, int digits, std::string& out) {
  bits <<= 6 * (4 - digits);
  for (int i = 0; i < digits - 1; ++i) {
    out += static_cast<char>(bits >> (16 - 8 * i) & 0xff);
  }
}

}  // namespace

void append_base64(std::string_view bytes, std::string& out) {
  for (size_t at = 0; at < bytes.size(); at += 3) {
    size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (size_t i = 0; i < 4; ++i) {
      out += i <= count ? kAlphabet[bits >> (18 - 6 * i) & 0x3f] : '=';
    }
  }
}

std::optional<Base64Error> decode_base64(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  int digits = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (is_line_break(c)) {
      continue;
    }
    if (c == '=') {
      std::optional<Base64Error> error = check_padding(text, at, digits);
      append_group(bits, digits, out);
      return error;
    }
    uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) {
      return Base64Error{at};
    }
    bits = bits << 6 | digit;
    if (++digits == 4) {
      append_group(bits, 4, out);
      bits = 0;
      digits = 0;
    }
  }
  return digits == 0 ? std::nullopt : std::optional(Base64Error{text.size()});
}

}  // namespace windlass::api
