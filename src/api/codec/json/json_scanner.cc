#include "api/codec/json/json_scanner.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace windlass::api {
namespace {

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// A byte as Go prints it in such errors: as if it were a Latin-1 character.
std::string quoted_byte(char c) {
  auto code = static_cast<unsigned char>(c);
  switch (c) {
    case '\'':
      return R"('\'')";
    case '\\':
      return R"('\\')";
    case '\n':
      return R"('\n')";
    case '\r':
      return R"('\r')";
    case '\t':
      return R"('\t')";
    default:
      break;
  }
  if (code < 0x20 || code == 0x7f) {
    return fmt::format("'\\x{:02x}'", code);
  }
  if (code < 0x80) {
    return fmt::format("'{}'", c);
  }
  if (code < 0xa1 || code == 0xad) {
    return fmt::format("'\\u{:04x}'", code);
  }
  return fmt::format("'{}{}'", static_cast<char>(0xc0 | (code >> 6)),
                     static_cast<char>(0x80 | (code & 0x3f)));
}

}  // namespace

JsonToken JsonScanner::next() {
  JsonToken token = next_of_stream();
  if (token == JsonToken::end) {
    skip_space();
    if (!at_end()) {
      return error_token("after top-level value");
    }
  }
  return token;
}

JsonToken JsonScanner::next_of_stream() {
  if (!error_.empty()) {
    return JsonToken::error;
  }
  if (expect_ == Expect::nothing) {
    return JsonToken::end;
  }
  skip_space();
  token_start_ = at_;
  switch (expect_) {
    case Expect::first_element:
      return sees(']') ? close(JsonToken::end_array) : value();
    case Expect::first_key:
      return sees('}') ? close(JsonToken::end_object) : key();
    case Expect::key:
      return key();
    case Expect::comma:
      return comma();
    default:
      return value();
  }
}

void JsonScanner::skip_space() {
  while (!at_end()) {
    char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
      return;
    }
    ++at_;
  }
}

JsonToken JsonScanner::value() {
  if (at_end()) {
    return error_token("");
  }
  char c = text_[at_];
  if (c == '{') {
    return open(c, Expect::first_key, JsonToken::begin_object);
  }
  if (c == '[') {
    return open(c, Expect::first_element, JsonToken::begin_array);
  }
  if (c == '"') {
    return scan_string() ? complete(JsonToken::string) : JsonToken::error;
  }
  if (c == '-' || is_digit(c)) {
    return scan_number() ? complete(JsonToken::number) : JsonToken::error;
  }
  for (std::string_view word : {"true", "false", "null"}) {
    if (c == word[0]) {
      return scan_word(word) ? complete(JsonToken::literal) : JsonToken::error;
    }
  }
  return error_token("looking for beginning of value");
}

JsonToken JsonScanner::key() {
  if (!sees('"')) {
    return error_token("looking for beginning of object key string");
  }
  if (!scan_string()) {
    return JsonToken::error;
  }
  token_end_ = at_;
  skip_space();
  if (!sees(':')) {
    return error_token("after object key");
  }
  ++at_;
  expect_ = Expect::value;
  return JsonToken::key;
}

JsonToken JsonScanner::comma() {
  if (sees(in_object() ? '}' : ']')) {
    return close(in_object() ? JsonToken::end_object : JsonToken::end_array);
  }
  if (!sees(',')) {
    return error_token(in_object() ? "after object key:value pair" : "after array element");
  }
  ++at_;
  skip_space();
  token_start_ = at_;
  return in_object() ? key() : value();
}

JsonToken JsonScanner::open(char bracket, Expect inside, JsonToken token) {
  if (open_.size() >= kMaxJsonDepth) {
    too_deep_ = true;
    error_ = "exceeded max depth";
    return JsonToken::error;
  }
  open_ += bracket;
  token_end_ = ++at_;
  expect_ = inside;
  return token;
}

JsonToken JsonScanner::close(JsonToken token) {
  open_.pop_back();
  ++at_;
  return complete(token);
}

JsonToken JsonScanner::complete(JsonToken token) {
  token_end_ = at_;
  expect_ = open_.empty() ? Expect::nothing : Expect::comma;
  return token;
}

bool JsonScanner::scan_string() {
  ++at_;
  while (!at_end()) {
    char c = text_[at_];
    if (c == '"') {
      ++at_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      return wrong("in string literal");
    }
    ++at_;
    if (c == '\\' && !scan_escape()) {
      return false;
    }
  }
  return wrong("");
}

bool JsonScanner::scan_escape() {
  constexpr std::string_view kSimple = "bfnrt\\/\"";
  if (at_end()) {
    return wrong("");
  }
  if (kSimple.find(text_[at_]) != std::string_view::npos) {
    ++at_;
    return true;
  }
  if (text_[at_] != 'u') {
    return wrong("in string escape code");
  }
  ++at_;
  for (int digits = 0; digits < 4; ++digits, ++at_) {
    if (at_end() || !is_hex_digit(text_[at_])) {
      return wrong("in \\u hexadecimal character escape");
    }
  }
  return true;
}

bool JsonScanner::scan_digits(std::string_view context) {
  if (at_end() || !is_digit(text_[at_])) {
    return wrong(context);
  }
  while (!at_end() && is_digit(text_[at_])) {
    ++at_;
  }
  return true;
}

bool JsonScanner::scan_number() {
  if (sees('-')) {
    ++at_;
  }
  if (sees('0')) {
    ++at_;
  } else if (!scan_digits("in numeric literal")) {
    return false;
  }
  if (sees('.')) {
    ++at_;
    if (!scan_digits("after decimal point in numeric literal")) {
      return false;
    }
  }
  if (sees('e') || sees('E')) {
    ++at_;
    if (sees('+') || sees('-')) {
      ++at_;
    }
    return scan_digits("in exponent of numeric literal");
  }
  return true;
}

bool JsonScanner::scan_word(std::string_view word) {
  for (char expected : word) {
    if (!sees(expected)) {
      return wrong(fmt::format("in literal {} (expecting '{}')", word, expected));
    }
    ++at_;
  }
  return true;
}

bool JsonScanner::wrong(std::string_view context) {
  error_ = at_end() ? "unexpected end of JSON input"
                    : fmt::format("invalid character {} {}", quoted_byte(text_[at_]), context);
  return false;
}

JsonToken JsonScanner::error_token(std::string_view context) {
  wrong(context);
  return JsonToken::error;
}

std::string json_syntax_error(std::string_view text) {
  JsonScanner scanner(text);
  while (true) {
    JsonToken token = scanner.next();
    if (token == JsonToken::end) {
      return "";
    }
    if (token == JsonToken::error) {
      return scanner.error();
    }
  }
}

}  // namespace windlass::api
