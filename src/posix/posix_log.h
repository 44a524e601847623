#pragma once

#include <mutex>

#include "env/clock.h"
#include "env/log.h"

namespace windlass::posix {

enum class LogStyle {
  timed,
  journal,  // `<4>` in place of time and level: journald adds its own, and keeps the priority
};

// journal, if journald reads what is written to `fd` ($JOURNAL_STREAM).
LogStyle log_style_of(int fd);

// One line per call to a file descriptor it does not own, standard error by default:
//   2006-01-02T15:04:05.000000Z warning pod is gone pod=default/a-x7k2p reason="not found"
// A line that cannot be written is lost: logging never fails its caller. Any thread.
class PosixLog final : public env::Log {
 public:
  PosixLog(env::Clock& clock, env::LogLevel least, int fd = 2, LogStyle style = LogStyle::timed);

  void write(env::LogLevel level, std::string_view message,
             std::initializer_list<env::LogField> fields) override;

 private:
  env::Clock& clock_;
  env::LogLevel least_;
  int fd_;
  const LogStyle style_;
  std::mutex mutex_;  // keeps long lines whole
};

}  // namespace windlass::posix
