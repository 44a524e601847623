// The timers of one executor: what is due first comes out first, and of those due at the same
// moment the one added first. Shared by the real and the simulated executors. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "env/executor.h"

namespace windlass::env {

class TimerQueue {
 public:
  // More timers than this are a leak, not a load.
  static constexpr size_t kMaxTimers = 16'000'000;

  TimerId add(MonotonicTime due, Task task);
  void cancel(TimerId timer);
  // Cancels all. Ids handed out before stay unused.
  void clear();

  bool empty() const { return tasks_.empty(); }
  size_t size() const { return tasks_.size(); }
  std::optional<MonotonicTime> next_due() const;
  // Removes and returns the first task that is due at `now`, or nothing.
  std::optional<Task> take_due(MonotonicTime now);

 private:
  std::map<std::pair<MonotonicTime, uint64_t>, Task> tasks_;
  std::unordered_map<uint64_t, MonotonicTime> due_;  // finds the key of a timer; never iterated
  uint64_t last_id_ = 0;
};

// now + delay without overflow; a negative delay means now.
MonotonicTime due_after(MonotonicTime now, Duration delay);

}  // namespace windlass::env
