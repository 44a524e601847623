// Structured log lines. Never pass Secrets, tokens or request bodies.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace windlass::env {

enum class LogLevel { debug, info, warning, error };

struct LogField {
  std::string_view key;
  std::string value;
};

class Log {
 public:
  virtual ~Log() = default;
  // Thread-safe. One line per call; control characters in the message or a value are escaped.
  virtual void write(LogLevel level, std::string_view message,
                     std::initializer_list<LogField> fields) = 0;

  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::info, message, fields);
  }
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::warning, message, fields);
  }
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::error, message, fields);
  }
};

std::string_view name_of(LogLevel level);  // debug, info, warning, error

// `message key=value key="two words"`: one line without its end, whatever is in the values.
std::string format_log_line(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace windlass::env
