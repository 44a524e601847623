// Starts the process that will be a container, or a command in one, as far as its barrier: pipes,
// the socket it waits on, and the clone. Errors here mean that nothing was started.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "env/containers.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/cgroup/cgroups.h"
#include "supervisor/child/child.h"

namespace windlass::supervisor {

struct Launched {
  pid_t pid = 0;
  posix::FileDescriptor pidfd;
  posix::FileDescriptor sync;  // see child.h; non-blocking
  posix::FileDescriptor out;   // reading ends, non-blocking; not valid when output is discarded
  posix::FileDescriptor err;
  posix::FileDescriptor in = {};  // writing end, non-blocking
  Privileges privileges = {};
  ProgramSetting program = {};  // of a container
  uint64_t start_ticks = 0;     // of the process, as process_start_ticks() has it
};

// `memory` as in child.h.
Result<Launched> launch_container(const env::ContainerRequest& request, const ChildSetting& setting,
                                  const ContainerGroup& group,
                                  const std::vector<posix::FileDescriptor>& memory);

struct CommandStreams {
  bool input = false;            // else it is empty
  bool separate_errors = false;  // else stdout and stderr both arrive at `out`
  bool terminal = false;         // instead of all: its other end comes over `sync` (terminal.h)
};

Result<Launched> launch_command(const env::ContainerExec& exec, const CommandStreams& streams,
                                const Privileges& privileges, int container_pidfd,
                                const ChildSetting& setting, const ContainerGroup& group);

// CLONE_NEW... for a container.
uint64_t container_namespaces(const ChildSetting& setting,
                              const env::ContainerConfinement& confinement = {});

}  // namespace windlass::supervisor
