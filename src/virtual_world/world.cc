#include "virtual_world/world.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace windlass::virtual_world {
namespace {

// Independent streams from one seed, so that drawing more from one does not move the others.
uint64_t stream_seed(uint64_t seed, std::string_view stream) {
  StableHash hash;
  hash.add(seed);
  hash.add(stream);
  return hash.value();
}

}  // namespace

void SeededRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const uint64_t value = generator_.next();
    const size_t count = std::min(bytes.size(), sizeof value);
    std::memcpy(bytes.data(), &value, count);
    bytes = bytes.subspan(count);
  }
}

void VirtualExecutor::post(env::Task task) {
  CHECK(posted_.size() < kMaxPosted, "an executor is flooded");
  posted_.push_back(std::move(task));
}

env::TimerId VirtualExecutor::schedule(Duration delay, env::Task task) {
  return timers_.add(env::due_after(clock_.monotonic(), delay), std::move(task));
}

void VirtualExecutor::cancel(env::TimerId timer) {
  timers_.cancel(timer);
}

void VirtualExecutor::clear() {
  timers_.clear();
  // Moved out first: destroying a task may post or cancel.
  const std::deque<env::Task> posted = std::exchange(posted_, {});
}

VirtualWorld::VirtualWorld(uint64_t seed)
    : seed_(seed),
      schedule_(stream_seed(seed, "schedule")),
      choices_(stream_seed(seed, "choices")),
      random_(stream_seed(seed, "random")),
      faults_(stream_seed(seed, "faults")) {
  trace_.add(seed);
  log_.set_observer([this](const std::string& line) { trace(line); });
}

VirtualWorld::~VirtualWorld() {
  for (const auto& executor : executors_) {
    executor->clear();
  }
}

VirtualExecutor& VirtualWorld::executor(std::string_view name) {
  for (const auto& executor : executors_) {
    if (executor->name() == name) {
      return *executor;
    }
  }
  executors_.push_back(
      std::unique_ptr<VirtualExecutor>(new VirtualExecutor(std::string(name), clock_)));
  return *executors_.back();
}

bool VirtualWorld::step() {
  size_t ready = 0;
  for (const auto& executor : executors_) {
    ready += size_t{is_ready(*executor)};
  }
  if (ready == 0) {
    return false;
  }
  // Nothing is drawn where there is no choice.
  size_t chosen = ready == 1 ? 0 : schedule_.uniform(ready);
  for (const auto& executor : executors_) {
    if (is_ready(*executor) && chosen-- == 0) {
      run_one(*executor);
      return true;
    }
  }
  CHECK(false, "one of the ready executors is chosen");
}

bool VirtualWorld::run_until_idle(uint64_t max_steps) {
  for (uint64_t done = 0; done < max_steps;) {
    if (step()) {
      ++done;
    } else if (!advance(MonotonicTime::max())) {
      return true;
    }
  }
  return false;
}

void VirtualWorld::run_for(Duration duration) {
  CHECK(duration <= hours(24 * 365 * 100), "more time than the clock has");
  const MonotonicTime end = env::due_after(clock_.monotonic(), duration);
  uint64_t done = 0;
  while (step() || advance(end)) {
    CHECK(++done < kMaxSteps, "virtual time does not pass");
  }
  clock_.elapsed_ = end.time_since_epoch();
}

bool VirtualWorld::run_until(const std::function<bool()>& predicate, Duration limit) {
  const MonotonicTime end = env::due_after(clock_.monotonic(), limit);
  uint64_t done = 0;
  while (!predicate()) {
    if (!step() && !advance(end)) {
      return false;
    }
    CHECK(++done < kMaxSteps, "virtual time does not pass");
  }
  return true;
}

void VirtualWorld::trace(std::string_view text) {
  trace_.add(static_cast<uint64_t>(clock_.elapsed_.count()));
  trace_.add(text);
}

std::optional<MonotonicTime> VirtualWorld::next_due() const {
  std::optional<MonotonicTime> earliest;
  for (const auto& executor : executors_) {
    const std::optional<MonotonicTime> due = executor->timers_.next_due();
    if (!executor->paused_ && due && (!earliest || *due < *earliest)) {
      earliest = due;
    }
  }
  return earliest;
}

bool VirtualWorld::is_ready(const VirtualExecutor& executor) const {
  if (executor.paused_) {
    return false;
  }
  const std::optional<MonotonicTime> due = executor.timers_.next_due();
  return !executor.posted_.empty() || (due && *due <= MonotonicTime(clock_.elapsed_));
}

void VirtualWorld::run_one(VirtualExecutor& executor) {
  ++steps_;
  const MonotonicTime now = clock_.monotonic();
  const std::optional<MonotonicTime> due = executor.timers_.next_due();
  const bool timer_is_due = due && *due <= now;
  const bool take_timer = timer_is_due && (executor.posted_.empty() || schedule_.chance(0.5));
  trace_.add(executor.name_);
  trace_.add(static_cast<uint64_t>(now.time_since_epoch().count()));
  trace_.add(uint64_t{take_timer});
  if (take_timer) {
    const std::optional<env::Task> task = executor.timers_.take_due(now);
    (*task)();
    return;
  }
  const env::Task task = std::move(executor.posted_.front());
  executor.posted_.pop_front();
  task();
}

bool VirtualWorld::advance(MonotonicTime end) {
  const std::optional<MonotonicTime> due = next_due();
  if (!due || *due > end) {
    return false;
  }
  // A timer that came due while its executor was paused does not turn time back.
  clock_.elapsed_ = std::max(clock_.elapsed_, due->time_since_epoch());
  return true;
}

}  // namespace windlass::virtual_world
