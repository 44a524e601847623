#include "cli/output/log_printer.h"

#include <fmt/format.h>

#include "node/container/cri_log.h"
#include "plane/logs/log_source.h"

namespace windlass::cli {

void LogPrinter::on_container_ended(const node::ContainerLog& log, int /*exit_code*/) {
  const auto newest = files_.read(log.path, plane::kMaxLogFileBytes);
  if (!newest) {
    if (files_.type(log.path)) {  // no file means no output
      output_.err(fmt::format("warning: {}\n", newest.error().message));
    }
    return;
  }
  const std::string text = node::cri_text(plane::read_rotated_logs(files_, log.path) + *newest);
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string line =
        fmt::format("[{} {}] {}\n", log.pod, log.container, rest.substr(0, end));
    stream_ == Stream::out ? output_.out(line) : output_.err(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

}  // namespace windlass::cli
