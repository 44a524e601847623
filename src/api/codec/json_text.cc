#include "api/codec/json_text.h"

#include <array>
#include <cstdint>

#include "api/codec/json_scanner.h"
#include "base/utf8.h"

namespace windlass::api {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Bytes that cannot be copied as they are: controls, quotes, HTML characters, and everything beyond
// ASCII, which must be looked at as UTF-8.
constexpr std::array<bool, 256> make_special() {
  std::array<bool, 256> special{};
  for (size_t c = 0; c < 256; ++c) {
    special[c] = c < 0x20 || c >= 0x80;
  }
  for (char c : {'"', '\\', '<', '>', '&'}) {
    special[static_cast<unsigned char>(c)] = true;
  }
  return special;
}
constexpr std::array<bool, 256> kSpecial = make_special();

unsigned char byte_at(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

void append_escaped_ascii(unsigned char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
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
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 0xf];
  }
}

// Appends the character at `at` and returns its length in the text.
size_t append_beyond_ascii(std::string_view text, size_t at, std::string& out) {
  size_t length = utf8_length(text, at);
  if (length == 0) {
    out += "\\ufffd";
    return 1;
  }
  std::string_view character = text.substr(at, length);
  if (character == "\xe2\x80\xa8") {
    out += "\\u2028";
  } else if (character == "\xe2\x80\xa9") {
    out += "\\u2029";
  } else {
    out += character;
  }
  return length;
}

void append_escaped(std::string_view text, std::string& out) {
  size_t clean = 0;
  size_t at = 0;
  while (at < text.size()) {
    unsigned char c = byte_at(text, at);
    if (!kSpecial[c]) [[likely]] {
      ++at;
      continue;
    }
    out.append(text, clean, at - clean);
    if (c >= 0x80) {
      at += append_beyond_ascii(text, at, out);
    } else {
      append_escaped_ascii(c, out);
      ++at;
    }
    clean = at;
  }
  out.append(text, clean, at - clean);
}

// A raw token keeps its own escapes and gains those that Go adds when it compacts.
void append_html_safe(std::string_view token, std::string& out) {
  for (size_t at = 0; at < token.size();) {
    unsigned char c = byte_at(token, at);
    if (c == '<' || c == '>' || c == '&') {
      append_escaped_ascii(c, out);
      ++at;
    } else if (c >= 0x80) {
      at += append_beyond_ascii(token, at, out);
    } else {
      out += token[at++];
    }
  }
}

void append_new_line(size_t depth, std::string& out) {
  out += '\n';
  out.append(2 * depth, ' ');
}

unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<unsigned>(c - '0');
  }
  return static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

char32_t four_digits(std::string_view token, size_t at) {
  char32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    value = value << 4 | hex_value(token[i]);
  }
  return value;
}

// The character of the escape whose `u` is at `at`; moves `at` behind it.
char32_t unicode_escape(std::string_view token, size_t& at) {
  constexpr char32_t kReplacement = 0xfffd;
  char32_t first = four_digits(token, at + 1);
  at += 5;
  if (first < 0xd800 || first > 0xdfff) {
    return first;
  }
  bool pair = first < 0xdc00 && token.substr(at, 2) == "\\u";
  char32_t second = pair ? four_digits(token, at + 2) : 0;
  if (second < 0xdc00 || second > 0xdfff) {
    return kReplacement;
  }
  at += 6;
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

}  // namespace

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

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  append_escaped(text, out);
  out += '"';
}

bool append_compact_json(std::string_view json, std::string& out) {
  size_t start = out.size();
  JsonScanner scanner(json);
  bool after_value = false;
  while (true) {
    JsonToken token = scanner.next();
    if (token == JsonToken::end) {
      return true;
    }
    if (token == JsonToken::error) {
      out.resize(start);
      return false;
    }
    bool closes = token == JsonToken::end_object || token == JsonToken::end_array;
    if (after_value && !closes) {
      out += ',';
    }
    append_html_safe(scanner.text(), out);
    if (token == JsonToken::key) {
      out += ':';
    }
    after_value = token != JsonToken::key && token != JsonToken::begin_object &&
                  token != JsonToken::begin_array;
  }
}

void append_pretty_json(std::string_view json, std::string& out) {
  JsonScanner scanner(json);
  enum class Before { nothing, first, value } before = Before::nothing;
  while (true) {
    JsonToken token = scanner.next();
    if (token == JsonToken::end || token == JsonToken::error) {
      return;
    }
    bool closes = token == JsonToken::end_object || token == JsonToken::end_array;
    if (before == Before::value && !closes) {
      out += ',';
    }
    bool own_line = closes ? before == Before::value : before != Before::nothing;
    bool opens = token == JsonToken::begin_object || token == JsonToken::begin_array;
    if (own_line) {
      append_new_line(opens ? scanner.depth() - 1 : scanner.depth(), out);
    }
    out += scanner.text();
    if (token == JsonToken::key) {
      out += ": ";
      before = Before::nothing;
    } else {
      before = opens ? Before::first : Before::value;
    }
  }
}

std::string unescape_json_string(std::string_view token) {
  std::string text;
  text.reserve(token.size());
  size_t end = token.size() - 1;
  for (size_t at = 1; at < end;) {
    if (token[at] != '\\') {
      text += token[at++];
    } else if (token[at + 1] == 'u') {
      ++at;
      append_utf8(unicode_escape(token, at), text);
    } else {
      text += simple_escape(token[at + 1]);
      at += 2;
    }
  }
  return text;
}

}  // namespace windlass::api
