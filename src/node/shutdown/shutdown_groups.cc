#include "node/shutdown/shutdown_groups.h"

namespace windlass::node {

ShutdownGroups shutdown_groups(Duration total, Duration critical) {
  if (total <= Duration::zero()) {
    return {};
  }
  return {{0, total - critical}, {kCriticalPriority, critical}};
}

size_t shutdown_group_of(const ShutdownGroups& groups, int64_t pod_priority) {
  size_t found = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    found = groups[i].priority <= pod_priority ? i : found;
  }
  return found;
}

}  // namespace windlass::node
