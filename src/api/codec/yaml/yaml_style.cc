#include "api/codec/yaml/yaml_scalars.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"

namespace windlass::api {
namespace {

struct Character {
  char32_t code = 0;
  size_t size = 1;
};

Character character_at(std::string_view text, size_t at) {
  size_t size = utf8_length(text, at);
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  switch (size) {
    case 2:
      return {static_cast<char32_t>((byte(0) & 0x1f) << 6 | (byte(1) & 0x3f)), 2};
    case 3:
      return {
          static_cast<char32_t>((byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f)),
          3};
    case 4:
      return {static_cast<char32_t>((byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 |
                                    (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f)),
              4};
    default:
      return {byte(0), 1};
  }
}

// May stand in YAML as it is. Line breaks of all kinds and the byte order mark may not.
bool is_printable(char32_t c) {
  constexpr char32_t kLineSeparator = 0x2028;
  constexpr char32_t kParagraphSeparator = 0x2029;
  constexpr char32_t kByteOrderMarkCode = 0xfeff;
  return (c >= 0x20 && c <= 0x7e) ||
         (c >= 0xa0 && c <= 0xfffd && c != kLineSeparator && c != kParagraphSeparator &&
          c != kByteOrderMarkCode) ||
         c >= 0x10000;
}

bool all_printable(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    Character character = character_at(text, at);
    if (!is_printable(character.code)) {
      return false;
    }
    at += character.size;
  }
  return true;
}

// Dates and base-60 numbers (2001-01-01, 12:30:45) stay strings for kubectl, not for all parsers.
bool looks_like_date_or_sexagesimal(std::string_view text) {
  constexpr size_t kYearDigits = 4;
  size_t begin = text[0] == '-' || text[0] == '+' ? 1 : 0;
  size_t end = begin;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  bool more = end > begin && end + 1 < text.size() && is_digit(text[end + 1]);
  return more && (text[end] == ':' || (text[end] == '-' && end == kYearDigits));
}

bool is_other_type(std::string_view text) {
  return resolve_plain_scalar(text).type != YamlScalar::Type::string || text == "<<" ||
         text == "=" || looks_like_date_or_sexagesimal(text);
}

bool can_be_plain(std::string_view text) {
  constexpr std::string_view kNeverFirst = ",[]{}#&*!|>'\"%@`";
  constexpr std::string_view kFirstInsideWord = "-?:";
  char first = text[0];
  if (first == ' ' || text.back() == ' ' || text.back() == ':' ||
      kNeverFirst.find(first) != std::string_view::npos || text.starts_with("---") ||
      text.starts_with("...")) {
    return false;
  }
  if (kFirstInsideWord.find(first) != std::string_view::npos &&
      (text.size() == 1 || text[1] == ' ')) {
    return false;
  }
  return text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos;
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    out += c;
    if (c == '\'') {
      out += c;
    }
  }
  return out + "'";
}

void append_escape(char32_t c, std::string& out) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += c <= 0xff ? fmt::format("\\x{:02X}", static_cast<unsigned>(c))
                       : fmt::format("\\u{:04X}", static_cast<unsigned>(c));
  }
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    Character character = character_at(text, at);
    if (!is_printable(character.code)) {
      append_escape(character.code, out);
    } else {
      if (character.code == '"' || character.code == '\\') {
        out += '\\';
      }
      out += text.substr(at, character.size);
    }
    at += character.size;
  }
  return out + "\"";
}

}  // namespace

std::string yaml_inline_string(std::string_view text) {
  if (text.empty() || !all_printable(text) || is_other_type(text)) {
    return double_quoted(text);
  }
  return can_be_plain(text) ? std::string(text) : single_quoted(text);
}

bool can_be_literal(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text[0] == '\n' || text[0] == ' ' ||
      text[0] == '\t') {
    return false;
  }
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (!all_printable(line) || line.ends_with(' ')) {
      return false;
    }
    begin = end + 1;
  }
  return true;
}

void append_literal(std::string_view text, size_t indent, std::string& out) {
  out += '|';
  if (!text.ends_with('\n')) {
    out += '-';
  } else if (text.ends_with("\n\n")) {
    out += '+';
  }
  out += '\n';
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) {
      out.append(indent, ' ');
      out += text.substr(begin, end - begin);
    }
    out += '\n';
    begin = end + 1;
  }
}

}  // namespace windlass::api
