// How fast one user may write events: a component that reports without end fills the store, and
// the queue of every watcher of events. Admins have no such limit. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "base/rate_limit.h"
#include "base/time.h"

namespace windlass::apiserver {

class EventRates {
 public:
  // As many as a kubelet writes at most by itself; a burst is for a node that starts many pods.
  static constexpr double kPerSecond = 50;
  static constexpr double kBurst = 1000;
  // More users than these begin anew together.
  static constexpr size_t kMaxUsers = 4096;

  // False when the user has to wait.
  bool take(const std::string& user, MonotonicTime now) {
    const std::lock_guard lock(mutex_);
    if (rates_.size() >= kMaxUsers && !rates_.contains(user)) {
      rates_.clear();
    }
    return rates_.try_emplace(user, kPerSecond, kBurst).first->second.take(now) == Duration::zero();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, RateLimit> rates_;
};

}  // namespace windlass::apiserver
