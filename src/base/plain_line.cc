#include "base/plain_line.h"

#include <algorithm>

#include "base/utf8.h"

namespace windlass {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';
// Introducers of a control sequence and of strings, as one character (C1).
constexpr char32_t kWideSequence = 0x9b;

bool is_in_range(char c, char low, char high) {
  return c >= low && c <= high;
}

// The end of a control sequence whose parameters begin at `at`: parameters, intermediates, and one
// final byte. What does not follow this form ends before the byte that breaks it.
size_t sequence_end(std::string_view line, size_t at) {
  while (at < line.size() && is_in_range(line[at], '\x30', '\x3f')) {
    ++at;
  }
  while (at < line.size() && is_in_range(line[at], '\x20', '\x2f')) {
    ++at;
  }
  return at < line.size() && is_in_range(line[at], '\x40', '\x7e') ? at + 1 : at;
}

// The end of a string, such as a window title, that ends with BEL or ESC \. Without such an end the
// string is the text of the program, so that it cannot hide the rest of a line.
size_t string_end(std::string_view line, size_t at) {
  const size_t end = line.find_first_of("\x07\x1b", at);
  if (end == std::string_view::npos) {
    return at;
  }
  if (line[end] == kBell) {
    return end + 1;
  }
  return end + 1 < line.size() && line[end + 1] == '\\' ? end + 2 : at;
}

// The end of the escape sequence that begins at `at`.
size_t escape_end(std::string_view line, size_t at) {
  ++at;
  if (at == line.size()) {
    return at;
  }
  constexpr std::string_view kStrings = "]P^_X";
  if (line[at] == '[') {
    return sequence_end(line, at + 1);
  }
  if (kStrings.find(line[at]) != std::string_view::npos) {
    return string_end(line, at + 1);
  }
  while (at < line.size() && is_in_range(line[at], '\x20', '\x2f')) {
    ++at;
  }
  return at < line.size() && is_in_range(line[at], '\x30', '\x7e') ? at + 1 : at;
}

bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x2028 ||
         character == 0x2029;
}

// They take no room, or turn the text around them.
bool is_invisible(char32_t character) {
  return character == 0xad || character == 0x61c || (character >= 0x200b && character <= 0x200f) ||
         (character >= 0x202a && character <= 0x202e) ||
         (character >= 0x2060 && character <= 0x206f) || character == 0xfeff ||
         (character >= 0xfff9 && character <= 0xfffb) ||
         (character >= 0xe0000 && character <= 0xe007f);
}

// Progress bars return to the start of the line and write over it.
std::string_view last_drawn(std::string_view line) {
  const size_t end = line.find_last_not_of("\r\n");
  line = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const size_t start = line.rfind('\r');
  return start == std::string_view::npos ? line : line.substr(start + 1);
}

}  // namespace

std::string plain_line(std::string_view line, size_t max_bytes) {
  line = last_drawn(line);
  std::string out;
  out.reserve(std::min(line.size(), max_bytes));
  bool after_invalid = false;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == kEscape) {
      at = escape_end(line, at);
      continue;
    }
    const Utf8Character character = decode_utf8(line, at);
    std::string_view piece = line.substr(at, std::max<size_t>(character.length, 1));
    at += piece.size();
    if (character.length == 0) {
      piece = after_invalid ? "" : "?";
    } else if (character.value == kWideSequence) {
      at = sequence_end(line, at);
      piece = "";
    } else if (is_control(character.value)) {
      piece = " ";
    } else if (is_invisible(character.value)) {
      piece = "";
    }
    after_invalid = character.length == 0;
    if (out.size() + piece.size() > max_bytes) {
      break;
    }
    out += piece;
  }
  return out;
}

}  // namespace windlass
