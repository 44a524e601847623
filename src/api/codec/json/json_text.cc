#include "api/codec/json/json_text.h"

#include "api/codec/json/json_scanner.h"
#include "base/json_writer.h"
#include "base/utf8.h"

namespace windlass::api {
namespace {

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
