#include "cli/output/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "cli/output/text.h"

namespace windlass::cli {
namespace {

constexpr char kEscapeByte = '\x1b';
constexpr char32_t kControlSequence = 0x9b;  // ESC [ as one character
constexpr char32_t kReplacement = 0xfffd;

bool is_between(char32_t value, char32_t first, char32_t last) {
  return value >= first && value <= last;
}

// They turn the order of what follows, so that a line reads differently from its bytes.
bool reorders(char32_t value) {
  return is_between(value, 0x202a, 0x202e) || is_between(value, 0x2066, 0x2069) ||
         is_between(value, 0x200e, 0x200f);
}

bool is_control_character(char32_t value) {
  return value < 0x20 || is_between(value, 0x7f, 0x9f);
}

// After `ESC [`: to the byte that ends it.
size_t control_sequence_end(std::string_view text, size_t at) {
  while (at < text.size() && is_between(static_cast<unsigned char>(text[at]), 0x20, 0x3f)) {
    ++at;
  }
  return std::min(at + 1, text.size());
}

// After `ESC ]` and its like: to BEL or `ESC \`.
size_t string_end(std::string_view text, size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == '\a') {
      return at + 1;
    }
    if (text[at] == kEscapeByte) {
      return std::min(at + 2, text.size());
    }
  }
  return at;
}

// `at` is after the escape.
size_t escape_end(std::string_view text, size_t at) {
  if (at == text.size()) {
    return at;
  }
  if (text[at] == '[') {
    return control_sequence_end(text, at + 1);
  }
  if (std::string_view("]PX^_").find(text[at]) != std::string_view::npos) {
    return string_end(text, at + 1);
  }
  while (at < text.size() && is_between(static_cast<unsigned char>(text[at]), 0x20, 0x2f)) {
    ++at;
  }
  return std::min(at + 1, text.size());
}

std::string_view after_carriage_returns(std::string_view line) {
  while (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  const size_t last = line.rfind('\r');
  return last == std::string_view::npos ? line : line.substr(last + 1);
}

}  // namespace

std::string terminal_line(std::string_view line) {
  const std::string_view whole = after_carriage_returns(line);
  std::string shown;
  size_t at = 0;
  while (at < whole.size() && shown.size() < kMaxShownBytes) {
    if (whole[at] == kEscapeByte) {
      at = escape_end(whole, at + 1);
      continue;
    }
    const Utf8Character character = decode_utf8(whole, at);
    at += std::max<size_t>(character.length, 1);
    if (character.length == 0) {
      append_utf8(kReplacement, shown);
    } else if (character.value == kControlSequence) {
      at = control_sequence_end(whole, at);
    } else if (character.value == '\t' ||
               (!is_control_character(character.value) && !reorders(character.value))) {
      append_utf8(character.value, shown);
    }
  }
  if (at < whole.size()) {
    shown += fmt::format(" ... ({} bytes)", grouped(static_cast<int64_t>(line.size())));
  }
  return shown;
}

}  // namespace windlass::cli
