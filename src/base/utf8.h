// Text that others wrote, as bytes: what of it is UTF-8, and what of it a reader may see. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass {

// The length of the UTF-8 character that begins at `at`, or 0 when none does.
size_t utf8_length(std::string_view text, size_t at);
// That character, and its length; length 0 when none begins there.
struct Utf8Character {
  char32_t value = 0;
  size_t length = 0;
};
Utf8Character decode_utf8(std::string_view text, size_t at);
void append_utf8(char32_t character, std::string& out);

// The first `max_bytes` of it, or less so as not to end within a character. An API object holds
// UTF-8 only: each byte that is not becomes a question mark.
std::string readable(std::string_view text, size_t max_bytes);

// Without the rest of a character that was cut off before.
std::string_view from_whole_character(std::string_view text);

// One line for a terminal, which obeys control characters: a space is in their place, and in that
// of bytes that are not UTF-8.
std::string one_line(std::string_view text);

}  // namespace windlass
