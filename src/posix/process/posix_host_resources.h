// The levels of this machine: /proc/meminfo, the file system of a directory, and the numbers that
// are left for processes. Stateless; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "env/host_resources.h"

namespace windlass::posix {

class PosixHostResources final : public env::HostResources {
 public:
  env::HostResourceLevels look(const std::string& directory) override;
};

// A line of /proc/meminfo, `MemTotal:       24102340 kB`, in bytes.
std::optional<uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view label);

// MemAvailable of MemTotal.
std::optional<env::ResourceLevel> memory_level(std::string_view meminfo);

// Of /proc/loadavg (`0.00 0.01 0.05 1/123 4567`) and /proc/sys/kernel/pid_max.
std::optional<env::ResourceLevel> pid_level(std::string_view loadavg, std::string_view pid_max);

}  // namespace windlass::posix
