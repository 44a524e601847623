// The command of a session (`kubectl exec`): it is started, watched and hung up here, while its
// streams belong to the session's client, which reads and writes them itself. Lives on the event
// loop's thread, owned by ContainerSessions, which destroys it after `on_done`, not inside it.
// Destroyed earlier, it leaves its process to PR_SET_PDEATHSIG.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/child/launch.h"
#include "supervisor/protocol/messages.h"

namespace windlass::supervisor {

class SessionProcess {
 public:
  struct Handlers {
    // Once, before on_done; not when it could not be started. As of SessionStarted.
    std::function<void(std::vector<posix::FileDescriptor>)> on_streams;
    std::function<void(const SessionEnded&)> on_done;
  };

  SessionProcess(posix::EventLoop& loop, Launched launched, bool terminal, Handlers handlers);
  ~SessionProcess();
  SessionProcess(const SessionProcess&) = delete;
  SessionProcess& operator=(const SessionProcess&) = delete;

  // The command gets SIGHUP, and SIGKILL when that does not end it.
  void hang_up();
  void kill();

 private:
  // True when something came.
  bool read_sync();
  void on_end();
  void stop_watching();

  posix::EventLoop& loop_;
  Launched launched_;
  Handlers handlers_;
  std::string error_;
  bool hung_up_ = false;
  posix::WatchId sync_watch_ = posix::WatchId::none;
  posix::WatchId process_watch_ = posix::WatchId::none;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::supervisor
