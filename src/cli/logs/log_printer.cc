#include "cli/logs/log_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/terminal_text.h"

namespace windlass::cli {

void LogPrinter::append_line(const node::ContainerLog& log, std::string_view line,
                             std::string& text) const {
  text += fmt::format("[{} {}] ", log.pod, log.container);
  text += form_ == Form::shown ? terminal_line(line) : std::string(line);
  text += '\n';
}

void LogPrinter::log_grew(const node::ContainerLog& log, std::string_view bytes) {
  std::string text;
  std::string& line = unfinished_[log.path];
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const size_t taken = std::min(end, kMaxLineBytes - line.size());
    line += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (bytes.starts_with('\n')) {
      bytes.remove_prefix(1);
    } else if (line.size() < kMaxLineBytes) {
      break;
    }
    append_line(log, line, text);
    line.clear();
  }
  print(text);
}

void LogPrinter::log_ended(const node::ContainerLog& log, int /*exit_code*/) {
  const auto rest = unfinished_.extract(log.path);
  if (rest && !rest.mapped().empty()) {
    std::string text;
    append_line(log, rest.mapped(), text);
    print(text);
  }
}

void LogPrinter::print(const std::string& text) {
  if (!text.empty()) {
    stream_ == Output::Stream::out ? output_.out(text) : output_.err(text);
  }
}

}  // namespace windlass::cli
