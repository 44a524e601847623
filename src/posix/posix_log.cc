#include "posix/posix_log.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "env/log.h"
#include "posix/process/inherited.h"

namespace windlass::posix {

namespace {

// As syslog(3) numbers them.
char priority_of(env::LogLevel level) {
  switch (level) {
    case env::LogLevel::debug:
      return '7';
    case env::LogLevel::info:
      return '6';
    case env::LogLevel::warning:
      return '4';
    case env::LogLevel::error:
      break;
  }
  return '3';
}

}  // namespace

LogStyle log_style_of(int fd) {
  const std::string stream = environment_variable("JOURNAL_STREAM");
  struct stat info = {};
  // Our standard error may lead elsewhere by now.
  return ::fstat(fd, &info) == 0 && stream == fmt::format("{}:{}", info.st_dev, info.st_ino)
             ? LogStyle::journal
             : LogStyle::timed;
}

PosixLog::PosixLog(env::Clock& clock, env::LogLevel least, int fd, LogStyle style)
    : clock_(clock), least_(least), fd_(fd), style_(style) {}

void PosixLog::write(env::LogLevel level, std::string_view message,
                     std::initializer_list<env::LogField> fields) {
  if (level < least_) {
    return;
  }
  std::string line;
  if (style_ == LogStyle::journal) {
    line = {'<', priority_of(level), '>'};
  } else {
    line = format_rfc3339_micro(clock_.now());
    line += ' ';
    line += env::name_of(level);
    line += ' ';
  }
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
