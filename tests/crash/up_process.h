// `windlass up` as a process of its own, to be killed. One at a time; the caller's thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/time.h"

namespace windlass::crash {

class UpProcess {
 public:
  // Starts it at once; what it logs is added to `log_file`. `more` are further flags.
  UpProcess(const std::string& program, const std::string& data_dir, const std::string& log_file,
            std::vector<std::string> more = {"--nodes", "0"});
  ~UpProcess();
  UpProcess(const UpProcess&) = delete;
  UpProcess& operator=(const UpProcess&) = delete;

  // Waits until it says that it is ready; false if it ends, or takes longer than `patience`.
  bool wait_until_ready(Duration patience);
  // SIGKILL; false if it was no longer there to be killed.
  bool kill();
  // Of the process, until it is killed.
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

}  // namespace windlass::crash
