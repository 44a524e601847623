// Times as objects have them, as ones to which spans can be added: a client may write any year, and
// sums of those at the ends of the range do not exist. Pure.
#pragma once

#include <algorithm>

#include "base/bounded_seconds.h"
#include "base/time.h"

namespace windlass::node {

// Not before 1970, and not so late that a span after it leaves the clock's range.
inline Time bounded_time(Time time) {
  constexpr Duration kLatest = Duration::max() - seconds(kMaxBoundedSeconds);
  return std::clamp(time, Time(), Time(kLatest));
}

}  // namespace windlass::node
