// One container's log in the CRI text format, bounded on disk:
//
//   2006-01-02T15:04:05.000000000Z stdout F a whole line
//   2006-01-02T15:04:05.000000000Z stdout P a piece of a line that is too long, or has no end
//
// The file, and the directories it is in, are made with the first line: most short containers have
// nothing to say.
// At kMaxFileBytes the file becomes `<path>.1`, what was `.1` becomes `.2`, and the oldest goes.
// What cannot be written is dropped and counted, and said once in the log when there is room again:
// a full disk never holds up a container. Owned by a log pump, on the supervisor's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "env/clock.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

struct LogLimits {
  size_t max_file_bytes = 10 * 1024 * 1024;
  int max_files = 5;
};

class LogFile {
 public:
  // Kubernetes' runtimes split at the same length.
  static constexpr size_t kMaxLineBytes = 16 * 1024;

  LogFile(env::Clock& clock, std::string path, LogLimits limits);

  // `line` without its line feed; a piece is continued by the next line of the same stream.
  void write(std::string_view stream, std::string_view line, bool piece);
  // Puts what is buffered into the file; write() does so by itself when there is much.
  void flush();

 private:
  static constexpr size_t kFlushBytes = 64 * 1024;

  bool open();
  void rotate();
  bool write_out(std::string_view bytes);
  void say_what_was_dropped();

  env::Clock& clock_;
  std::string path_;
  LogLimits limits_;
  posix::FileDescriptor file_;
  size_t bytes_ = 0;
  std::string buffer_;
  std::string stamp_;  // of all lines between two flushes: they came in one read
  uint64_t dropped_ = 0;
  std::string drop_reason_;
};

}  // namespace windlass::supervisor
