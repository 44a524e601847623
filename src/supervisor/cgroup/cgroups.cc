#include "supervisor/cgroup/cgroups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <sstream>
#include <utility>

#include "base/hash.h"
#include "posix/error.h"
#include "supervisor/cgroup/cgroup_files.h"

namespace windlass::supervisor {
namespace {

constexpr const char* kTop = "windlass";
// Below it: processes that were in the group above.
constexpr const char* kMovedPlace = "/windlass/main";
constexpr int kMaxMoveRounds = 16;
constexpr mode_t kGroupMode = 0755;
// How often in a row other supervisors may remove the group that all share while one is made in it.
constexpr int kMaxTopRaces = 1000;
constexpr uint64_t kSharesPerProcessor = 1024;
constexpr uint64_t kMinShares = 2;
constexpr uint64_t kMaxShares = 262'144;
constexpr uint64_t kCpuPeriodMicros = 100'000;
// A million processors: more than any machine has, and a quota that the kernel still accepts.
constexpr uint64_t kMostMillis = 1'000'000'000;
// Between two looks at a group whose processes end.
constexpr Duration kPauseTime = milliseconds(5);
constexpr timespec kPause = {0, nanoseconds(kPauseTime).count()};
// What the kernel accepts as a quota.
constexpr uint64_t kMinQuotaMicros = 1000;

bool has_word(std::string_view list, std::string_view word, char separator) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(separator));
    if (item == word) {
      return true;
    }
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
  return false;
}

std::string without_line_end(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

bool make_or_find(const std::string& path) {
  return ::mkdir(path.c_str(), kGroupMode) == 0 || errno == EEXIST;
}

// Makes `<mount>/windlass/<instance>`; "" when that is not allowed. A supervisor that ends may
// remove `windlass` before the instance is in it: then both are made again.
std::string own_group(const std::string& mount, const std::string& instance) {
  if (mount.empty()) {
    return "";
  }
  const std::string top = fmt::format("{}/{}", mount, kTop);
  const std::string group = top + "/" + instance;
  for (int attempt = 0; attempt < kMaxTopRaces; ++attempt) {
    if (!make_or_find(top)) {
      return "";
    }
    if (make_or_find(group)) {
      return group;
    }
    if (errno != ENOENT && errno != ENODEV) {  // the kernel's word for a group that is going
      return "";
    }
  }
  return "";
}

// Passes the controller down from the root to our instance's children.
bool enable_v2(const std::string& group, std::string_view controller) {
  const std::string top = group.substr(0, group.rfind('/'));
  const std::string root = top.substr(0, top.rfind('/'));
  if (!has_word(without_line_end(read_cgroup(root + "/cgroup.controllers")), controller, ' ')) {
    return false;
  }
  for (const std::string& path : {root, top, group}) {
    if (!write_cgroup(path + "/cgroup.subtree_control", fmt::format("+{}", controller))) {
      return false;
    }
  }
  return true;
}

// No process is in it, and it is not frozen (cgroup.freeze).
bool is_vacant(const std::string& path) {
  const std::string events = read_cgroup(path + "/cgroup.events");
  return events.find("populated 0\n") != std::string::npos &&
         events.find("frozen 1\n") == std::string::npos;
}

bool may_make_groups(const std::string& path) {
  return ::access(path.c_str(), W_OK) == 0 &&
         ::access((path + "/cgroup.procs").c_str(), W_OK) == 0 &&
         ::access((path + "/cgroup.subtree_control").c_str(), W_OK) == 0;
}

// False while one of them stays.
bool move_processes(const std::string& from) {
  const std::string top = fmt::format("{}/{}", from, kTop);
  const std::string place = from + kMovedPlace;
  if (!make_or_find(top) || !make_or_find(place)) {
    return false;
  }
  // Those that are started meanwhile are found in the next round.
  for (int round = 0; round < kMaxMoveRounds; ++round) {
    std::istringstream processes(read_cgroup(from + "/cgroup.procs"));
    std::string process;
    if (!(processes >> process)) {
      return true;
    }
    do {
      if (!write_cgroup(place + "/cgroup.procs", process)) {
        return false;
      }
    } while (processes >> process);
  }
  return false;
}

CgroupVersion pick(bool v2, const std::string& v1) {
  if (v2) {
    return CgroupVersion::v2;
  }
  return v1.empty() ? CgroupVersion::none : CgroupVersion::v1;
}

}  // namespace

