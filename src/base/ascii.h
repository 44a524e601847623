// Character classes that do not ask the locale. Pure; any thread.
#pragma once

#include <string_view>

namespace windlass {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Without what it begins and ends with of `blanks`.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace windlass
