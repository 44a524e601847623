#pragma once

#include "env/clock.h"

namespace windlass::posix {

// The clocks of the operating system. Any thread.
class PosixClock final : public env::Clock {
 public:
  Time now() override;
  MonotonicTime monotonic() override;
};

}  // namespace windlass::posix
