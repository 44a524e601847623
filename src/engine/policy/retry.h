// When a kind of write may be tried again after the server refused it: 1 s, doubling to 60 s (0.2).
// Results come without a time, so the wait starts at the next settle(). Value; owned by Engine.
#pragma once

#include <algorithm>
#include <optional>

#include "base/time.h"
#include "engine/types.h"

namespace windlass::engine {

class Retry {
 public:
  void failed() { failed_ = true; }
  void succeeded() { succeeded_ = true; }

  // Called when all answers of a round are in.
  void settle(Time now, const Options& options) {
    if (succeeded_) {
      wait_ = Duration::zero();  // some progress: start again from the shortest wait
      not_before_.reset();
    }
    if (failed_) {
      wait_ = std::min(std::max(wait_ * 2, options.retry_base), options.retry_cap);
      not_before_ = now + wait_;
    }
    failed_ = succeeded_ = false;
  }
  bool open(Time now) const { return !not_before_ || *not_before_ <= now; }
  std::optional<Time> not_before() const { return not_before_; }
  Duration wait() const { return wait_; }  // the last one; zero after a success

 private:
  friend class Fingerprint;
  bool failed_ = false;
  bool succeeded_ = false;
  Duration wait_ = Duration::zero();
  std::optional<Time> not_before_;
};

}  // namespace windlass::engine
