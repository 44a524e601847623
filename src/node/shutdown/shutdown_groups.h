// In which order, and with how much time, the pods of a node end when it shuts down (disruption.md
// K-70, K-73). Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace windlass::node {

// Pods of this priority or above, up to the next group's.
struct ShutdownGroup {
  int64_t priority = 0;
  Duration time{};  // that its pods have together

  bool operator==(const ShutdownGroup&) const = default;
};

// By ascending priority. None at all: every pod at once, with its own grace period.
using ShutdownGroups = std::vector<ShutdownGroup>;

inline constexpr int64_t kCriticalPriority = 2'000'000'000;  // C-10

// All pods but the critical ones in `total - critical`, then those in `critical`; without a total,
// none.
ShutdownGroups shutdown_groups(Duration total, Duration critical);

// The group of a pod: that with the largest priority not above its own, else the first.
size_t shutdown_group_of(const ShutdownGroups& groups, int64_t pod_priority);

}  // namespace windlass::node
