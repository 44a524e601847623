#include "node/pod/pod_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "node/container/cri_log.h"

namespace windlass::node {
namespace {

constexpr size_t kMaxMessageBytes = 4096;
constexpr unsigned kOpenToAll = 0666;
constexpr size_t kMaxMessageLines = 80;
constexpr size_t kMaxMessageBytesOfLog = 2048;
// Of the log: that much text with the times before each line, with room to spare.
constexpr size_t kLogEnd = 64 * 1024;

// The last `limit` bytes of a file, "" where there is none. How long it is shows in few steps.
std::string end_of_file(env::Files& files, const std::string& path, size_t limit) {
  if (const std::string all = files.read_from(path, 0, limit + 1).value_or(std::string());
      all.size() <= limit) {
    return all;
  }
  const auto reaches = [&](uint64_t offset) {
    const Result<std::string> byte = files.read_from(path, offset, 1);
    return byte && !byte->empty();
  };
  constexpr uint64_t kLongest = uint64_t{1} << 62;
  uint64_t size = 1;
  while (size < kLongest && reaches(size)) {
    size *= 2;
  }
  for (uint64_t low = 0; low < size;) {
    const uint64_t middle = low + (size - low) / 2;
    if (reaches(middle)) {
      low = middle + 1;
    } else {
      size = middle;
    }
  }
  return files.read_from(path, size - std::min<uint64_t>(size, limit), limit)
      .value_or(std::string());
}

void remove_or_warn(env::Files& files, env::Log& log, const std::string& path) {
  if (const Result<void> removed = files.remove_tree(path); !removed) {
    log.warning("removing a pod's files failed",
                {{"path", path}, {"error", removed.error().message}});
  }
}

}  // namespace

PodFiles::PodFiles(env::Files& files, env::Log& log, const std::string& data_dir,
                   const std::string& ns, const std::string& name, const std::string& uid)
    : files_(files),
      log_(log),
      work_dir_(fmt::format("{}/pods/{}", data_dir, uid)),
      volumes_dir_(fmt::format("{}/volumes/{}", data_dir, uid)),
      layers_dir_(fmt::format("{}/layers/{}", data_dir, uid)),
      log_dir_(fmt::format("{}/logs/{}_{}_{}", data_dir, ns, name, uid)) {}

Result<void> PodFiles::make_work() {
  return files_.make_directory(work_dir_);
}

void PodFiles::reuse_work() {
  files_.reuse_directory(work_dir_);
}

std::string PodFiles::layer_directory(std::string_view container) const {
  return fmt::format("{}/{}", layers_dir_, container);
}

std::string PodFiles::log_directory(std::string_view container) const {
  return fmt::format("{}/{}", log_dir_, container);
}

std::string PodFiles::log_path(std::string_view container, int restart) const {
  return fmt::format("{}/{}.log", log_directory(container), restart);
}

std::string PodFiles::message_path(std::string_view container, int restart) const {
  return fmt::format("{}/{}.message", log_directory(container), restart);
}

Result<void> PodFiles::make_message_file(std::string_view container, int restart) {
  TRY_VOID(files_.make_directory(log_directory(container)));
  return files_.write(message_path(container, restart), "", kOpenToAll);
}

std::string PodFiles::message(std::string_view container, int restart) const {
  return end_of_file(files_, message_path(container, restart), kMaxMessageBytes);
}

std::string PodFiles::end_of_log(std::string_view container, int restart) const {
  const std::string log = end_of_file(files_, log_path(container, restart), kLogEnd);
  std::string_view lines = log;
  if (lines.size() == kLogEnd) {
    take_line(lines);  // it may have lost its beginning
  }
  return std::string(last_text(cri_text(lines), kMaxMessageLines, kMaxMessageBytesOfLog));
}

PodFiles::LogEnd PodFiles::log_tail(std::string_view container, int restart,
                                    size_t max_bytes) const {
  // Room for the time before each of many short lines.
  const size_t limit = 4 * max_bytes + kLogEnd;
  LogEnd end;
  for (int age = 0; age <= 1 && !end.truncated && end.text.size() < max_bytes; ++age) {
    const std::string log =
        end_of_file(files_, rotated_name(log_path(container, restart), age), limit);
    std::string_view lines = log;
    if (lines.size() == limit) {
      take_line(lines);
      end.truncated = true;
    }
    end.text = cri_text(lines) + end.text;
  }
  if (end.text.size() > max_bytes) {
    end.text.erase(0, end.text.size() - max_bytes);
    end.truncated = true;
  }
  return end;
}

void PodFiles::remove_work(bool volumes, bool layers) {
  remove_or_warn(files_, log_, work_dir_);
  if (volumes) {
    remove_or_warn(files_, log_, volumes_dir_);
  }
  if (layers) {
    remove_or_warn(files_, log_, layers_dir_);
  }
}

void PodFiles::remove_logs() {
  remove_or_warn(files_, log_, log_dir_);
}

bool PodFiles::has_logs() const {
  return files_.type(log_dir_).has_value();
}

void remove_leftover_files(env::Files& files, env::Log& log, const std::string& data_dir,
                           const std::function<bool(const std::string& uid)>& runs,
                           const std::function<bool(const std::string& uid)>& exists) {
  for (const char* folder : {"/pods", "/volumes", "/layers"}) {
    const std::string work = data_dir + folder;
    for (const std::string& uid : files.list(work).value_or(std::vector<std::string>())) {
      if (!runs(uid)) {
        remove_or_warn(files, log, work + "/" + uid);
      }
    }
  }
  const std::string logs = data_dir + "/logs";
  for (const std::string& name : files.list(logs).value_or(std::vector<std::string>())) {
    if (!exists(name.substr(name.rfind('_') + 1))) {  // namespace_name_uid; none has a _ in it
      remove_or_warn(files, log, logs + "/" + name);
    }
  }
}

}  // namespace windlass::node
