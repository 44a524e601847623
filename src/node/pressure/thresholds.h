// When a node is short of something, in the words of a kubelet's flags (disruption.md K-55, K-56):
// `memory.available<100Mi,nodefs.available<10%`. Plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windlass::node::pressure {

// In the order in which shortages are dealt with (K-59).
enum class EvictionSignal : uint8_t {
  memory,  // memory.available
  disk,    // nodefs.available
  inodes,  // nodefs.inodesFree
  pids,    // pid.available
};

std::string_view signal_name(EvictionSignal signal);
// What it is called in messages: memory, ephemeral-storage, inodes, pids.
std::string_view resource_name(EvictionSignal signal);

// An amount, or so much of what there is.
struct Amount {
  uint64_t value = 0;
  uint64_t milli_percent = 0;  // 12.5% is 12500
  std::string text;            // as it was written

  uint64_t of(uint64_t capacity) const;
  std::string shown(uint64_t capacity) const;

  bool operator==(const Amount&) const = default;
};

struct Threshold {
  EvictionSignal signal = EvictionSignal::memory;
  Amount amount;                               // less than this is a shortage
  std::optional<Amount> minimum_reclaim = {};  // it is over only with so much more
  // A shortage that must last for so long first, and leaves pods some time; nothing: a hard one.
  std::optional<Duration> grace = {};

  bool hard() const { return !grace; }
  bool operator==(const Threshold&) const = default;
};

struct EvictionConfig {
  std::vector<Threshold> thresholds;
  Duration max_pod_grace{};          // of pods that go for a soft threshold
  Duration transition = minutes(5);  // a node is under pressure for so long after a shortage
  Duration period = seconds(10);     // between two looks (K-57)

  bool operator==(const EvictionConfig&) const = default;
};

// Absolute and small: the disk of a machine that is not the node's alone is often nearly full, and
// pods are not to blame.
inline constexpr const char* kDefaultHard =
    "memory.available<100Mi,nodefs.available<256Mi,nodefs.inodesFree<1000";

// The values of a kubelet's flags of these names.
struct EvictionFlags {
  std::string hard = kDefaultHard;   // --eviction-hard
  std::string soft = {};             // --eviction-soft
  std::string soft_grace = {};       // --eviction-soft-grace-period
  std::string minimum_reclaim = {};  // --eviction-minimum-reclaim
  std::string max_pod_grace = "0";   // --eviction-max-pod-grace-period, in seconds
  std::string transition = "5m";     // --eviction-pressure-transition-period
};
// Errors name the flag.
Result<EvictionConfig> read_flags(const EvictionFlags& flags);

}  // namespace windlass::node::pressure
