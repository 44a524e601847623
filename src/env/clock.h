#pragma once

#include "base/time.h"

namespace windlass::env {

// The only source of time. Wall time may jump; monotonic time never goes back. Any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() = 0;
  virtual MonotonicTime monotonic() = 0;
};

}  // namespace windlass::env
