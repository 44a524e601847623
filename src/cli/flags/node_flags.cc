#include "cli/flags/node_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "cli/flags/flags.h"

namespace windlass::cli {
namespace {

// Programs with many threads need some hundreds.
constexpr size_t kDefaultMaxPids = 4096;

constexpr const char* kTotalFlag = "--shutdown-grace-period";
constexpr const char* kCriticalFlag = "--shutdown-grace-period-critical-pods";
constexpr const char* kByPriorityFlag = "--shutdown-grace-period-by-pod-priority";
constexpr size_t kMaxShutdownGroups = 100;
constexpr const char* kCapacityFlag = "--node-capacity";

// PRIORITY=DURATION
Result<node::ShutdownGroup> parse_group(std::string_view text) {
  const auto malformed = [&] {
    return fail(
        plain_error(fmt::format("invalid {} \"{}\": must be PRIORITY=DURATION,... such as "
                                "0=30s,2000000000=10s",
                                kByPriorityFlag, text)));
  };
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return malformed();
  }
  node::ShutdownGroup group;
  const std::string_view number = text.substr(0, equals);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), group.priority);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) {
    return malformed();
  }
  TRY(group.time, positive_duration(kByPriorityFlag, std::string(text.substr(equals + 1))));
  return group;
}

Result<node::ShutdownGroups> parse_groups(std::string_view text) {
  node::ShutdownGroups groups;
  for (const std::string_view entry : comma_separated(text)) {
    TRY(const node::ShutdownGroup group, parse_group(entry));
    groups.push_back(group);
    if (groups.size() > kMaxShutdownGroups) {
      return fail(plain_error(fmt::format("invalid {}: at most {} groups are allowed",
                                          kByPriorityFlag, kMaxShutdownGroups)));
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.priority < b.priority; });
  const auto same =
      std::adjacent_find(groups.begin(), groups.end(),
                         [](const auto& a, const auto& b) { return a.priority == b.priority; });
  if (same != groups.end()) {
    return fail(plain_error(
        fmt::format("invalid {}: priority {} appears twice", kByPriorityFlag, same->priority)));
  }
  return groups;
}

// The three flags of shutdown_groups, as they are given.
struct ShutdownTimes {
  std::optional<Duration> total;
  std::optional<Duration> critical;
  std::string by_priority;
};

Result<node::ShutdownGroups> groups_of(const ShutdownTimes& times) {
  if (!times.by_priority.empty()) {
    if (times.total || times.critical) {
      return fail(plain_error(fmt::format("{} cannot be combined with {} or {}", kByPriorityFlag,
                                          kTotalFlag, kCriticalFlag)));
    }
    return parse_groups(times.by_priority);
  }
  if (!times.total) {
    return times.critical ? fail(plain_error(fmt::format("{} needs {}", kCriticalFlag, kTotalFlag)))
                          : Result<node::ShutdownGroups>(node::ShutdownGroups());
  }
  const Duration critical = times.critical.value_or(Duration::zero());
  if (critical > *times.total) {
    return fail(plain_error(fmt::format("{} {} is longer than {} {}", kCriticalFlag,
                                        format_duration(critical), kTotalFlag,
                                        format_duration(*times.total))));
  }
  return node::shutdown_groups(*times.total, critical);
}

Result<std::map<std::string, std::string>> parse_capacity(const std::string& text) {
  std::map<std::string, std::string> capacity;
  for (const std::string_view entry : comma_separated(text)) {
    const size_t equals = std::min(entry.find('='), entry.size());
    const std::string amount(entry.substr(std::min(equals + 1, entry.size())));
    const Result<Quantity> quantity = Quantity::parse(amount);
    if (equals == 0 || !quantity || quantity->sign() < 0) {
      return fail(plain_error(
          fmt::format("invalid {} \"{}\": must be RESOURCE=AMOUNT,... such as cpu=2,memory=4Gi",
                      kCapacityFlag, entry)));
    }
    capacity[std::string(entry.substr(0, equals))] = amount;
  }
  return capacity;
}

}  // namespace

void declare_data_dir(Flags& flags, std::string& data_dir, const std::string& help) {
  flags.text("--data-dir DIR", data_dir,
             help + " (default: $XDG_STATE_HOME/windlass, or ~/.local/state/windlass)");
}

