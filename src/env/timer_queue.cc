#include "env/timer_queue.h"

#include <algorithm>

#include "base/check.h"

namespace windlass::env {

TimerId TimerQueue::add(MonotonicTime due, Task task) {
  CHECK(tasks_.size() < kMaxTimers, "timers leak");
  const uint64_t id = ++last_id_;
  tasks_.emplace(std::pair(due, id), std::move(task));
  due_.emplace(id, due);
  return TimerId{id};
}

void TimerQueue::cancel(TimerId timer) {
  const auto found = due_.find(static_cast<uint64_t>(timer));
  if (found == due_.end()) {
    return;
  }
  // The task is destroyed last: its destructor may come back to this queue.
  const auto node = tasks_.extract(std::pair(found->second, found->first));
  due_.erase(found);
}

void TimerQueue::clear() {
  due_.clear();
  const auto tasks = std::exchange(tasks_, {});
}

std::optional<MonotonicTime> TimerQueue::next_due() const {
  if (tasks_.empty()) {
    return std::nullopt;
  }
  return tasks_.begin()->first.first;
}

std::optional<Task> TimerQueue::take_due(MonotonicTime now) {
  if (tasks_.empty() || tasks_.begin()->first.first > now) {
    return std::nullopt;
  }
  auto node = tasks_.extract(tasks_.begin());
  due_.erase(node.key().second);
  return std::move(node.mapped());
}

MonotonicTime due_after(MonotonicTime now, Duration delay) {
  const Duration wait = std::max(delay, Duration::zero());
  return wait > MonotonicTime::max() - now ? MonotonicTime::max() : now + wait;
}

}  // namespace windlass::env
