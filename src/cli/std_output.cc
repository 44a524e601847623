#include "cli/std_output.h"

#include <unistd.h>

#include <cerrno>

namespace windlass::cli {
namespace {

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

void StdOutput::out(std::string_view text) {
  write_all(STDOUT_FILENO, text);
}

void StdOutput::err(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

bool StdOutput::interactive() const {
  return ::isatty(STDERR_FILENO) == 1;
}

}  // namespace windlass::cli
