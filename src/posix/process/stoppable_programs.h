// Programs that run to their end on the threads that start them, until another thread stops them
// all.
//
// Any thread. Outlives its calls.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace windlass::posix {

class StoppablePrograms {
 public:
  // Runs a program to its end, with our standard streams and environment. command[0] is looked up
  // in PATH. An error where it cannot be started, or ends with anything but 0. Blocks.
  Result<void> run(const std::vector<std::string>& command);
  // Sends SIGKILL to those that run; none is started any more.
  void stop();

 private:
  std::mutex mutex_;
  std::set<pid_t> running_;  // and not reaped: their numbers are theirs
  bool stopped_ = false;
};

}  // namespace windlass::posix
