// Control groups, version 1 and 2, each controller where this machine has it. Every supervisor has
// one group of its own per hierarchy, `windlass/<instance>`, and below it one per container: only
// what it made itself is ever written to, killed or removed (disruption.md M-13).
//
// A container's v2 group is for killing and for knowing that no process is left; a v1 group is only
// made for a limit that needs it, since making and joining one costs more than starting a process.
// Groups with no limit but that of processes, which all containers of a node have in common, are
// kept for a moment when they are empty, for the next container with the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "env/containers.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/protocol/isolation.h"

namespace windlass::supervisor {

// Where the hierarchies are mounted; "" for those that are not.
struct CgroupMounts {
  std::string v2;
  std::string memory;
  std::string pids;
  std::string cpu;

  bool operator==(const CgroupMounts&) const = default;
};
CgroupMounts find_cgroup_mounts(std::string_view mountinfo);
// The group of version 2 below which an ordinary user may make others; "" where there is none.
// `own` is what /proc/self/cgroup says. A group that has processes passes no limits on: where there
// is no other, they move into one below it.
std::string delegated_group(const std::string& mount, std::string_view own);
// Where this process makes groups.
CgroupMounts usable_cgroup_mounts();

// Ends what is in the groups of a supervisor that was killed and comes back no more, and removes
// them; false when something in them does not die. `directory` is that supervisor's.
bool remove_leftover_groups(const CgroupMounts& mounts, const std::string& directory,
                            Duration patience);
// What the groups of the supervisor in this directory are called.
std::string group_name(const std::string& directory);

// cpu.shares of v1 and cpu.weight of v2, for thousandths of a processor, as Kubernetes has them.
uint64_t cpu_shares(uint64_t millis);
uint64_t cpu_weight(uint64_t millis);

// What the kernel has of one container: its v2 group, and v1 groups for some of its limits.
struct GroupSet {
  std::vector<std::string> paths;  // that of v2 first
  posix::FileDescriptor directory;
  std::vector<posix::FileDescriptor> tasks;
  std::vector<std::pair<std::string, std::string>> views;
};

// Groups without processes, and without limits but one of processes.
class SpareGroups {
 public:
  static constexpr size_t kMost = 64;

  // Takes it if it is as new: empty, not frozen and without groups of its own in it.
  bool offer(GroupSet& group, uint64_t pids);
  // The latest, if it has this limit; one without paths when there is none.
  GroupSet take(uint64_t pids);
  // Removes those that were not needed since the last call.
  void remove_idle();

 private:
  struct Spare {
    GroupSet group;
    uint64_t pids;
  };
  std::vector<Spare> groups_;
  size_t fewest_ = 0;  // that there were since remove_idle()
};

// The groups of one container. Removed by remove() alone: destroying it before leaves them.
class ContainerGroup {
 public:
  // For CLONE_INTO_CGROUP; -1 without v2.
  int directory() const { return set_.directory.get(); }
  // `tasks` of the v1 groups: the container's first process writes "0" into each. A task that moves
  // itself does not wait for the kernel's global lock.
  std::vector<int> task_files() const;
  // Directories of v1 groups, each with the path where programs look for such a hierarchy.
  const std::vector<std::pair<std::string, std::string>>& views() const { return set_.views; }
  // Readable when v1 has an out-of-memory event to tell; -1 without.
  int oom_event() const { return oom_event_.get(); }
  // How many processes the kernel has killed here for want of memory.
  uint64_t oom_kills() const;
  // The most memory that a container with a limit of it has had; 0 where it cannot be told.
  uint64_t peak_memory_bytes() const;
  void kill() const;
  // True when they are gone, or kept for another; false while a process is in one of them.
  bool remove();

 private:
  friend class Cgroups;

  GroupSet set_;
  uint64_t pids_ = 0;
  std::string oom_counter_;  // file with a line `oom_kill N`
  std::string memory_peak_;  // file with a number, of a group of its own
  posix::FileDescriptor oom_event_;
  std::shared_ptr<SpareGroups> spares_;  // where it may go, if it has no others
};

class Cgroups {
 public:
  // `instance` tells the supervisors of one machine apart. Says in `isolation` what it found.
  Cgroups(CgroupMounts mounts, std::string instance, Isolation& isolation);

  // Kills and removes what an earlier supervisor of this instance left; false when something of it
  // is still there after `patience`.
  bool clear_leftovers(Duration patience);
  Result<std::unique_ptr<ContainerGroup>> make(const std::string& name,
                                               const env::ContainerLimits& limits);
  // To be called now and then: groups that are kept and not needed go.
  void remove_idle() { spares_->remove_idle(); }
  // The supervisor ends; its own groups go.
  void remove();

 private:
  Result<std::string> make_group(ContainerGroup& group, const std::string& base,
                                 const std::string& name);
  Result<void> make_memory(ContainerGroup& group, const std::string& name, uint64_t bytes);
  Result<void> make_pids(ContainerGroup& group, const std::string& name, uint64_t limit);
  Result<void> make_cpu(ContainerGroup& group, const std::string& name,
                        const env::ContainerLimits& limits);
  Result<void> join_v1(ContainerGroup& group, const std::string& path);
  bool isolated_pids() const { return pids_v2_ || !pids_v1_.empty(); }

  // Our group per hierarchy; "" where it is not to be had.
  std::string v2_;
  std::string memory_v1_;
  std::string pids_v1_;
  std::string cpu_v1_;
  bool memory_v2_ = false;
  bool pids_v2_ = false;
  bool cpu_v2_ = false;
  std::shared_ptr<SpareGroups> spares_ = std::make_shared<SpareGroups>();
};

}  // namespace windlass::supervisor
