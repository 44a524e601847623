#include "supervisor/child/boundary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "env/containers.h"
#include "posix/error.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/child/detached_mount.h"

namespace windlass::supervisor {
namespace {

// Settings of the whole machine: a process that writes there decides about all of it.
constexpr std::array kReadOnly = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus",
                                  "/proc/fs"};
// What tells about the machine, its keys and its memory, or changes it.
constexpr std::array kMasked = {"/proc/kcore",
                                "/proc/keys",
                                "/proc/key-users",
                                "/proc/kmsg",
                                "/proc/kallsyms",
                                "/proc/kpagecgroup",
                                "/proc/kpagecount",
                                "/proc/kpageflags",
                                "/proc/timer_list",
                                "/proc/timer_stats",
                                "/proc/latency_stats",
                                "/proc/sched_debug",
                                "/proc/interrupts",
                                "/proc/mtrr",
                                "/proc/acpi",
                                "/proc/asound",
                                "/proc/scsi",
                                "/sys/firmware",
                                "/sys/devices/virtual/powercap"};
// The sockets of system services are there, and they trust every process of root.
constexpr std::array kHiddenDirectories = {"/run", "/var/run"};
constexpr const char* kResolver = "/etc/resolv.conf";

struct Device {
  const char* name;
  unsigned major;
  unsigned minor;
};
constexpr std::array kNodes = {Device{"null", 1, 3},    Device{"zero", 1, 5},
                               Device{"full", 1, 7},    Device{"random", 1, 8},
                               Device{"urandom", 1, 9}, Device{"tty", 5, 0}};
constexpr mode_t kDeviceMode = 0666;

std::string real_path(const char* path) {
  char* found = ::realpath(path, nullptr);
  std::string text = found == nullptr ? "" : found;
  ::free(found);
  return text;
}

bool is_link(const char* path) {
  struct stat info = {};
  return ::lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

}  // namespace

MachineFiles find_machine_files(bool user_namespace) {
  MachineFiles files;
  files.user_namespace = user_namespace;
  struct statfs cgroups = {};
  files.unified_cgroups =
      ::statfs("/sys/fs/cgroup", &cgroups) == 0 && cgroups.f_type == CGROUP2_SUPER_MAGIC;
  struct stat info = {};
  for (const char* path : kReadOnly) {
    if (::stat(path, &info) == 0) {
      files.read_only.emplace_back(path);
    }
  }
  for (const char* path : kMasked) {
    if (::stat(path, &info) == 0) {
      (S_ISDIR(info.st_mode) ? files.masked_directories : files.masked_files).emplace_back(path);
    }
  }
  for (const char* path : kHiddenDirectories) {
    if (::stat(path, &info) == 0 && S_ISDIR(info.st_mode) && !is_link(path)) {
      files.hidden.emplace_back(path);
    }
  }
  const std::string resolver = real_path(kResolver);
  if (std::any_of(files.hidden.begin(), files.hidden.end(), [&](const std::string& directory) {
        return env::is_within(resolver, directory);
      })) {
    files.kept_files.push_back(resolver);
  }
  return files;
}

Result<void> mask_files(const MachineFiles& files, const std::string& place,
                        const std::vector<DetachedMount>& empty) {
  const auto below = [&place](const std::string& path) { return env::is_within(path, place); };
  for (const std::string& path : files.read_only) {
    if (below(path)) {
      TRY(DetachedMount mount, DetachedMount::clone_of(path));
      TRY_VOID(mount.set_attributes(MOUNT_ATTR_RDONLY));
      TRY_VOID(mount.attach(path));
    }
  }
  for (const std::string& path : files.masked_files) {
    if (below(path)) {
      TRY(const DetachedMount nothing, DetachedMount::clone_of("/dev/null"));
      TRY_VOID(nothing.attach(path));
    }
  }
  for (size_t i = 0; i < files.masked_directories.size(); ++i) {
    if (below(files.masked_directories[i])) {
      TRY_VOID(empty.at(i).attach(files.masked_directories[i]));
    }
  }
  return {};
}

// With no umask.
Result<void> make_devices(int dev) {
  for (const Device& device : kNodes) {
    if (::mknodat(dev, device.name, S_IFCHR | kDeviceMode, makedev(device.major, device.minor)) !=
        0) {
      return fail(posix::system_error("mknod", fmt::format("/dev/{}", device.name), errno));
    }
  }
  return {};
}

Result<std::vector<std::pair<DetachedMount, std::string>>> open_devices() {
  std::vector<std::pair<DetachedMount, std::string>> devices;
  for (const Device& device : kNodes) {
    const std::string path = fmt::format("/dev/{}", device.name);
    if (auto mount = DetachedMount::clone_of(path)) {
      devices.emplace_back(*std::move(mount), path);
    }
  }
  return devices;
}

Result<void> set_sysctls(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    std::string path = "/proc/sys/" + setting.substr(0, equals);
    std::replace(path.begin(), path.end(), '.', '/');
    const std::string value = setting.substr(equals + 1);
    const posix::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid() ||
        ::write(file.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
      return fail(posix::system_error("write", path, errno));
    }
  }
  return {};
}

}  // namespace windlass::supervisor
