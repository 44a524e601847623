// How an object counts the changes of its spec. Pure; any thread.
#pragma once

#include <cstdint>
#include <limits>

#include "schema/meta/v1/meta.pb.h"

namespace windlass::api {

// The generation after that of a stored object. An object that holds the last there is keeps it.
inline int64_t next_generation(const meta::v1::ObjectMeta& stored) {
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  return stored.generation() < kLast ? stored.generation() + 1 : kLast;
}

}  // namespace windlass::api
