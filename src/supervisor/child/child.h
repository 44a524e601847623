// What a process does between clone and exec to become a container, or a command in one. It is a
// copy of the supervisor, which has one thread, so ordinary code may run; it never returns.
//
// Over `sync` it waits for one byte before exec: the supervisor has then recorded that it may run.
// An error is written to `sync` as child_error_text(). The socket closes at exec, which says that
// it worked.
#pragma once

#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/containers.h"
#include "supervisor/child/boundary.h"
#include "supervisor/child/mounts.h"
#include "supervisor/child/syscall_filter.h"

namespace windlass::supervisor {

constexpr char kGo = 'g';
constexpr int kChildFailedCode = 127;
// What a shell adds to the number of the signal that ended a process.
constexpr int kSignalBase = 128;
// By the supervisor, and not by containers: a reader that is gone and a file that is as long as it
// may be are errors of write().
inline constexpr std::array kIgnoredSignals = {SIGPIPE, SIGXFSZ};

// Taken before the clone: what the child needs to know of the supervisor.
struct ChildSetting {
  bool namespaces = false;
  bool user_namespace = false;
  uint32_t outer_uid = 0;
  uint32_t outer_gid = 0;
  rlimit descriptors = {};  // as the supervisor found it
  // Of a container without privileges and without a wish of its own (capabilities.h).
  std::vector<int> dropped_capabilities;
  MachineFiles machine = {};
  SyscallFilter filter = {};  // for these capabilities
};

// What the processes of a container have beside their user; commands in it have the same.
struct Privileges {
  std::vector<uint32_t> groups;
  bool privileged = false;
  env::ContainerConfinement confinement = {};
  bool unfiltered = false;
  uint64_t max_processes = 0;  // 0 is no limit
};

// How a container's program begins; commands of a session begin in the same way.
struct ProgramSetting {
  std::vector<std::string> environment;
  std::string working_directory;
  std::optional<uint32_t> uid;
  std::optional<uint32_t> gid;
};

Privileges privileges_of(const env::ContainerRequest& request);

struct ChildDescriptors {
  int sync = -1;
  int out = -1;
  int err = -1;
  std::vector<int> task_files;  // of v1 groups to join
  ViewSources view;             // memory as of shared_memory.h
  int in = -1;                  // nothing to read
  bool terminal = false;        // of a command, instead of the three streams
};

// A Status as the text that a child sends, and back. The reason tells what the container's fault is
// not: one that could not be created has one (env::not_created), one that could not be started has
// none.
std::string child_error_text(const Status& why);
Status child_error(std::string_view text);

// In a new user namespace: one user and one group are all that it gives without privileges.
Result<void> map_ids(const ChildSetting& setting, std::optional<uint32_t> uid,
                     std::optional<uint32_t> gid);

[[noreturn]] void become_container(const env::ContainerRequest& request,
                                   const ChildSetting& setting,
                                   const ChildDescriptors& descriptors);

// Joins the namespaces of the process that `container_pidfd` names, becomes the command in them,
// and ends as it ends.
[[noreturn]] void become_command(const env::ContainerExec& exec, const Privileges& privileges,
                                 int container_pidfd, const ChildSetting& setting,
                                 const ChildDescriptors& descriptors);

// Tries what become_container would do in new namespaces, and exits with 0 when all of it works.
[[noreturn]] void become_probe(const ChildSetting& setting);

}  // namespace windlass::supervisor
