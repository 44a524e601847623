// Child processes through posix_spawn: glibc starts them with CLONE_VM|CLONE_VFORK, so a big parent
// costs nothing, and the child runs no code of ours. Each is the leader of its own process group,
// has /dev/null as input, no other descriptors of ours, no blocked signals and default handlers.
//
// Lives on the event loop's thread. An exit is seen through a pidfd in the loop. spawn() blocks
// that thread for the time of one exec, about a millisecond.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>

#include "env/processes.h"
#include "posix/event_loop.h"
#include "posix/file_descriptor.h"

namespace windlass::posix {

class PosixProcesses final : public env::Processes {
 public:
  explicit PosixProcesses(EventLoop& loop);
  // Kills and reaps all groups; their on_exit does not run.
  ~PosixProcesses() override;
  PosixProcesses(const PosixProcesses&) = delete;
  PosixProcesses& operator=(const PosixProcesses&) = delete;

  Result<env::ProcessId> spawn(const env::SpawnRequest& request,
                               std::function<void(env::ProcessExit)> on_exit) override;
  void signal(env::ProcessId process, int signal_number) override;

  size_t running() const { return children_.size(); }

 private:
  struct Child {
    pid_t pid = 0;
    FileDescriptor pidfd;
    WatchId watch = WatchId::none;
    std::function<void(env::ProcessExit)> on_exit;
  };

  void child_ended(int64_t id);

  EventLoop& loop_;
  // Ids are ours, not pids: a pid may come again.
  std::map<int64_t, Child> children_;
  int64_t last_id_ = 0;
};

}  // namespace windlass::posix
