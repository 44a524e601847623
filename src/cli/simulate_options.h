// The cluster that `windlass simulate` thinks up. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "node/hollow/behavior.h"

namespace windlass::cli {

struct SimulatedCluster {
  uint64_t seed = 1;
  size_t nodes = 3;
  // How pods live that do not say it themselves, by annotations.
  node::hollow::Mix mix = {};
  std::optional<Duration> drain_every = {};
  std::optional<Duration> lose_node_every = {};
  Duration limit = hours(7 * 24);
};

}  // namespace windlass::cli
