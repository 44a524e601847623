#include "posix/posix_log.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "env/log.h"

namespace windlass::posix {

PosixLog::PosixLog(env::Clock& clock, env::LogLevel least, int fd)
    : clock_(clock), least_(least), fd_(fd) {}

void PosixLog::write(env::LogLevel level, std::string_view message,
                     std::initializer_list<env::LogField> fields) {
  if (level < least_) {
    return;
  }
  std::string line = format_rfc3339_micro(clock_.now());
  line += ' ';
  line += env::name_of(level);
  line += ' ';
  line += env::format_log_line(message, fields);
  line += '\n';
  const std::lock_guard lock(mutex_);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) {
      return;
    }
    rest.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
}

}  // namespace windlass::posix
