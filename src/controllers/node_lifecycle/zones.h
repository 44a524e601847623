// How fast nodes that are not ready may get the taint that drives their pods away (disruption.md
// N-6, N-7): slower when much of a zone is gone, not at all when everything is. Plain data and pure
// functions; any thread.
#pragma once

#include <cstddef>

namespace windlass::controllers::node_lifecycle {

enum class ZoneState { normal, partial, full };

struct ZoneCount {
  size_t ready = 0;
  size_t not_ready = 0;

  size_t all() const { return ready + not_ready; }
};

struct EvictionRates {
  double normal = 0.1;      // nodes per second
  double secondary = 0.01;  // in a large zone that is partly gone
  size_t large_zone = 50;   // a zone with more nodes is large
  size_t unhealthy_percent = 55;
};

ZoneState state_of(const ZoneCount& zone, const EvictionRates& rates);
// Nodes per second; 0: none.
double rate_of(const ZoneCount& zone, const EvictionRates& rates);

}  // namespace windlass::controllers::node_lifecycle
