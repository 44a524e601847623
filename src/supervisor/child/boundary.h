// What of the machine a container does not see, or sees and cannot change: found once, when the
// supervisor starts, and applied in the container's own mount namespace by its first process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "supervisor/child/detached_mount.h"

namespace windlass::supervisor {

struct MachineFiles {
  bool user_namespace = false;   // containers are in one: no devices and no sysfs can be made
  bool unified_cgroups = false;  // /sys/fs/cgroup is one hierarchy of version 2
  // Below /proc and /sys, as far as they exist: those that stay readable, and those that are
  // covered.
  std::vector<std::string> read_only;
  std::vector<std::string> masked_files;
  std::vector<std::string> masked_directories;
  // Directories of the host that are empty in every container on the host's root, and files in
  // them that programs need: where it really is, and the path that leads there.
  std::vector<std::string> hidden;
  std::vector<std::string> kept_files;
};

MachineFiles find_machine_files(bool user_namespace);

// Covers what is listed, where `place` (/proc or /sys) has just been mounted. `empty` has an empty
// directory for each masked one.
Result<void> mask_files(const MachineFiles& files, const std::string& place,
                        const std::vector<DetachedMount>& empty);

// The devices that every container has, made in the directory `dev`; or the host's own with the
// paths where they belong, where none can be made.
Result<void> make_devices(int dev);
Result<std::vector<std::pair<DetachedMount, std::string>>> open_devices();

// kernel.shm_rmid_forced=1
Result<void> set_sysctls(const std::vector<std::string>& settings);

}  // namespace windlass::supervisor
