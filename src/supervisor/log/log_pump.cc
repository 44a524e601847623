#include "supervisor/log/log_pump.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace windlass::supervisor {

void LineSplitter::feed(std::string_view bytes, LogFile& log) {
  while (!bytes.empty()) {
    const size_t room = LogFile::kMaxLineBytes - partial_.size();
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const size_t taken = std::min(end, room);
    const bool whole = taken == end && end < bytes.size();
    if (!whole && taken < room) {
      partial_ += bytes;
      return;
    }
    if (partial_.empty()) {
      log.write(stream_, bytes.substr(0, taken), !whole);
    } else {
      partial_ += bytes.substr(0, taken);
      log.write(stream_, partial_, !whole);
      partial_ = {};
    }
    bytes.remove_prefix(taken + (whole ? 1 : 0));
  }
}

void LineSplitter::finish(LogFile& log) {
  if (!partial_.empty()) {
    log.write(stream_, partial_, true);
    partial_ = {};
  }
}

LogPump::LogPump(posix::EventLoop& loop, std::unique_ptr<LogFile> log, posix::FileDescriptor out,
                 posix::FileDescriptor err)
    : loop_(loop),
      log_(std::move(log)),
      streams_{Stream{std::move(out), posix::WatchId::none, LineSplitter("stdout")},
               Stream{std::move(err), posix::WatchId::none, LineSplitter("stderr")}} {
  for (Stream& stream : streams_) {
    stream.watch = loop_.watch(stream.pipe.get(), EPOLLIN, [this, &stream](uint32_t) {
      read_some(stream);
      log_->flush();
    });
  }
}

LogPump::~LogPump() {
  for (Stream& stream : streams_) {
    close(stream);
  }
}

void LogPump::drain() {
  for (Stream& stream : streams_) {
    for (int reads = 0; reads < kMaxDrainReads && stream.pipe.valid() && read_some(stream);
         ++reads) {
    }
    close(stream);
    stream.lines.finish(*log_);
  }
  log_->flush();
}

bool LogPump::read_some(Stream& stream) {
  // One buffer for all pumps: they run on one thread, one after the other.
  static std::array<char, kReadBytes> buffer;
  const ssize_t got = ::read(stream.pipe.get(), buffer.data(), buffer.size());
  if (got > 0) {
    stream.lines.feed({buffer.data(), static_cast<size_t>(got)}, *log_);
    return true;
  }
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
    return errno == EINTR;
  }
  close(stream);  // the container closed it, or ended
  stream.lines.finish(*log_);
  return false;
}

void LogPump::close(Stream& stream) {
  loop_.unwatch(std::exchange(stream.watch, posix::WatchId::none));
  stream.pipe.reset();
}

}  // namespace windlass::supervisor
