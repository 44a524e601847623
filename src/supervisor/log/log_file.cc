#include "supervisor/log/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "posix/error.h"
#include "posix/files/posix_files.h"

namespace windlass::supervisor {
namespace {

constexpr mode_t kLogMode = 0640;

std::string line_text(std::string_view stamp, std::string_view stream, std::string_view line,
                      bool piece) {
  return fmt::format("{} {} {} {}\n", stamp, stream, piece ? 'P' : 'F', line);
}

}  // namespace

LogFile::LogFile(env::Clock& clock, std::string path, LogLimits limits)
    : clock_(clock), path_(std::move(path)), limits_(limits) {}

bool LogFile::open() {
  const auto try_to = [this] {
    file_ = posix::FileDescriptor(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kLogMode));
    return file_.valid();
  };
  const size_t slash = path_.rfind('/');
  if (!try_to() && errno == ENOENT && slash != std::string::npos && slash > 0) {
    if (const auto made = posix::PosixFiles().make_directory(path_.substr(0, slash)); !made) {
      drop_reason_ = made.error().message;
      return false;
    }
    try_to();
  }
  struct stat info = {};
  if (!file_.valid() || ::fstat(file_.get(), &info) != 0) {
    drop_reason_ = posix::system_error("open", path_, errno).message;
    return false;
  }
  bytes_ = static_cast<size_t>(info.st_size);
  return true;
}

void LogFile::write(std::string_view stream, std::string_view line, bool piece) {
  if (stamp_.empty()) {
    stamp_ = format_rfc3339_nano(clock_.now());
  }
  buffer_ += line_text(stamp_, stream, line, piece);
  if (buffer_.size() >= kFlushBytes) {
    flush();
  }
}

void LogFile::flush() {
  if (buffer_.empty()) {
    return;
  }
  if (bytes_ + buffer_.size() > limits_.max_file_bytes && bytes_ > 0) {
    rotate();
  }
  if (dropped_ != 0) {
    say_what_was_dropped();
  }
  // While the disk is full the bytes are not kept, so memory stays bounded.
  if (dropped_ != 0 || !write_out(buffer_)) {
    dropped_ += buffer_.size();
  }
  buffer_ = {};
  stamp_.clear();
}

void LogFile::rotate() {
  const auto numbered = [this](int number) { return fmt::format("{}.{}", path_, number); };
  ::unlink(numbered(limits_.max_files - 1).c_str());
  for (int number = limits_.max_files - 2; number >= 1; --number) {
    ::rename(numbered(number).c_str(), numbered(number + 1).c_str());
  }
  if (limits_.max_files > 1) {
    ::rename(path_.c_str(), numbered(1).c_str());
  } else {
    ::unlink(path_.c_str());
  }
  open();
}

bool LogFile::write_out(std::string_view bytes) {
  if (!file_.valid() && !open()) {
    return false;
  }
  const size_t before = bytes_;
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      drop_reason_ = std::generic_category().message(errno);
      // Half a line would make the next one unreadable.
      if (::ftruncate(file_.get(), static_cast<off_t>(before)) == 0) {
        bytes_ = before;
      }
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(put));
    bytes_ += static_cast<size_t>(put);
  }
  return true;
}

void LogFile::say_what_was_dropped() {
  const std::string notice =
      fmt::format("windlass: {} bytes of log were dropped here: {}", dropped_, drop_reason_);
  if (write_out(line_text(stamp_, "stderr", notice, false))) {
    dropped_ = 0;
  }
}

}  // namespace windlass::supervisor
