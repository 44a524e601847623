// One container from its clone to the moment when nothing of it is left: its first process, its
// groups and its log. Says what happens through a Listener; decides nothing about what is recorded.
//
// Lives on the event loop's thread, owned by the supervisor, which destroys it after `ended` or
// `failed`, not inside them. Destroyed earlier, it leaves its process to PR_SET_PDEATHSIG.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "env/clock.h"
#include "env/containers.h"
#include "posix/event_loop.h"
#include "supervisor/child/launch.h"
#include "supervisor/log/log_pump.h"

namespace windlass::supervisor {

class Container {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void started(const std::string& id) = 0;
    // It never became the container's program.
    virtual void failed(const std::string& id, const Status& why) = 0;
    virtual void ended(const std::string& id, const env::ContainerExit& exit) = 0;
  };

  Container(posix::EventLoop& loop, env::Clock& clock, Listener& listener, std::string id,
            std::unique_ptr<ContainerGroup> group, std::unique_ptr<LogFile> log, Launched launched);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // Past the barrier: the intent to run it is on disk.
  void release();
  void signal(int number);
  // All of it, now.
  void kill();
  // Instead of release(): it is killed and reported as failed.
  void abandon(const Status& why);

  pid_t pid() const { return launched_.pid; }
  int pidfd() const { return launched_.pidfd.get(); }
  const Privileges& privileges() const { return launched_.privileges; }
  const ProgramSetting& program() const { return launched_.program; }
  bool running() const { return state_ == State::running; }
  const ContainerGroup& group() const { return *group_; }

 private:
  enum class State { waiting, released, running, ending, over };

  void watch_oom();
  void on_oom();
  void on_sync();
  void on_process_end();
  // Reports the end once the groups are empty and gone; looks again while they are not.
  void finish();
  void stop_watching();

  posix::EventLoop& loop_;
  env::Clock& clock_;
  Listener& listener_;
  std::string id_;
  std::unique_ptr<ContainerGroup> group_;
  Launched launched_;
  std::unique_ptr<LogPump> pump_;
  State state_ = State::waiting;
  std::optional<Status> error_;  // of a start that failed
  std::vector<int> early_signals_;
  env::ContainerExit exit_;
  Duration look_again_;
  posix::WatchId sync_watch_ = posix::WatchId::none;
  posix::WatchId process_watch_ = posix::WatchId::none;
  posix::WatchId oom_watch_ = posix::WatchId::none;
  env::TimerId timer_ = env::TimerId::none;
  env::TimerId oom_timer_ = env::TimerId::none;
  int oom_looks_ = 0;
};

// waitid on a pidfd, repeated when a signal interrupts it. False when there is nothing to know:
// not ended yet, or (as lost) reaped elsewhere.
struct ProcessEnd {
  int code = 137;
  int signal = 9;
  bool known = false;
  // Of the process and of those that it waited for; the memory is that of the largest.
  uint64_t peak_memory_bytes = 0;
  uint64_t cpu_microseconds = 0;
};
ProcessEnd wait_for_end(int pidfd, int options);

}  // namespace windlass::supervisor
