// The API keeps times in whole seconds, rounded down: what is stored as 12:00:07 happened at that
// instant or up to a second later. A period that begins at such a time counts from the latest
// instant that the time may stand for, so it is never shorter than what was asked for
// (docs/decisions/0042-periods-from-whole-seconds.md). Pure functions.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace windlass {

// The latest instant that `stored` may stand for, of something that was over when it was first seen
// at `seen`. It lies in the same second. A time with a fraction stands for itself.
inline Time latest_instant(Time stored, Time seen = Time::max()) {
  constexpr Duration kRest = seconds(1) - nanoseconds(1);
  const bool is_whole = std::chrono::floor<seconds>(stored) == stored;
  if (!is_whole || stored > Time::max() - kRest) {
    return stored;
  }
  return std::clamp(seen, stored, stored + kRest);
}

}  // namespace windlass