CgroupMounts find_cgroup_mounts(std::string_view mountinfo) {
  CgroupMounts mounts;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) {
      continue;
    }
    std::istringstream front(line.substr(0, dash));
    std::istringstream back(line.substr(dash + 3));
    std::string word;
    std::string path;
    front >> word >> word >> word >> word >> path;
    std::string type;
    std::string source;
    std::string options;
    back >> type >> source >> options;
    if (type == "cgroup2" && mounts.v2.empty()) {
      mounts.v2 = path;
    }
    if (type == "cgroup") {
      for (auto [name, mount] : {std::pair("memory", &mounts.memory),
                                 std::pair("pids", &mounts.pids), std::pair("cpu", &mounts.cpu)}) {
        if (mount->empty() && has_word(options, name, ',')) {
          *mount = path;
        }
      }
    }
  }
  return mounts;
}

std::string delegated_group(const std::string& mount, std::string_view own) {
  for (std::string_view lines = own; !lines.empty();) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (!line.starts_with("0::/")) {
      continue;
    }
    line.remove_prefix(std::string_view("0::").size());
    if (line.ends_with(kMovedPlace)) {  // by another supervisor
      line.remove_suffix(std::string_view(kMovedPlace).size());
    }
    const std::string first = mount + std::string(line);
    std::string path = first;
    while (path.size() > mount.size() && may_make_groups(path)) {
      if (without_line_end(read_cgroup(path + "/cgroup.procs")).empty()) {
        return path;
      }
      path.resize(path.rfind('/'));
    }
    return path != first && move_processes(first) ? first : "";
  }
  return "";
}

CgroupMounts usable_cgroup_mounts() {
  CgroupMounts mounts = find_cgroup_mounts(read_cgroup("/proc/self/mountinfo"));
  if (::geteuid() != 0 && !mounts.v2.empty()) {
    mounts.v2 = delegated_group(mounts.v2, read_cgroup("/proc/self/cgroup"));
  }
  return mounts;
}

std::string group_name(const std::string& directory) {
  return fmt::format("{:016x}", stable_hash(directory));
}

bool remove_leftover_groups(const CgroupMounts& mounts, const std::string& directory,
                            Duration patience) {
  std::vector<std::string> groups;
  for (const std::string& mount : {mounts.v2, mounts.memory, mounts.pids, mounts.cpu}) {
    const std::string group = fmt::format("{}/{}/{}", mount, kTop, group_name(directory));
    if (!mount.empty() && ::access(group.c_str(), F_OK) == 0) {
      groups.push_back(group);
    }
  }
  for (Duration waited{}; !groups.empty() && waited <= patience; waited += kPauseTime) {
    for (const std::string& group : groups) {
      kill_cgroup(group);
    }
    std::erase_if(groups, [](const std::string& group) {
      const bool removed = remove_cgroup(group);
      if (removed) {
        ::rmdir(group.substr(0, group.rfind('/')).c_str());  // the last one takes it along
      }
      return removed;
    });
    if (!groups.empty()) {
      ::nanosleep(&kPause, nullptr);
    }
  }
  return groups.empty();
}

uint64_t cpu_shares(uint64_t millis) {
  return std::clamp(std::min(millis, kMostMillis) * kSharesPerProcessor / 1000, kMinShares,
                    kMaxShares);
}

uint64_t cpu_weight(uint64_t millis) {
  return 1 + (cpu_shares(millis) - kMinShares) * 9999 / (kMaxShares - kMinShares);
}

std::vector<int> ContainerGroup::task_files() const {
  std::vector<int> files;
  for (const posix::FileDescriptor& file : set_.tasks) {
    files.push_back(file.get());
  }
  return files;
}

uint64_t ContainerGroup::oom_kills() const {
  return oom_counter_.empty() ? 0 : cgroup_counter(oom_counter_, "oom_kill");
}

uint64_t ContainerGroup::peak_memory_bytes() const {
  uint64_t bytes = 0;
  if (!memory_peak_.empty()) {
    const std::string text = read_cgroup(memory_peak_);
    std::from_chars(text.data(), text.data() + text.size(), bytes);
  }
  return bytes;
}

bool SpareGroups::offer(GroupSet& group, uint64_t pids) {
  // The group itself and its entry in the one above: one more for each that is in it.
  constexpr nlink_t kOwnLinks = 2;
  const auto alone = [](const std::string& path) {
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 && info.st_nlink == kOwnLinks;
  };
  if (groups_.size() >= kMost || !std::all_of(group.paths.begin(), group.paths.end(), alone) ||
      !is_vacant(group.paths.front())) {
    return false;
  }
  groups_.push_back({std::move(group), pids});
  return true;
}

