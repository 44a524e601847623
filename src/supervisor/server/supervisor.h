// The process that holds the containers of one node. It knows nothing of pods: it starts what it is
// asked to, once per id (container_runs.h), and keeps going when the agent that asked is gone
// (agent_listener.h). One thread, one event loop, little memory.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "env/clock.h"
#include "env/log.h"
#include "posix/event_loop.h"
#include "supervisor/log/log_file.h"
#include "supervisor/server/agent_listener.h"
#include "supervisor/server/container_runs.h"

namespace windlass::supervisor {

struct SupervisorOptions {
  std::string directory;
  LogLimits logs;
  // For machines, and tests, without them.
  bool use_namespaces = true;
  bool use_cgroups = true;
  // Without an agent and without containers for this long, it ends: an agent that comes later
  // starts another one, and what is to be told is in the journal.
  Duration end_when_idle_for = seconds(10);
};

class Supervisor final : private AgentListener::Handler, private ContainerRuns::Owner {
 public:
  // The caller holds the directory's lock for as long as this lives.
  Supervisor(posix::EventLoop& loop, env::Clock& clock, env::Log& log, SupervisorOptions options,
             size_t max_descriptors, rlimit inherited_descriptors);
  ~Supervisor() { loop_.cancel(look_timer_); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Ends the containers that an earlier one left, and listens. The loop stops when the supervisor
  // is done.
  Result<void> start();
  // Kills everything, records it, and stops the loop.
  void shut_down();

 private:
  void on_agent() override;
  void on_message(const Message& message) override;
  void on_end_with_agent() override { shut_down(); }
  void send(const Message& message) override { agents_.send(message); }
  uint32_t agent_version() const override { return agents_.version(); }
  void on_committed() override { stop_if_done(); }
  void on_session(uint64_t number, const OpenSession& order) override {
    runs_.open_session(number, order);
  }
  void on_session_closed(uint64_t number) override { runs_.hang_up(number); }
  void send_to_session(uint64_t number, const Message& message,
                       std::vector<posix::FileDescriptor> descriptors) override {
    agents_.send_to_session(number, message, std::move(descriptors));
  }
  void close_session(uint64_t number) override { agents_.close_session(number); }

  void stop_if_done();
  void look_whether_needed();

  posix::EventLoop& loop_;
  env::Clock& clock_;
  env::Log& log_;
  const SupervisorOptions options_;
  AgentListener agents_;
  ContainerRuns runs_;
  uint64_t directory_inode_ = 0;
  env::TimerId look_timer_ = env::TimerId::none;
  MonotonicTime last_needed_;
  bool shutting_down_ = false;
};

}  // namespace windlass::supervisor
