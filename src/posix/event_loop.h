// The real executor: one thread, an epoll set, timers, and tasks posted from any thread.
//
// Tasks, timers and descriptor callbacks run inside run(), on the thread that called it, and inside
// try_run(), on a thread that found the loop idle: one at a time always. post(), try_run() and
// stop() are for any thread; everything else for the thread whose turn it is, or before run(). The
// loop does not own the descriptors it watches: unwatch() first, close() after.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "env/clock.h"
#include "env/executor.h"
#include "env/timer_queue.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {

// Names one watched descriptor, never reused: an event that epoll reports late for a descriptor
// number that now means something else finds no watch and is dropped.
enum class WatchId : uint64_t { none = 0 };

class EventLoop final : public env::Executor {
 public:
  // Posting this much without the loop getting to it is a runaway producer.
  static constexpr size_t kMaxPosted = 4'000'000;
  static constexpr int kMaxEventsPerTurn = 256;
  // So that descriptors get their turn when timers keep coming due.
  static constexpr int kMaxTimersPerTurn = 1024;

  explicit EventLoop(env::Clock& clock);
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void post(env::Task task) override;
  // Runs the task inside this call, as if the loop did, when it has nothing else to do: a short
  // task is done sooner than another thread wakes up. False, and nothing is run, when it is busy or
  // not running.
  bool try_run(const env::Task& task);
  env::TimerId schedule(Duration delay, env::Task task) override;
  void cancel(env::TimerId timer) override;

  // Until stop(). What was posted before stop() still runs; what comes later waits for the next
  // run().
  void run();
  void stop();

  using EventCallback = std::function<void(uint32_t epoll_events)>;
  // `epoll_events` is EPOLLIN, EPOLLOUT, ... (level-triggered). The callback may unwatch itself.
  WatchId watch(int fd, uint32_t epoll_events, EventCallback callback);
  void change(WatchId watch, uint32_t epoll_events);
  // Its callback will not run any more. Unknown ids and `none` do nothing.
  void unwatch(WatchId watch);

 private:
  struct Watch {
    int fd;
    EventCallback callback;
  };

  bool is_asleep();
  void check_own_thread() const;
  void wake();
  // True when nothing is posted: then the next post() wakes the loop.
  bool fall_asleep();
  // True when stop() was called; what was posted before has run by then.
  bool run_posted();
  void run_due_timers();
  // Milliseconds epoll may wait; -1 without an end.
  int wait_limit();
  void wait_and_dispatch(int timeout);

  env::Clock& clock_;
  FileDescriptor epoll_;
  FileDescriptor wakeup_;
  env::TimerQueue timers_;
  std::unordered_map<uint64_t, std::shared_ptr<Watch>> watches_;
  uint64_t last_watch_ = 0;
  std::atomic<std::thread::id> owner_;  // whose turn it is; none outside run()

  std::mutex turn_;  // held while tasks run; free while the loop waits
  std::mutex mutex_;
  std::vector<env::Task> posted_;  // under mutex_
  bool stopping_ = false;          // under mutex_
  bool asleep_ = false;            // under mutex_: in epoll_wait, or about to be
};

}  // namespace windlass::posix
