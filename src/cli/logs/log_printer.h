// `windlass run --logs`: prints what containers write, every line with the name of its pod and
// container: to standard output, or to standard error if the former is for objects alone. Lines of
// several containers do not mix. Lives on the executor of its follower.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "cli/logs/log_follower.h"
#include "cli/output/output.h"

namespace windlass::cli {

class LogPrinter final : public LogConsumer {
 public:
  // Where people read it, lines are shown as terminal_line() has them; else byte for byte.
  enum class Form { shown, exact };

  // The part of a longer line is a line: it must not grow in memory without a limit.
  static constexpr size_t kMaxLineBytes = 1024 * 1024;

  LogPrinter(Output& output, Output::Stream stream, Form form)
      : output_(output), stream_(stream), form_(form) {}

  void log_grew(const node::ContainerLog& log, std::string_view bytes) override;
  void log_ended(const node::ContainerLog& log, int exit_code) override;

 private:
  void append_line(const node::ContainerLog& log, std::string_view line, std::string& text) const;
  void print(const std::string& text);

  Output& output_;
  const Output::Stream stream_;
  const Form form_;
  std::map<std::string, std::string> unfinished_;  // lines, by path of the log
};

}  // namespace windlass::cli
