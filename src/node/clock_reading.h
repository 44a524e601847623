// What both clocks say at one moment, for code that decides and reads no clock itself. Delays pass
// by the monotonic time; wall time is what the API shows, and all that a restarted agent knows.
#pragma once

#include "base/time.h"

namespace windlass::node {

struct ClockReading {
  Time wall;
  MonotonicTime monotonic;
};

}  // namespace windlass::node