void declare_verbosity(Flags& flags, int& verbosity) {
  flags.number("-v LEVEL", verbosity, "Log level: 0 warnings, 1 information, 2 debug",
               {std::numeric_limits<int>::min(), std::numeric_limits<int>::max()});
}

void declare_image_dir(Flags& flags, std::string& directory) {
  flags.text("--image-dir DIR", directory,
             "Folder of the images that `windlass image` manages (default: "
             "$XDG_STATE_HOME/windlass/images, or ~/.local/state/windlass/images)");
}

void declare_image_flags(Flags& flags, plane::NodeImages& images) {
  declare_image_dir(flags, images.directory);
  flags.optional_value(
      "--host-root", "[=rw]",
      "Run containers whose image is not in that folder on the root file system of this machine, "
      "and pull nothing. They can write to /tmp, volumes and their working directory; with =rw to "
      "all of it. Without this flag, only containers of the image \"host\" use it",
      [&images](const std::string& text) -> Result<void> {
        if (!text.empty() && text != "ro" && text != "rw") {
          return fail(
              plain_error(fmt::format("invalid --host-root \"{}\": must be ro or rw", text)));
        }
        images.host_root = {true, text == "rw"};
        return {};
      });
}

std::string host_root_note(const plane::NodeImages& images) {
  return images.host_root.writable
             ? "note: containers on the root file system of this machine may write to all of it "
               "(--host-root=rw)\n"
             : "";
}

void declare_shutdown_flags(Flags& flags, node::ShutdownGroups& groups) {
  const auto times = std::make_shared<ShutdownTimes>();
  flags.heading("Node shutdown");
  flags.duration("--shutdown-grace-period DURATION", times->total,
                 "Time for all pods to end when a node shuts down (default: the grace period of "
                 "each pod)");
  flags.duration("--shutdown-grace-period-critical-pods DURATION", times->critical,
                 "Part of that time that is reserved for critical pods, which end last (default: "
                 "0s)");
  flags.text("--shutdown-grace-period-by-pod-priority LIST", times->by_priority,
             "Time for each group of pods, by the lowest priority in the group; replaces the two "
             "flags above. Example: 0=30s,1000=20s,2000000000=10s");
  flags.check([times, &groups]() -> Result<void> {
    TRY(groups, groups_of(*times));
    return {};
  });
}

void declare_limit_flags(Flags& flags, plane::NodeLimits& limits) {
  limits.protection.max_pids = kDefaultMaxPids;
  const auto eviction = std::make_shared<node::pressure::EvictionFlags>();
  flags.heading("Node resources");
  flags.parsed("--node-capacity LIST",
               "Resources of each node (default: those of this machine). Example: "
               "cpu=2,memory=4Gi,ephemeral-storage=10Gi",
               [&limits](const std::string& text) -> Result<void> {
                 TRY(limits.capacity, parse_capacity(text));
                 return {};
               });
  flags.toggle("--allow-privileged", limits.protection.allow_privileged,
               "Run privileged containers, which have this machine; other nodes reject their pods");
  flags.number("--container-max-pids N", limits.protection.max_pids,
               "Processes and threads that each container may have (default: 4096); 0 is no limit",
               {0, std::numeric_limits<int>::max()});
  flags.text("--eviction-hard LIST", eviction->hard,
             "Thresholds below which pods are evicted, for memory.available, nodefs.available, "
             "nodefs.inodesFree and pid.available; \"\" turns eviction off");
  flags.text("--eviction-soft LIST", eviction->soft,
             "Thresholds below which pods are evicted after a grace period");
  flags.text("--eviction-soft-grace-period LIST", eviction->soft_grace,
             "Grace period of each soft threshold. Example: memory.available=90s");
  flags.text("--eviction-minimum-reclaim LIST", eviction->minimum_reclaim,
             "Amount above the threshold at which eviction stops. Example: memory.available=100Mi");
  flags.text("--eviction-max-pod-grace-period SECONDS", eviction->max_pod_grace,
             "Longest grace period of a pod that a soft threshold evicts, in seconds");
  flags.text("--eviction-pressure-transition-period DURATION", eviction->transition,
             "Time that a node keeps a pressure condition after the shortage ends");
  flags.check([eviction, &limits]() -> Result<void> {
    TRY(limits.pressure, node::pressure::read_flags(*eviction));
    return {};
  });
}

}  // namespace windlass::cli
