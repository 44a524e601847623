// The character classes of HTTP/1.1 (RFC 9110, 5.6). Locale plays no part. Pure; any thread.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace windlass::http {

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
}

// Of a hexadecimal digit.
constexpr int hex_value(char c) {
  return is_digit(c) ? c - '0' : to_lower(c) - 'a' + 10;
}

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// No blank, no control character, nothing above ASCII.
constexpr bool is_visible(char c) {
  return c > 0x20 && c < 0x7F;
}

// What a method or a header's name is made of.
constexpr bool is_token_character(char c) {
  return is_visible(c) && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
}

// What a header's value is made of: no control characters but the tab.
constexpr bool is_field_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 ? byte != 0x7F : c == '\t';
}

inline bool all(std::string_view text, bool (*is_one)(char)) {
  return std::all_of(text.begin(), text.end(), is_one);
}

inline bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

}  // namespace windlass::http
