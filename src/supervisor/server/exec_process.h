// One command in a running container: a probe or a hook. Collects what it prints, up to a limit,
// and kills it when its time is over. Lives on the event loop's thread, owned by the supervisor,
// which destroys it after `on_done`, not inside it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "env/containers.h"
#include "posix/event_loop.h"
#include "supervisor/child/launch.h"

namespace windlass::supervisor {

class ExecProcess {
 public:
  using OnDone = std::function<void(Result<env::ContainerExecResult>)>;

  ExecProcess(posix::EventLoop& loop, Launched launched, Duration timeout,
              uint64_t max_output_bytes, OnDone on_done);
  ~ExecProcess();
  ExecProcess(const ExecProcess&) = delete;
  ExecProcess& operator=(const ExecProcess&) = delete;

 private:
  void read_output();
  void on_end();
  void stop_watching();

  posix::EventLoop& loop_;
  Launched launched_;
  uint64_t max_output_bytes_;
  OnDone on_done_;
  env::ContainerExecResult result_;
  posix::WatchId output_watch_ = posix::WatchId::none;
  posix::WatchId process_watch_ = posix::WatchId::none;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::supervisor
