#include "node/container/container_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"

namespace windlass::node {
namespace {

constexpr int64_t kMilli = 1000;
constexpr size_t kMaxHostname = 63;
constexpr size_t kMaxPath = 4096;  // PATH_MAX
constexpr std::string_view kUsualMessagePath = "/dev/termination-log";
// Every container has one; empty at the start, unless a volume is there.
constexpr const char* kOwnDirectory = "/tmp";

uint64_t amount(const MilliAmounts& amounts, std::string_view name, int64_t unit) {
  const auto found = amounts.find(name);
  return found == amounts.end() || found->second <= 0 ? 0
                                                      : static_cast<uint64_t>(found->second / unit);
}

bool any_names(const std::vector<std::string>& texts, std::string_view path) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(path) != std::string::npos; });
}

std::string short_hostname(const std::string& name) {
  const std::string cut = name.substr(0, kMaxHostname);
  const size_t last = cut.find_last_not_of("-.");
  return last == std::string::npos ? "" : cut.substr(0, last + 1);
}

// Whether a container with these mounts sees another directory of this path, or none.
bool is_covered(const std::string& path, const std::vector<MountPlan>& mounts) {
  return std::any_of(mounts.begin(), mounts.end(), [&](const MountPlan& mount) {
    return env::is_within(path, env::plain_path(mount.path));
  });
}

Result<void> check_target(std::string_view field, const std::string& path) {
  if (path.size() >= kMaxPath) {
    return fail(plain_error(fmt::format("{}: a path has at most {} bytes", field, kMaxPath - 1)));
  }
  if (!env::leads_up(path)) {
    return {};
  }
  return fail(plain_error(fmt::format("{} {}: .. is not allowed", field, quote(path))));
}

Result<env::ContainerMount> make_mount(const MountPlan& mount, const VolumePlaces& volumes) {
  const auto found = volumes.find(mount.volume);
  if (found == volumes.end()) {
    return fail(plain_error(fmt::format("volume \"{}\" does not exist", mount.volume)));
  }
  TRY_VOID(check_target("mountPath", mount.path));
  const VolumePlace& volume = found->second;
  env::ContainerMount out;
  if (volume.memory_bytes) {
    out.kind = env::ContainerMount::Kind::tmpfs;
    out.size_bytes = *volume.memory_bytes;
    out.group = volume.group;
  }
  out.source = volume.path;
  out.target = env::plain_path(mount.path);
  out.read_only = volume.read_only || mount.read_only;
  out.sub_path = mount.sub_path;
  return out;
}

Result<void> check_confinement(const env::ContainerConfinement& wanted,
                               const env::ContainerSupport& support) {
  if (wanted == env::ContainerConfinement()) {
    return {};
  }
  if (!support.confinement) {
    return fail(
        plain_error("capabilities, readOnlyRootFilesystem, sysctls, hostPID and hostIPC need a "
                    "newer supervisor "
                    "than the one that runs, which ends with its last container"));
  }
  if (!support.mounts && (wanted.read_only_root || !wanted.sysctls.empty())) {
    return fail(plain_error(
        "readOnlyRootFilesystem and sysctls need namespaces, which this node does not have"));
  }
  return {};
}

}  // namespace

bool wants_message_file(const ContainerSpecView& container, const ContainerCommand& command,
                        bool own_root, const env::ContainerSupport& support) {
  const std::string& path = container.message_path;
  if (!path.starts_with('/') || !(own_root || support.mounts)) {
    return false;
  }
  return own_root || path != kUsualMessagePath || any_names(command.command, path) ||
         any_names(command.environment, path);
}

std::string working_directory(const ContainerSpecView& container, const std::string& work_dir,
                              bool on_host_root) {
  if (!container.working_dir.empty()) {
    return container.working_dir;
  }
  if (!on_host_root || container.identity.user.value_or(0) != 0) {
    return "/";
  }
  return is_covered(work_dir, container.mounts) ? kOwnDirectory : work_dir;
}

Result<env::ContainerRequest> make_request(const PodSpecView& pod,
                                           const ContainerSpecView& container,
                                           const ContainerCommand& command,
                                           const ContainerPlace& place,
                                           const env::ContainerSupport& support) {
  env::ContainerRequest request;
  request.id = place.id;
  request.command = command.command;
  request.environment = command.environment;
  request.log_path = place.log_path;
  request.working_directory = working_directory(container, place.work_dir, place.root.empty());
  request.isolation.hostname = short_hostname(pod.hostname);
  if (!place.root.empty()) {
    request.isolation.root = place.root;
    request.isolation.layer = place.layer;
  } else if (support.mounts && !is_covered(place.work_dir, container.mounts)) {
    // It may be below /tmp, of which the container has its own. The first one finds it made.
    const size_t slash = place.work_dir.rfind('/');
    request.isolation.mounts.push_back({env::ContainerMount::Kind::bind,
                                        place.work_dir.substr(0, slash), place.work_dir, false, 0,
                                        place.work_dir.substr(slash + 1)});
  }
  for (const MountPlan& mount : command.mounts) {
    TRY(env::ContainerMount made, make_mount(mount, place.volumes));
    request.isolation.mounts.push_back(std::move(made));
  }
  for (const NetworkFile& file : place.network_files) {
    // A container that mounts something of its own there has it.
    const auto same = [&file](const MountPlan& mount) {
      return env::plain_path(mount.path) == file.target;
    };
    if (std::none_of(command.mounts.begin(), command.mounts.end(), same)) {
      request.isolation.mounts.push_back(
          {env::ContainerMount::Kind::bind, file.path, file.target, false, 0});
    }
  }
  if (!place.message_file.empty()) {
    TRY_VOID(check_target("terminationMessagePath", container.message_path));
    request.isolation.mounts.push_back(
        {env::ContainerMount::Kind::bind, place.message_file, container.message_path, false, 0});
  }
  request.isolation.uid = container.identity.user;
  request.isolation.gid = container.identity.group;
  request.isolation.groups = container.identity.more_groups;
  request.isolation.privileged = container.identity.privileged;
  TRY_VOID(check_confinement(container.confinement, support));
  request.isolation.confinement = container.confinement;
  // A privileged container is to have the machine. Where there are no mounts, the node says so.
  if (place.root.empty() && !place.host_root_writable && !container.identity.privileged &&
      support.mounts && support.confinement) {
    request.isolation.confinement.read_only_root = true;
  }
  if (!support.boundary && container.asks_for_filter) {
    return fail(
        plain_error("seccompProfile needs a newer supervisor than the one that runs, which ends "
                    "with its last container"));
  }
  if (support.boundary) {
    request.isolation.boundary = container.boundary;
    if (place.root.empty()) {
      request.isolation.boundary.hidden = place.private_directories;
    }
  }
  request.limits.memory_bytes = amount(container.limits, "memory", kMilli);
  request.limits.pids = place.max_pids;
  request.limits.cpu_millis = amount(container.limits, "cpu", 1);
  request.limits.cpu_request = amount(container.requests, "cpu", 1);
  return request;
}

}  // namespace windlass::node
