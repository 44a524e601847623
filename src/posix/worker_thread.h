// An executor with a thread of its own, for work that blocks: what a part of the program gets in
// simulation as a second executor of the world. post() is for any thread; timers only for tasks
// that run on it. The destructor waits until everything posted before has run.
#pragma once

#include <string>
#include <thread>

#include "posix/event_loop.h"

namespace windlass::posix {

class WorkerThread final : public env::Executor {
 public:
  // `name` is what top and gdb show; at most 15 characters of it.
  WorkerThread(env::Clock& clock, const std::string& name);
  ~WorkerThread() override;
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  void post(env::Task task) override { loop_.post(std::move(task)); }
  env::TimerId schedule(Duration delay, env::Task task) override {
    return loop_.schedule(delay, std::move(task));
  }
  void cancel(env::TimerId timer) override { loop_.cancel(timer); }

 private:
  EventLoop loop_;
  std::thread thread_;
};

}  // namespace windlass::posix
