#pragma once

#include <mutex>

#include "env/clock.h"
#include "env/log.h"

namespace windlass::posix {

// One line per call to a file descriptor it does not own, standard error by default:
//   2006-01-02T15:04:05.000000Z warning pod is gone pod=default/a-x7k2p reason="not found"
// A line that cannot be written is lost: logging never fails its caller. Any thread.
class PosixLog final : public env::Log {
 public:
  PosixLog(env::Clock& clock, env::LogLevel least, int fd = 2);

  void write(env::LogLevel level, std::string_view message,
             std::initializer_list<env::LogField> fields) override;

 private:
  env::Clock& clock_;
  env::LogLevel least_;
  int fd_;
  std::mutex mutex_;  // keeps long lines whole
};

}  // namespace windlass::posix