GroupSet SpareGroups::take(uint64_t pids) {
  if (groups_.empty() || groups_.back().pids != pids) {
    return {};
  }
  GroupSet group = std::move(groups_.back().group);
  groups_.pop_back();
  fewest_ = std::min(fewest_, groups_.size());
  return group;
}

void SpareGroups::remove_idle() {
  const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(fewest_);
  for (auto group = groups_.begin(); group != end; ++group) {
    for (const std::string& path : group->group.paths) {
      remove_cgroup(path);
    }
  }
  groups_.erase(groups_.begin(), end);
  fewest_ = groups_.size();
}

void ContainerGroup::kill() const {
  for (const std::string& path : set_.paths) {
    kill_cgroup(path);
  }
}

bool ContainerGroup::remove() {
  if (spares_ && !set_.paths.empty() && spares_->offer(set_, pids_)) {
    set_ = {};
    return true;
  }
  set_.tasks.clear();
  set_.directory.reset();
  std::erase_if(set_.paths, [](const std::string& path) { return remove_cgroup(path); });
  return set_.paths.empty();
}

Cgroups::Cgroups(CgroupMounts mounts, std::string instance, Isolation& isolation)
    : v2_(own_group(mounts.v2, instance)) {
  if (!v2_.empty()) {
    memory_v2_ = enable_v2(v2_, "memory");
    pids_v2_ = enable_v2(v2_, "pids");
    cpu_v2_ = enable_v2(v2_, "cpu");
  }
  memory_v1_ = memory_v2_ ? "" : own_group(mounts.memory, instance);
  pids_v1_ = pids_v2_ ? "" : own_group(mounts.pids, instance);
  cpu_v1_ = cpu_v2_ ? "" : own_group(mounts.cpu, instance);
  isolation.kill_by_cgroup = !v2_.empty();
  isolation.memory = pick(memory_v2_, memory_v1_);
  isolation.pids = pick(pids_v2_, pids_v1_);
  isolation.cpu = pick(cpu_v2_, cpu_v1_);
  const auto say = [&isolation](CgroupVersion controller, const char* what) {
    if (controller == CgroupVersion::none) {
      isolation.missing.push_back(
          fmt::format("{} limits are not enforced: no cgroup controller can be used", what));
    }
  };
  say(isolation.memory, "memory");
  // Each container of an ordinary user is a user namespace, whose processes the kernel counts.
  if (!isolation.user_namespace || ::geteuid() == 0) {
    say(isolation.pids, "process");
  }
  say(isolation.cpu, "cpu");
}

bool Cgroups::clear_leftovers(Duration patience) {
  for (Duration waited{}; waited <= patience; waited += kPauseTime) {
    bool clean = true;
    for (const std::string& group : {v2_, memory_v1_, pids_v1_, cpu_v1_}) {
      if (group.empty()) {
        continue;
      }
      kill_cgroup(group);
      // The group itself stays: without it another supervisor could remove the one above.
      clean = remove_subgroups(group) && clean;
    }
    if (clean) {
      return true;
    }
    ::nanosleep(&kPause, nullptr);
  }
  return false;
}

