// What this machine has of the things that pods use up together, and what is left of them. Real:
// posix/posix_supplies.h; tests say what there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace windlass::env {

struct Supply {
  uint64_t available = 0;
  uint64_t capacity = 0;

  bool operator==(const Supply&) const = default;
};

// What cannot be found out is not there.
struct MachineSupplies {
  std::optional<Supply> memory = {};  // bytes
  std::optional<Supply> disk = {};    // bytes, of the disk with the directory
  std::optional<Supply> inodes = {};  // of that disk
  std::optional<Supply> pids = {};    // process numbers

  bool operator==(const MachineSupplies&) const = default;
};

class Supplies {
 public:
  virtual ~Supplies() = default;
  // As of now; takes microseconds.
  virtual MachineSupplies look(const std::string& directory) = 0;
};

}  // namespace windlass::env
