#include "base/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace windlass {
namespace {

// Go asks whole Unicode tables; these are the ranges without letters, marks, numbers or symbols.
bool is_printable(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kUnprintable[] = {
      {0x0, 0x1F},      {0x7F, 0xA0},       {0xAD, 0xAD},        {0x600, 0x605},   {0x61C, 0x61C},
      {0x6DD, 0x6DD},   {0x1680, 0x1680},   {0x180E, 0x180E},    {0x2000, 0x200F}, {0x2028, 0x202F},
      {0x205F, 0x206F}, {0x3000, 0x3000},   {0xE000, 0xF8FF},    {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB},
      {0xFFFE, 0xFFFF}, {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF},
  };
  for (const Range& range : kUnprintable) {
    if (c >= range.first && c <= range.last) {
      return false;
    }
  }
  return true;
}

// The short escapes, or nothing.
std::string_view short_escape(char32_t c) {
  switch (c) {
    case '\a':
      return "\\a";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\v':
      return "\\v";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      return {};
  }
}

void append_escaped(std::string& out, char32_t c) {
  auto to = std::back_inserter(out);
  if (c < ' ' || c == 0x7F) {
    fmt::format_to(to, "\\x{:02x}", static_cast<uint32_t>(c));
  } else if (c < 0x10000) {
    fmt::format_to(to, "\\u{:04x}", static_cast<uint32_t>(c));
  } else {
    fmt::format_to(to, "\\U{:08x}", static_cast<uint32_t>(c));
  }
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto [character, length] = decode_utf8(text, 0);
    if (length == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint8_t>(text[0]));
    } else if (const std::string_view escape = short_escape(character); !escape.empty()) {
      out += escape;
    } else if (is_printable(character)) {
      out += text.substr(0, length);
    } else {
      append_escaped(out, character);
    }
    text.remove_prefix(std::max(length, size_t{1}));
  }
  out += '"';
  return out;
}

std::string quote_ascii(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (const auto byte = static_cast<uint8_t>(c); byte < ' ' || byte >= 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') {
        out += '\\';
      }
      out += c;
    }
  }
  out += '"';
  return out;
}

}  // namespace windlass
