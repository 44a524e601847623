// clone3 as a fork with a pidfd, new namespaces, a control group to start in and no handlers of
// signals. Only for a process with one thread: the child may then run ordinary code until it execs.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

struct CloneOptions {
  uint64_t namespaces = 0;  // CLONE_NEW...
  int cgroup = -1;          // directory of a v2 group
};

struct Cloned {
  pid_t pid = -1;  // 0 in the child; -1 and errno when it failed
  posix::FileDescriptor pidfd;
  uint64_t start_ticks = 0;  // as process_start_ticks() has it
};

Cloned clone_process(const CloneOptions& options);

// The start time of a process in ticks since boot; 0 when there is none of this number.
uint64_t process_start_ticks(pid_t pid);

}  // namespace windlass::supervisor
