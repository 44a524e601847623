#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace windlass::env {

enum class ProcessId : int64_t {};

struct SpawnRequest {
  std::vector<std::string> command;      // argv; command[0] is looked up in PATH of `environment`
  std::vector<std::string> environment;  // NAME=value, the whole environment of the process
  std::string working_directory;         // "" keeps the current one
  std::string output_path;               // stdout and stderr are appended here; "" discards them
};

struct ProcessExit {
  int code = 0;    // exit status, or 128 + signal
  int signal = 0;  // 0 when the process ended by itself
};

// Child processes, each the leader of its own process group. Lives on an executor's thread, and
// reports there. When a process ends, what is left of its group is killed, as the end of a
// container's first process does. When the owner is destroyed, all groups still alive are killed.
class Processes {
 public:
  virtual ~Processes() = default;

  // `on_exit` runs exactly once, later, if spawn succeeded and this object still lives.
  virtual Result<ProcessId> spawn(const SpawnRequest& request,
                                  std::function<void(ProcessExit)> on_exit) = 0;
  // To the whole group; does nothing once the process has been reported as ended.
  virtual void signal(ProcessId process, int signal_number) = 0;
};

}  // namespace windlass::env
