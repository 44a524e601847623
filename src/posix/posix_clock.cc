#include "posix/posix_clock.h"

namespace windlass::posix {

Time PosixClock::now() {
  return std::chrono::system_clock::now();
}

MonotonicTime PosixClock::monotonic() {
  return std::chrono::steady_clock::now();
}

}  // namespace windlass::posix
