// Moves what a container writes to its stdout and stderr from two pipes into its log file. Never
// blocks; holds at most one unfinished line per stream. A container that writes faster than the
// disk takes it waits in its own write(), as it would on any pipe.
//
// Lives on the event loop's thread. drain() at the end: what is in the pipes then is the last of
// it, even if another process still holds them open.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/log/log_file.h"

namespace windlass::supervisor {

// Cuts a stream into lines of at most LogFile::kMaxLineBytes.
class LineSplitter {
 public:
  explicit LineSplitter(std::string_view stream) : stream_(stream) {}
  void feed(std::string_view bytes, LogFile& log);
  // The stream is over: what has no line feed is a piece that nothing continues, so that a reader
  // adds none (the same as containerd's).
  void finish(LogFile& log);

 private:
  std::string_view stream_;
  std::string partial_;
};

class LogPump {
 public:
  // Of one stream per turn of the loop, so that a flood leaves the others their time.
  static constexpr size_t kReadBytes = 64 * 1024;
  // A process outside the container may hold the pipe and go on writing; not for ever.
  static constexpr int kMaxDrainReads = 64;

  LogPump(posix::EventLoop& loop, std::unique_ptr<LogFile> log, posix::FileDescriptor out,
          posix::FileDescriptor err);
  ~LogPump();
  LogPump(const LogPump&) = delete;
  LogPump& operator=(const LogPump&) = delete;

  void drain();

 private:
  struct Stream {
    posix::FileDescriptor pipe;
    posix::WatchId watch = posix::WatchId::none;
    LineSplitter lines;
  };

  // False when the stream has nothing more to give now.
  bool read_some(Stream& stream);
  void close(Stream& stream);

  posix::EventLoop& loop_;
  std::unique_ptr<LogFile> log_;
  std::array<Stream, 2> streams_;
};

}  // namespace windlass::supervisor
