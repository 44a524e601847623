#include "supervisor/cgroup/cgroup_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <memory>

#include "posix/error.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kFileBytes = 4096;
// Forking members may outrun a round; the pids limit and the caller's retries end that.
constexpr int kMaxKillRounds = 16;
// Our own groups are two deep.
constexpr int kMaxDepth = 4;

std::vector<std::string> subgroups(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) {
    return names;
  }
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<pid_t> members(const std::string& path) {
  std::vector<pid_t> pids;
  const std::string text = read_cgroup(path + "/cgroup.procs");
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    const auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc() && pid > 0) {
      pids.push_back(pid);
    }
    at = next + 1;
  }
  return pids;
}

void kill_members(const std::string& path) {
  for (int round = 0; round < kMaxKillRounds; ++round) {
    const std::vector<pid_t> found = members(path);
    if (found.empty()) {
      return;
    }
    std::vector<posix::FileDescriptor> pidfds;
    for (const pid_t pid : found) {
      pidfds.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    }
    const std::vector<pid_t> still = members(path);
    for (size_t i = 0; i < found.size(); ++i) {
      if (pidfds[i].valid() && std::find(still.begin(), still.end(), found[i]) != still.end()) {
        ::syscall(SYS_pidfd_send_signal, pidfds[i].get(), SIGKILL, nullptr, 0);
      }
    }
  }
}

void kill_tree(const std::string& path, int depth) {
  if (depth > kMaxDepth) {
    return;
  }
  for (const std::string& name : subgroups(path)) {
    kill_tree(path + "/" + name, depth + 1);
  }
  kill_members(path);
}

bool remove_tree(const std::string& path, int depth) {
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) {
    return true;
  }
  if (depth > kMaxDepth) {
    return false;
  }
  for (const std::string& name : subgroups(path)) {
    remove_tree(path + "/" + name, depth + 1);
  }
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

Result<void> write_cgroup(const std::string& path, std::string_view value) {
  const posix::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) {
    return fail(posix::system_error("open", path, errno));
  }
  // In one write: each one is a command to the kernel.
  if (::write(file.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    return fail(posix::system_error("write", path, errno));
  }
  return {};
}

std::string read_cgroup(const std::string& path) {
  std::string text;
  const posix::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kFileBytes> buffer;
  while (file.valid()) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) {
      break;
    }
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

uint64_t cgroup_counter(const std::string& path, std::string_view key) {
  const std::string text = read_cgroup(path);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ') {
      uint64_t number = 0;
      std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), number);
      return number;
    }
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return 0;
}

void kill_cgroup(const std::string& path) {
  if (!write_cgroup(path + "/cgroup.kill", "1")) {
    kill_tree(path, 0);
  }
}

bool remove_subgroups(const std::string& path) {
  for (const std::string& name : subgroups(path)) {
    remove_tree(path + "/" + name, 1);
  }
  return subgroups(path).empty();
}

bool remove_cgroup(const std::string& path) {
  return remove_tree(path, 0);
}

}  // namespace windlass::supervisor
