// Seconds that an object names, as a Duration. A field may have 64 bits, of which a Duration of
// nanoseconds holds 292 years: sums with more would turn into times of the past. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace windlass {

// Longer than any life; a few of them added to now stay within Time.
inline constexpr int64_t kMaxBoundedSeconds = int64_t{50} * 365 * 24 * 3600;

constexpr Duration bounded_seconds(int64_t amount) {
  return seconds(std::clamp(amount, -kMaxBoundedSeconds, kMaxBoundedSeconds));
}

}  // namespace windlass
