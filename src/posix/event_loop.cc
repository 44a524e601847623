#include "posix/event_loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/check.h"

namespace windlass::posix {
namespace {

constexpr uint64_t kWakeup = 0;  // the event's id for the eventfd; watches count from 1

epoll_event event_for(uint64_t id, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  return event;
}

}  // namespace

EventLoop::EventLoop(env::Clock& clock)
    : clock_(clock),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(epoll_.valid() && wakeup_.valid(), "cannot create an epoll set and an eventfd");
  // Edge-triggered: every write to it is told once, and its count need not be read.
  epoll_event event = event_for(kWakeup, EPOLLIN | EPOLLET);
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wakeup_.get(), &event) == 0, "epoll_ctl");
}

EventLoop::~EventLoop() {
  for (const auto& [id, watch] : watches_) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, watch->fd, nullptr);
  }
  // Destroying a callback may unwatch others, so not while the map itself is going.
  const auto watches = std::exchange(watches_, {});
}

void EventLoop::post(env::Task task) {
  bool was_asleep = false;
  {
    const std::lock_guard lock(mutex_);
    CHECK(posted_.size() < kMaxPosted, "an event loop is flooded");
    posted_.push_back(std::move(task));
    was_asleep = std::exchange(asleep_, false);
  }
  // A loop that runs looks here before it sleeps, and one wake-up for a batch is enough.
  if (was_asleep) {
    wake();
  }
}

bool EventLoop::try_run(const env::Task& task) {
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn || !is_asleep()) {
    return false;
  }
  const std::optional<MonotonicTime> waits_until = timers_.next_due();
  const std::thread::id waiting = owner_.exchange(std::this_thread::get_id());
  task();
  owner_.store(waiting);
  const std::optional<MonotonicTime> due = timers_.next_due();
  if (due && (!waits_until || *due < *waits_until)) {
    wake();
  }
  return true;
}

env::TimerId EventLoop::schedule(Duration delay, env::Task task) {
  check_own_thread();
  return timers_.add(env::due_after(clock_.monotonic(), delay), std::move(task));
}

void EventLoop::cancel(env::TimerId timer) {
  check_own_thread();
  timers_.cancel(timer);
}

void EventLoop::run() {
  const std::lock_guard turn(turn_);
  CHECK(owner_.exchange(std::this_thread::get_id()) == std::thread::id(), "run() inside run()");
  while (true) {
    run_due_timers();
    if (run_posted()) {
      break;
    }
    wait_and_dispatch(fall_asleep() ? wait_limit() : 0);
  }
  owner_.store(std::thread::id());
}

void EventLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
}

WatchId EventLoop::watch(int fd, uint32_t epoll_events, EventCallback callback) {
  check_own_thread();
  const uint64_t id = ++last_watch_;
  epoll_event event = event_for(id, epoll_events);
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0, "watch a descriptor once");
  watches_.emplace(id, std::make_shared<Watch>(Watch{fd, std::move(callback)}));
  return WatchId{id};
}

void EventLoop::change(WatchId watch, uint32_t epoll_events) {
  check_own_thread();
  const auto id = static_cast<uint64_t>(watch);
  const auto found = watches_.find(id);
  CHECK(found != watches_.end(), "change() of what is not watched");
  epoll_event event = event_for(id, epoll_events);
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, found->second->fd, &event) == 0, "epoll_ctl");
}

void EventLoop::unwatch(WatchId watch) {
  check_own_thread();
  const auto found = watches_.find(static_cast<uint64_t>(watch));
  if (found == watches_.end()) {
    return;
  }
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second->fd, nullptr) == 0,
        "unwatch before close");
  watches_.erase(found);
}

void EventLoop::check_own_thread() const {
  const std::thread::id owner = owner_.load();
  CHECK(owner == std::thread::id() || owner == std::this_thread::get_id(),
        "only for the event loop's own thread");
}

bool EventLoop::is_asleep() {
  const std::lock_guard lock(mutex_);
  return asleep_;
}

void EventLoop::wake() {
  const uint64_t one = 1;
  // EAGAIN means the counter is full, and then the loop wakes up anyway.
  const ssize_t written = ::write(wakeup_.get(), &one, sizeof one);
  CHECK(written == sizeof one || errno == EAGAIN, "eventfd");
}

bool EventLoop::fall_asleep() {
  const std::lock_guard lock(mutex_);
  asleep_ = posted_.empty();
  return asleep_;
}

bool EventLoop::run_posted() {
  std::vector<env::Task> tasks;
  bool stop = false;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(posted_);
    stop = std::exchange(stopping_, false);
  }
  for (env::Task& task : tasks) {
    // Moved out, so that what a task holds is gone before the next one runs.
    const env::Task running = std::move(task);
    running();
  }
  return stop;
}

void EventLoop::run_due_timers() {
  const MonotonicTime now = clock_.monotonic();
  for (int i = 0; i < kMaxTimersPerTurn; ++i) {
    const std::optional<env::Task> task = timers_.take_due(now);
    if (!task) {
      return;
    }
    (*task)();
  }
}

int EventLoop::wait_limit() {
  const std::optional<MonotonicTime> due = timers_.next_due();
  if (!due) {
    return -1;
  }
  // Rounded up: waking before the timer is due would spin.
  const auto wait = std::chrono::ceil<milliseconds>(*due - clock_.monotonic()).count();
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp<int64_t>(wait, 0, kMax));
}

void EventLoop::wait_and_dispatch(int timeout) {
  std::array<epoll_event, kMaxEventsPerTurn> events;
  turn_.unlock();
  const int count = ::epoll_wait(epoll_.get(), events.data(), kMaxEventsPerTurn, timeout);
  const int error = errno;
  turn_.lock();
  CHECK(count >= 0 || error == EINTR, "epoll_wait");
  {
    const std::lock_guard lock(mutex_);
    asleep_ = false;
  }
  for (int i = 0; i < count; ++i) {
    // Copied: the kernel's struct is packed, so that nothing may refer to a part of it.
    const epoll_event event = events[static_cast<size_t>(i)];
    const uint64_t id = event.data.u64;
    if (id == kWakeup) {
      continue;  // it has done its work
    }
    // Looked up for each event: an earlier callback of this turn may have unwatched it.
    const auto found = watches_.find(id);
    if (found != watches_.end()) {
      const std::shared_ptr<Watch> watch = found->second;
      watch->callback(event.events);
    }
  }
}

}  // namespace windlass::posix
