// How an object counts the changes of its spec. Pure; any thread.
#pragma once

#include <cstdint>
#include <limits>

namespace windlass::api {

// The generation after that of a stored object. An object that holds the last there is keeps it.
constexpr int64_t next_generation(int64_t stored) {
  return stored < std::numeric_limits<int64_t>::max() ? stored + 1 : stored;
}

}  // namespace windlass::api
