// The bounds of the store's memory. Plain values, given to the store once.
#pragma once

#include <cstddef>

namespace windlass::store {

struct StoreLimits {
  // Watch history and old versions, of each resource.
  size_t history_events = 65'536;
  // Of all resources together, with what the memory of a version takes besides its bytes. The
  // resource with the largest history gives way first, so a busy one costs a quiet one nothing.
  size_t history_bytes = size_t{32} << 20;
  // Writes handed to the journal and not yet durable.
  size_t pending_writes = 10'000;
  size_t pending_bytes = size_t{64} << 20;
  // One encoded object (safety.md Q2).
  size_t object_bytes = size_t{3} << 19;
  // Groups of refused writes that are remembered, for those who ask late what became of them.
  size_t refused_ranges = 1'024;
};

}  // namespace windlass::store
