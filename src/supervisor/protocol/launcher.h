// Starts `<program> supervisor --dir <directory>` in a session of its own, with its messages in
// `<directory>/supervisor.log`: the first of the programs that can be started. The supervisor goes
// on when this is destroyed; one that ends before is reaped, so that none stays behind as a zombie
// of a long-lived agent.
//
// Lives on the event loop's thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

class Launcher {
 public:
  Launcher(posix::EventLoop& loop, std::vector<std::string> programs, std::string directory);
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  Result<void> launch();
  // Started here and not yet seen to have ended.
  size_t running() const { return children_.size(); }

 private:
  struct Child {
    posix::FileDescriptor pidfd;
    posix::WatchId watch = posix::WatchId::none;
  };

  Result<pid_t> spawn() const;
  void on_end(int pidfd);

  posix::EventLoop& loop_;
  std::vector<std::string> programs_;
  std::string directory_;
  std::map<int, Child> children_;  // by the number of the pidfd
};

}  // namespace windlass::supervisor
