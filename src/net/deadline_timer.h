// Wakes its owner at a deadline that moves often: a timer that comes too early looks at the
// deadline and goes on, so that mostly none has to be set. Lives on the event loop.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "env/clock.h"
#include "env/executor.h"

namespace windlass::net {

class DeadlineTimer {
 public:
  DeadlineTimer(env::Executor& loop, env::Clock& clock, std::function<void()> on_due)
      : loop_(loop), clock_(clock), on_due_(std::move(on_due)) {}
  ~DeadlineTimer() { cancel(); }
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  void set(MonotonicTime deadline) {
    deadline_ = deadline;
    if (timer_ == env::TimerId::none || timer_due_ > deadline) {
      schedule();
    }
  }
  // Earlier where it was later; there may be several deadlines.
  void set_earlier(MonotonicTime deadline) {
    if (!deadline_ || deadline < *deadline_) {
      set(deadline);
    }
  }
  // There is nothing to wait for.
  void clear() { deadline_.reset(); }
  void cancel() {
    clear();
    loop_.cancel(std::exchange(timer_, env::TimerId::none));
  }

 private:
  void schedule() {
    loop_.cancel(timer_);
    timer_due_ = *deadline_;
    timer_ = loop_.schedule(timer_due_ - clock_.monotonic(), [this] { on_timer(); });
  }
  void on_timer() {
    timer_ = env::TimerId::none;
    if (!deadline_) {
      return;
    }
    if (clock_.monotonic() < *deadline_) {
      return schedule();
    }
    deadline_.reset();
    const auto on_due = on_due_;  // it may destroy this
    on_due();
  }

  env::Executor& loop_;
  env::Clock& clock_;
  const std::function<void()> on_due_;
  std::optional<MonotonicTime> deadline_;
  env::TimerId timer_ = env::TimerId::none;
  MonotonicTime timer_due_ = {};
};

}  // namespace windlass::net
