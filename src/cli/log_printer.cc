#include "cli/log_printer.h"

#include <fmt/format.h>

namespace windlass::cli {
namespace {

// More than a person reads; the file itself has it all.
constexpr size_t kMaxLogBytes = 16 * 1024 * 1024;

}  // namespace

void LogPrinter::on_container_ended(const node::ContainerLog& log, int /*exit_code*/) {
  const auto text = files_.read(log.path, kMaxLogBytes);
  if (!text) {
    output_.err(fmt::format("warning: {}\n", text.error().message));
    return;
  }
  std::string_view rest = *text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    output_.out(fmt::format("[{} {}] {}\n", log.pod, log.container, rest.substr(0, end)));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

}  // namespace windlass::cli
