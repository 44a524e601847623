#include "supervisor/server/run_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "posix/error.h"
#include "posix/files/posix_files.h"

namespace windlass::supervisor {
namespace {

constexpr std::string_view kMagic = "WLJ1";
constexpr size_t kHeaderBytes = 24;
constexpr mode_t kFileMode = 0600;
// The file is as long as it will be for a while, in zeros: a commit that makes no file longer waits
// for its own bytes alone, not for the file system's journal with what others have in it.
constexpr size_t kAheadBytes = 256 * 1024;

void put(std::string& out, uint64_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(number >> (8 * i)));
  }
}

uint64_t get(std::string_view bytes, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    number |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return number;
}

uint64_t frame_hash(uint64_t sequence, std::string_view payload) {
  StableHash hash;
  hash.add(sequence);
  hash.add(payload);
  return hash.value();
}

std::string frame_of(uint64_t sequence, std::string_view payload) {
  std::string frame(kMagic);
  put(frame, payload.size(), 4);
  put(frame, sequence, 8);
  put(frame, frame_hash(sequence, payload), 8);
  frame += payload;
  return frame;
}

struct JournalFrame {
  uint64_t sequence;
  std::string_view payload;
};

std::optional<JournalFrame> whole_frame(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) {
    return std::nullopt;
  }
  const uint64_t length = get(bytes.substr(4), 4);
  if (length > bytes.size() - kHeaderBytes) {
    return std::nullopt;
  }
  const JournalFrame frame{get(bytes.substr(8), 8), bytes.substr(kHeaderBytes, length)};
  if (frame_hash(frame.sequence, frame.payload) != get(bytes.substr(16), 8)) {
    return std::nullopt;
  }
  return frame;
}

// Where the next whole frame after a broken one begins, or npos. Payloads hold no frames of a later
// sequence, so what is found was committed after the broken one.
size_t find_later_frame(std::string_view bytes, size_t from, uint64_t sequence) {
  for (size_t at = bytes.find(kMagic, from); at != std::string_view::npos;
       at = bytes.find(kMagic, at + 1)) {
    const auto frame = whole_frame(bytes.substr(at));
    if (frame && frame->sequence > sequence) {
      return at;
    }
  }
  return std::string_view::npos;
}

Result<void> write_all(int fd, std::string_view bytes, size_t at, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put_bytes = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put_bytes < 0 && errno == EINTR) {
      continue;
    }
    if (put_bytes < 0) {
      return fail(posix::system_error("write", path, errno));
    }
    bytes.remove_prefix(static_cast<size_t>(put_bytes));
    at += static_cast<size_t>(put_bytes);
  }
  return {};
}

Result<void> write_zeros(int fd, size_t count, size_t at, const std::string& path) {
  // Never written to: what the supervisor has written to is copied for every container.
  static const std::array<char, 4096> zeros = {};
  for (size_t done = 0; done < count;) {
    const size_t part = std::min(count - done, zeros.size());
    TRY_VOID(write_all(fd, {zeros.data(), part}, at + done, path));
    done += part;
  }
  return {};
}

}  // namespace

Result<RunJournalContent> parse_run_journal(std::string_view bytes) {
  RunJournalContent content;
  while (content.good_bytes < bytes.size()) {
    const auto frame = whole_frame(bytes.substr(content.good_bytes));
    const bool next =
        frame && (content.payloads.empty() || frame->sequence == content.last_sequence + 1);
    if (!next) {
      const size_t later = find_later_frame(bytes, content.good_bytes + 1, content.last_sequence);
      if (later != std::string_view::npos) {
        return fail(
            plain_error(fmt::format("damaged at byte {}: records that follow at byte {} are whole",
                                    content.good_bytes, later)));
      }
      break;
    }
    content.payloads.push_back(frame->payload);
    content.last_sequence = frame->sequence;
    content.good_bytes += kHeaderBytes + frame->payload.size();
  }
  return content;
}

Result<std::vector<std::string>> RunJournal::read() const {
  posix::PosixFiles files;
  if (::access(path().c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::vector<std::string>();
  }
  TRY(const std::string bytes, files.read(path(), kMaxFileBytes));
  const auto content = parse_run_journal(bytes);
  if (!content) {
    return fail(plain_error(fmt::format(
        "{} is {}; move it away to start without it, then runs that it knew may start again",
        path(), content.error().message)));
  }
  return std::vector<std::string>(content->payloads.begin(), content->payloads.end());
}

Result<void> RunJournal::replace(std::string_view payload) {
  const std::string fresh = path() + ".new";
  posix::FileDescriptor file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file.valid()) {
    return fail(posix::system_error("open", fresh, errno));
  }
  const std::string frame = frame_of(sequence_ + 1, payload);
  TRY_VOID(write_all(file.get(), frame, 0, fresh));
  TRY_VOID(write_zeros(file.get(), kAheadBytes, frame.size(), fresh));
  if (::fsync(file.get()) != 0) {
    return fail(posix::system_error("fsync", fresh, errno));
  }
  if (::rename(fresh.c_str(), path().c_str()) != 0) {
    return fail(posix::system_error("rename", fresh, errno));
  }
  const posix::FileDescriptor folder(
      ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || ::fsync(folder.get()) != 0) {
    return fail(posix::system_error("fsync", directory_, errno));
  }
  file_ = std::move(file);
  ++sequence_;
  bytes_ = frame.size();
  written_bytes_ = bytes_ + kAheadBytes;
  return {};
}

Result<void> RunJournal::append(std::string_view payload) {
  CHECK(file_.valid(), "replace() comes first");
  const std::string frame = frame_of(sequence_ + 1, payload);
  TRY_VOID(write_all(file_.get(), frame, bytes_, path()));
  const size_t end = bytes_ + frame.size();
  if (end > written_bytes_) {
    TRY_VOID(write_zeros(file_.get(), kAheadBytes, end, path()));
    written_bytes_ = end + kAheadBytes;
  }
  if (::fdatasync(file_.get()) != 0) {
    return fail(posix::system_error("fdatasync", path(), errno));
  }
  ++sequence_;
  bytes_ = end;
  return {};
}

}  // namespace windlass::supervisor
