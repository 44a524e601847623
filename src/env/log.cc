#include "env/log.h"

#include "base/quote.h"

namespace windlass::env {
namespace {

// The escapes of a quoted string without the quotes: the message is for people to read.
std::string escaped(std::string_view text) {
  std::string quoted = quote(text);
  return quoted.substr(1, quoted.size() - 2);
}

bool is_plain(std::string_view value) {
  for (const char c : value) {
    if (c <= ' ' || c >= 0x7F || c == '"' || c == '=' || c == '\\') {
      return false;
    }
  }
  return !value.empty();
}

bool needs_escapes(std::string_view message) {
  for (const char c : message) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "error";
}

std::string format_log_line(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line = needs_escapes(message) ? escaped(message) : std::string(message);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    line += is_plain(field.value) ? field.value : quote(field.value);
  }
  return line;
}

}  // namespace windlass::env
