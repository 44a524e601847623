// Runs tasks one after the other on one thread: what an executor runs never needs a lock against
// what the same executor runs. Real: an epoll loop. Simulated: virtual time, seeded order.
#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"

namespace windlass::env {

using Task = std::function<void()>;

// Names one scheduled task. Zero is never used.
enum class TimerId : uint64_t { none = 0 };

class Executor {
 public:
  virtual ~Executor() = default;

  // Runs the task later, never inside this call. From any thread. Tasks posted by one thread run in
  // the order they were posted in.
  virtual void post(Task task) = 0;

  // Runs the task once the delay has passed by the monotonic clock; a delay of zero or less means
  // as soon as possible, but never inside this call. From the executor's own thread.
  virtual TimerId schedule(Duration delay, Task task) = 0;

  // The task will not run any more. Cancelling one that has run, or `none`, does nothing. From the
  // executor's own thread.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace windlass::env
