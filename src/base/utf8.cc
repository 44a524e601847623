#include "base/utf8.h"

#include <algorithm>

namespace windlass {
namespace {

constexpr size_t kLongestCharacter = 4;

unsigned byte_of(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_continuation(unsigned byte) {
  return (byte & 0xc0U) == 0x80;
}

// U+0000 to U+001F, U+007F to U+009F, as UTF-8.
bool is_control(std::string_view character) {
  const unsigned first = byte_of(character, 0);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && byte_of(character, 1) < 0xa0);
}

}  // namespace

size_t utf8_length(std::string_view text, size_t at) {
  const auto continues = [&](size_t offset, unsigned low = 0x80, unsigned high = 0xbf) {
    return at + offset < text.size() && byte_of(text, at + offset) >= low &&
           byte_of(text, at + offset) <= high;
  };
  const unsigned c = byte_of(text, at);
  if (c < 0x80) {
    return 1;
  }
  if (c >= 0xc2 && c <= 0xdf) {
    return continues(1) ? 2 : 0;
  }
  if (c >= 0xe0 && c <= 0xef) {
    const unsigned low = c == 0xe0 ? 0xa0 : 0x80;   // no overlong forms
    const unsigned high = c == 0xed ? 0x9f : 0xbf;  // no surrogates
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (c >= 0xf0 && c <= 0xf4) {
    const unsigned low = c == 0xf0 ? 0x90 : 0x80;
    const unsigned high = c == 0xf4 ? 0x8f : 0xbf;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

Utf8Character decode_utf8(std::string_view text, size_t at) {
  const size_t length = utf8_length(text, at);
  if (length < 2) {
    return {length == 0 ? 0 : byte_of(text, at), length};
  }
  char32_t value = byte_of(text, at) & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    value = value << 6 | (byte_of(text, at + i) & 0x3fU);
  }
  return {value, length};
}

void append_utf8(char32_t character, std::string& out) {
  auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | ((character >> shift) & 0x3f));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xc0 | (character >> 6));
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xe0 | (character >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (character >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string readable(std::string_view text, size_t max_bytes) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    const std::string_view piece = length == 0 ? "?" : text.substr(at, length);
    if (out.size() + piece.size() > max_bytes) {
      break;
    }
    out += piece;
    at += std::max(length, size_t{1});
  }
  return out;
}

std::string_view from_whole_character(std::string_view text) {
  for (size_t i = 1; i < kLongestCharacter && !text.empty(); ++i) {
    if (is_continuation(byte_of(text, 0))) {
      text.remove_prefix(1);
    }
  }
  return text;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    const std::string_view character = text.substr(at, std::max(length, size_t{1}));
    const bool shown = length > 0 && !is_control(character);
    if (shown && !(out.empty() && character == " ")) {
      out += character;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
    at += character.size();
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace windlass
