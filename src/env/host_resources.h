// What this machine has of the things that pods use up together, and what is left of them. Real:
// posix/process/posix_host_resources.h; tests say what there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace windlass::env {

struct ResourceLevel {
  uint64_t available = 0;
  uint64_t capacity = 0;

  bool operator==(const ResourceLevel&) const = default;
};

// What cannot be found out is not there.
struct HostResourceLevels {
  std::optional<ResourceLevel> memory = {};  // bytes
  std::optional<ResourceLevel> disk = {};    // bytes, of the disk with the directory
  std::optional<ResourceLevel> inodes = {};  // of that disk
  std::optional<ResourceLevel> pids = {};    // process numbers

  bool operator==(const HostResourceLevels&) const = default;
};

class HostResources {
 public:
  virtual ~HostResources() = default;
  // As of now; takes microseconds.
  virtual HostResourceLevels look(const std::string& directory) = 0;
};

}  // namespace windlass::env
