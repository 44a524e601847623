#include "base/json_writer.h"

#include <fmt/format.h>

#include <array>

#include "base/utf8.h"

namespace windlass {
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

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  append_escaped(text, out);
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

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

void JsonWriter::separate() {
  if (!first_) {
    out_ += ',';
  }
  first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(name, out_);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  separate();
  append_json_string(text, out_);
  return *this;
}

JsonWriter& JsonWriter::number(int64_t value) {
  return raw(std::to_string(value));
}

JsonWriter& JsonWriter::real(double value) {
  return raw(fmt::format("{}", value));
}

JsonWriter& JsonWriter::boolean(bool value) {
  return raw(value ? "true" : "false");
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace windlass