Result<std::unique_ptr<ContainerGroup>> Cgroups::make(const std::string& name,
                                                      const env::ContainerLimits& limits) {
  auto group = std::make_unique<ContainerGroup>();
  const bool usual = limits == env::ContainerLimits{.pids = limits.pids};
  group->pids_ = limits.pids;
  if (GroupSet spare = usual ? spares_->take(limits.pids) : GroupSet(); !spare.paths.empty()) {
    if (limits.pids != 0 && isolated_pids()) {
      // A privileged container may have changed it.
      TRY_VOID(write_cgroup(spare.paths.back() + "/pids.max", fmt::format("{}", limits.pids)));
    }
    group->set_ = std::move(spare);
    group->spares_ = spares_;
    return group;
  }
  const auto make_all = [&]() -> Result<void> {
    if (!v2_.empty()) {
      TRY(const std::string path, make_group(*group, v2_, name));
      group->set_.directory =
          posix::FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    if (limits.memory_bytes != 0) {
      TRY_VOID(make_memory(*group, name, limits.memory_bytes));
    }
    if (limits.pids != 0) {
      TRY_VOID(make_pids(*group, name, limits.pids));
    }
    if (limits.cpu_millis != 0 || limits.cpu_request != 0) {
      TRY_VOID(make_cpu(*group, name, limits));
    }
    return {};
  };
  if (Result<void> made = make_all(); !made) {
    group->remove();
    return fail(std::move(made).error());
  }
  // Without v2 nothing tells that the last process is gone.
  if (usual && !v2_.empty()) {
    group->spares_ = spares_;
  }
  return group;
}

void Cgroups::remove() {
  for (const std::string& group : {v2_, memory_v1_, pids_v1_, cpu_v1_}) {
    if (!group.empty() && remove_cgroup(group)) {
      // Only the last supervisor of the machine gets this far; for the others it is not empty.
      ::rmdir(group.substr(0, group.rfind('/')).c_str());
    }
  }
}

Result<std::string> Cgroups::make_group(ContainerGroup& group, const std::string& base,
                                        const std::string& name) {
  std::string path = base + "/" + name;
  if (::mkdir(path.c_str(), kGroupMode) != 0) {
    return fail(posix::system_error("mkdir", path, errno));
  }
  group.set_.paths.push_back(path);
  return path;
}

Result<void> Cgroups::join_v1(ContainerGroup& group, const std::string& path) {
  const std::string tasks = path + "/tasks";
  posix::FileDescriptor file(::open(tasks.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) {
    return fail(posix::system_error("open", tasks, errno));
  }
  group.set_.tasks.push_back(std::move(file));
  // <hierarchy>/windlass/<instance>/<name>
  if (const size_t end = path.rfind(fmt::format("/{}/", kTop)); end != std::string::npos) {
    group.set_.views.emplace_back(path, path.substr(0, end));
  }
  return {};
}

Result<void> Cgroups::make_memory(ContainerGroup& group, const std::string& name, uint64_t bytes) {
  const std::string text = fmt::format("{}", bytes);
  if (memory_v2_) {
    const std::string path = v2_ + "/" + name;
    TRY_VOID(write_cgroup(path + "/memory.max", text));
    // disruption.md K-51: one that is killed takes the whole container.
    TRY_VOID(write_cgroup(path + "/memory.oom.group", "1"));
    [[maybe_unused]] const auto no_swap = write_cgroup(path + "/memory.swap.max", "0");
    group.oom_counter_ = path + "/memory.events";
    group.memory_peak_ = path + "/memory.peak";
    return {};
  }
  if (memory_v1_.empty()) {
    return {};
  }
  TRY(const std::string path, make_group(group, memory_v1_, name));
  TRY_VOID(write_cgroup(path + "/memory.limit_in_bytes", text));
  TRY_VOID(join_v1(group, path));
  group.oom_counter_ = path + "/memory.oom_control";
  group.memory_peak_ = path + "/memory.max_usage_in_bytes";
  // M-21: v1 kills one process; we hear of it and end the rest.
  posix::FileDescriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const posix::FileDescriptor control(::open(group.oom_counter_.c_str(), O_RDONLY | O_CLOEXEC));
  if (event.valid() && control.valid() &&
      write_cgroup(path + "/cgroup.event_control",
                   fmt::format("{} {}", event.get(), control.get()))) {
    group.oom_event_ = std::move(event);
  }
  return {};
}

Result<void> Cgroups::make_pids(ContainerGroup& group, const std::string& name, uint64_t limit) {
  const std::string text = fmt::format("{}", limit);
  if (pids_v2_) {
    return write_cgroup(v2_ + "/" + name + "/pids.max", text);
  }
  if (pids_v1_.empty()) {
    return {};
  }
  TRY(const std::string path, make_group(group, pids_v1_, name));
  TRY_VOID(write_cgroup(path + "/pids.max", text));
  return join_v1(group, path);
}

Result<void> Cgroups::make_cpu(ContainerGroup& group, const std::string& name,
                               const env::ContainerLimits& limits) {
  const uint64_t quota =
      std::max(std::min(limits.cpu_millis, kMostMillis) * kCpuPeriodMicros / 1000, kMinQuotaMicros);
  if (cpu_v2_) {
    const std::string path = v2_ + "/" + name;
    if (limits.cpu_millis != 0) {
      TRY_VOID(write_cgroup(path + "/cpu.max", fmt::format("{} {}", quota, kCpuPeriodMicros)));
    }
    return write_cgroup(path + "/cpu.weight", fmt::format("{}", cpu_weight(limits.cpu_request)));
  }
  if (cpu_v1_.empty()) {
    return {};
  }
  TRY(const std::string path, make_group(group, cpu_v1_, name));
  if (limits.cpu_millis != 0) {
    TRY_VOID(write_cgroup(path + "/cpu.cfs_period_us", fmt::format("{}", kCpuPeriodMicros)));
    TRY_VOID(write_cgroup(path + "/cpu.cfs_quota_us", fmt::format("{}", quota)));
  }
  TRY_VOID(write_cgroup(path + "/cpu.shares", fmt::format("{}", cpu_shares(limits.cpu_request))));
  return join_v1(group, path);
}

}  // namespace windlass::supervisor
