#include "posix/process/posix_host_resources.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>

#include "posix/files/posix_files.h"

namespace windlass::posix {
namespace {

constexpr size_t kMaxProcFileBytes = 64 * 1024;
constexpr uint64_t kKibi = 1024;

std::string read_proc(const std::string& path) {
  return PosixFiles().read(path, kMaxProcFileBytes).value_or("");
}

// The first number in the text; nothing where something else stands before it.
std::optional<uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view label) {
  const std::string wanted = std::string(label) + ":";
  size_t at = meminfo.find(wanted);
  while (at != std::string_view::npos && at != 0 && meminfo[at - 1] != '\n') {
    at = meminfo.find(wanted, at + 1);
  }
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto number = leading_number(meminfo.substr(at + wanted.size()));
  return number ? std::optional(*number * kKibi) : std::nullopt;
}

std::optional<env::ResourceLevel> memory_level(std::string_view meminfo) {
  const auto available = meminfo_bytes(meminfo, "MemAvailable");
  const auto total = meminfo_bytes(meminfo, "MemTotal");
  return available && total ? std::optional(env::ResourceLevel{*available, *total}) : std::nullopt;
}

std::optional<env::ResourceLevel> pid_level(std::string_view loadavg, std::string_view pid_max) {
  const size_t slash = loadavg.find('/');
  const auto most = leading_number(pid_max);
  const auto taken =
      slash == std::string_view::npos ? std::nullopt : leading_number(loadavg.substr(slash + 1));
  if (!most || !taken) {
    return std::nullopt;
  }
  return env::ResourceLevel{*most - std::min(*most, *taken), *most};
}

env::HostResourceLevels PosixHostResources::look(const std::string& directory) {
  env::HostResourceLevels levels;
  levels.memory = memory_level(read_proc("/proc/meminfo"));
  levels.pids = pid_level(read_proc("/proc/loadavg"), read_proc("/proc/sys/kernel/pid_max"));
  struct statvfs disk = {};
  if (::statvfs(directory.c_str(), &disk) == 0) {
    levels.disk = env::ResourceLevel{disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize};
    if (disk.f_files > 0) {  // some file systems make inodes as they need them
      levels.inodes = env::ResourceLevel{disk.f_favail, disk.f_files};
    }
  }
  return levels;
}

}  // namespace windlass::posix
