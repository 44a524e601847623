#include "cli/std_output.h"

#include <sys/ioctl.h>
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

size_t StdOutput::columns() const {
  winsize size = {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : Output::columns();
}

}  // namespace windlass::cli
