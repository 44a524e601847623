// So many requests a second and no more, with a burst that may come at once: a bucket of tokens
// that fills evenly. One thread.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace windlass::http {

class RateLimit {
 public:
  // Without a rate there is no limit. A burst of less than one is one.
  RateLimit(double per_second, double burst)
      : per_second_(per_second), burst_(std::max(burst, 1.0)), tokens_(burst_) {}

  // Zero: go, and it is counted. Otherwise how long until the next one may.
  Duration take(MonotonicTime now) {
    if (per_second_ <= 0) {
      return Duration::zero();
    }
    if (filled_ != MonotonicTime()) {
      const double gone = std::chrono::duration<double>(now - filled_).count();
      tokens_ = std::min(burst_, tokens_ + gone * per_second_);
    }
    filled_ = now;
    if (tokens_ >= 1) {
      tokens_ -= 1;
      return Duration::zero();
    }
    // Rounded up, so that a token is there after the wait.
    return std::chrono::ceil<microseconds>(
               std::chrono::duration<double>((1 - tokens_) / per_second_)) +
           microseconds(1);
  }

 private:
  const double per_second_;
  const double burst_;
  double tokens_;
  MonotonicTime filled_ = {};
};

}  // namespace windlass::http
