#include "cli/logs/log_follower.h"

#include <algorithm>

#include "node/container/cri_log.h"

namespace windlass::cli {
namespace {

// One container must not keep the others waiting for long.
constexpr size_t kPieceBytes = 256 * 1024;
constexpr int kPiecesPerLook = 4;
// A container that ended may have written as much as its log keeps.
constexpr size_t kMaxPiecesAtEnd =
    plane::kMaxLogFileBytes / kPieceBytes * (node::kRotatedFiles + 1);

// Of each log the end is read. A longer line is cut.
constexpr size_t kTailBytes = 16 * 1024;

plane::LogReader reader_of(env::Files& files, const std::string& path) {
  return {files, path, plane::LogText({}, Time())};
}

}  // namespace

LogFollower::LogFollower(env::Executor& executor, env::Files& files,
                         std::vector<LogConsumer*> consumers)
    : executor_(executor), files_(files), consumers_(std::move(consumers)) {}

LogFollower::~LogFollower() {
  executor_.cancel(timer_);
}

void LogFollower::on_container_started(const node::ContainerLog& log) {
  if (consumers_.empty()) {
    return;
  }
  followed_.insert_or_assign(log.path, Followed{log, reader_of(files_, log.path)});
  if (timer_ == env::TimerId::none) {
    timer_ = executor_.schedule(kPeriod, [this] { look(); });
  }
}

void LogFollower::look() {
  timer_ = env::TimerId::none;
  for (auto& [path, followed] : followed_) {
    for (int pieces = 0; pieces < kPiecesPerLook; ++pieces) {
      const auto bytes = followed.reader.read(kPieceBytes);
      if (!bytes) {
        break;
      }
      tell(followed.log, *bytes);
    }
  }
  if (!followed_.empty()) {
    timer_ = executor_.schedule(kPeriod, [this] { look(); });
  }
}

void LogFollower::tell(const node::ContainerLog& log, std::string_view bytes) {
  if (!bytes.empty()) {
    for (LogConsumer* consumer : consumers_) {
      consumer->log_grew(log, bytes);
    }
  }
}

void LogFollower::on_container_ended(const node::ContainerLog& log, int exit_code) {
  if (consumers_.empty()) {
    return;
  }
  auto node = followed_.extract(log.path);
  plane::LogReader reader = node ? std::move(node.mapped().reader) : reader_of(files_, log.path);
  for (size_t pieces = 0; pieces < kMaxPiecesAtEnd; ++pieces) {
    const auto bytes = reader.read(kPieceBytes);
    if (!bytes) {
      break;
    }
    tell(log, *bytes);
  }
  for (LogConsumer* consumer : consumers_) {
    consumer->log_ended(log, exit_code);
  }
}

namespace {

std::string last_bytes(env::Files& files, const std::string& path) {
  // What it takes on the disk is no less than what is in it, or else it is read from the beginning.
  const uint64_t size = files.tree_size(path).value_or(env::Files::TreeSize{}).bytes;
  std::string log;
  for (uint64_t at = size > kTailBytes ? size - kTailBytes : 0;;) {
    const std::string bytes = files.read_from(path, at, kPieceBytes).value_or("");
    if (bytes.empty() && log.empty() && at > 0) {
      at = 0;
      continue;
    }
    if (bytes.empty()) {
      break;
    }
    at += bytes.size();
    log += bytes;
    log.erase(0, log.size() - std::min(log.size(), kTailBytes));
  }
  // A line that begins before is no line of the format.
  if (const size_t begin = log.find('\n'); log.size() == kTailBytes && begin < log.size() - 1) {
    log.erase(0, begin + 1);
  }
  return node::cri_text(log);
}

}  // namespace

std::string last_log_lines(env::Files& files, const std::string& path, size_t lines) {
  std::string text = last_bytes(files, path);
  if (text.empty()) {
    text = last_bytes(files, node::rotated_name(path, 1));  // it was full just before
  }
  return std::string(node::last_text(text, lines, kTailBytes));
}

}  // namespace windlass::cli
