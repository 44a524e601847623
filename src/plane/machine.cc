#include "plane/machine.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "apiserver/rest/paths.h"
#include "plane/version.h"
#include "posix/process/posix_host_resources.h"

namespace windlass::plane {
namespace {

constexpr size_t kMaxMeminfoBytes = 64 * 1024;
// The kubelet's default is 110 pods per node; pods cost less here.
constexpr const char* kMaxPods = "1000";

// From the user database, because containers must not depend on the caller's shell.
std::string home_directory() {
  const passwd* user = ::getpwuid(::getuid());
  return user == nullptr ? "/" : user->pw_dir;
}

std::string line_of(env::Files& files, const char* path) {
  constexpr size_t kMaxBytes = 4096;
  const std::string text = files.read(path, kMaxBytes).value_or(std::string());
  return text.substr(0, text.find('\n'));
}

// Files that are missing, or readable by root only, leave their fields empty.
node::NodeSystem system_of(env::Files& files) {
  constexpr size_t kMaxReleaseBytes = 64 * 1024;
  node::NodeSystem system;
  utsname name = {};
  if (::uname(&name) == 0) {
    system.architecture = this_architecture();
    system.kernel_version = name.release;
  }
  system.version = apiserver::api_version_text(version_number().substr(1));
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    if (system.os_image.empty()) {
      system.os_image = pretty_name(files.read(path, kMaxReleaseBytes).value_or(std::string()));
    }
  }
  system.machine_id = line_of(files, "/etc/machine-id");
  system.system_uuid = line_of(files, "/sys/class/dmi/id/product_uuid");
  if (system.system_uuid.empty()) {
    system.system_uuid = system.machine_id;
  }
  system.boot_id = line_of(files, "/proc/sys/kernel/random/boot_id");
  return system;
}

}  // namespace

std::string this_architecture() {
  utsname name = {};
  return ::uname(&name) == 0 ? go_architecture(name.machine) : "";
}

std::string go_architecture(std::string_view machine) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"x86_64", "amd64"}, {"aarch64", "arm64"}, {"i686", "386"},
      {"armv7l", "arm"},   {"armv6l", "arm"},    {"loongarch64", "loong64"}};
  for (const auto& [name, here] : kNames) {
    if (name == machine) {
      return std::string(here);
    }
  }
  return std::string(machine);
}

std::string pretty_name(std::string_view os_release) {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::istringstream lines{std::string(os_release)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kKey)) {
      std::string value = line.substr(kKey.size());
      std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
      return value;
    }
  }
  return "";
}

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
  machine.system = system_of(files);
  return machine;
}

}  // namespace windlass::plane
