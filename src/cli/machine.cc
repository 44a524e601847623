#include "cli/machine.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "posix/posix_supplies.h"

namespace windlass::cli {
namespace {

constexpr size_t kMaxMeminfoBytes = 64 * 1024;
// kubelet's default for the pods of one node is 110; these cost less.
constexpr const char* kMaxPods = "1000";

// Of the user database, not of the environment: containers must not depend on the caller's shell.
std::string home_directory() {
  const passwd* user = ::getpwuid(::getuid());
  return user == nullptr ? "/" : user->pw_dir;
}

}  // namespace

std::string total_memory(std::string_view meminfo) {
  constexpr uint64_t kKi = 1024;
  const auto bytes = posix::meminfo_bytes(meminfo, "MemTotal");
  return bytes ? fmt::format("{}Ki", *bytes / kKi) : "1Gi";
}

std::string disk_size(const std::string& path) {
  constexpr unsigned long kKi = 1024;
  struct statvfs disk = {};
  if (::statvfs(path.empty() ? "/" : path.c_str(), &disk) == 0) {
    return fmt::format("{}Ki", disk.f_blocks * (disk.f_frsize / kKi));
  }
  return path.empty() ? "0" : disk_size(path.substr(0, path.rfind('/')));
}

NodeMachine this_machine(env::Files& files, const std::string& data_dir) {
  NodeMachine machine;
  const long processors = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  const auto meminfo = files.read("/proc/meminfo", kMaxMeminfoBytes);
  machine.capacity = {{"cpu", fmt::format("{}", processors)},
                      {"memory", total_memory(meminfo ? *meminfo : "")},
                      {"ephemeral-storage", disk_size(data_dir)},
                      {"pods", kMaxPods}};
  machine.environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                         "HOME=" + home_directory()};
  return machine;
}

}  // namespace windlass::cli
