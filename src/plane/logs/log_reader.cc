#include "plane/logs/log_reader.h"

#include <string_view>
#include <utility>

#include "node/container/cri_log.h"

namespace windlass::plane {
namespace {

// The first bytes of a log file, which its first line's time makes its own.
constexpr size_t kMarkBytes = 30;
// How often files may move on while one piece is read; then it is tried again later.
constexpr int kMaxTries = 2 * (node::kRotatedFiles + 1);

}  // namespace

std::optional<std::string> LogReader::read(size_t bytes) {
  const std::string more = read_bytes(bytes);
  if (more.empty()) {
    return std::nullopt;
  }
  rest_ += more;
  std::string_view log = rest_;
  std::string text = text_.take(log);
  rest_ = std::string(log);
  return text;
}

std::string LogReader::mark_of(int age) const {
  return files_->read_from(node::rotated_name(path_, age), 0, kMarkBytes).value_or("");
}

int LogReader::find() {
  if (!mark_.empty()) {
    // Upwards, as files move: none is missed.
    for (int age = 0; age <= node::kRotatedFiles; ++age) {
      if (std::string mark = mark_of(age); mark.starts_with(mark_)) {
        mark_ = std::move(mark);
        return age;
      }
    }
  }
  offset_ = 0;
  rest_.clear();
  for (int age = node::kRotatedFiles; age >= 0; --age) {
    mark_ = mark_of(age);
    if (!mark_.empty()) {
      return age;
    }
  }
  return 0;
}

std::string LogReader::read_bytes(size_t bytes) {
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const int age = find();
    if (mark_.empty()) {
      return "";
    }
    std::string read =
        files_->read_from(node::rotated_name(path_, age), offset_, bytes).value_or("");
    std::string next;  // none in between while files are moved
    for (int newer = age - 1; newer >= 0 && read.empty() && next.empty(); --newer) {
      next = mark_of(newer);
    }
    if (!mark_of(age).starts_with(mark_)) {
      continue;  // another file by now: what was read may be of either
    }
    if (!read.empty()) {
      offset_ += read.size();
      return read;
    }
    if (next.empty()) {
      return "";
    }
    mark_ = std::move(next);
    offset_ = 0;
  }
  return "";
}

}  // namespace windlass::plane
