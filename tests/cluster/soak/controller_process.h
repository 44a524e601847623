// `windlass controller` as a process of its own, whose memory can be told from everybody else's.
// The caller's thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace windlass::cluster_tests {

class ControllerProcess {
 public:
  // Starts it at once, with a Lease that lasts so long; what it says goes to `log_file`.
  ControllerProcess(const std::string& program, const std::string& kubeconfig,
                    std::chrono::seconds lease, const std::string& log_file);
  ~ControllerProcess();
  ControllerProcess(const ControllerProcess&) = delete;
  ControllerProcess& operator=(const ControllerProcess&) = delete;

  // How it ended, if it has: its exit code, or 128 and the signal.
  std::optional<int> ended();
  // SIGTERM, and how it ended.
  int stop();

  int64_t resident_kb() const;
  Duration cpu() const;

 private:
  std::optional<int> wait(int flags);

  pid_t pid_ = -1;
  std::optional<int> code_;
};

}  // namespace windlass::cluster_tests
