#include "supervisor/child/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "posix/error.h"
#include "supervisor/child/clone.h"

namespace windlass::supervisor {
namespace {

struct Pair {
  posix::FileDescriptor ours;
  posix::FileDescriptor theirs;
};

Result<Pair> make_pipe() {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(posix::system_error("pipe", "output", errno));
  }
  Pair pair{posix::FileDescriptor(ends[0]), posix::FileDescriptor(ends[1])};
  // Only our end: the container's programs expect a blocking one.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pair;
}

Result<Pair> make_input_pipe() {
  TRY(Pair pair, make_pipe());
  std::swap(pair.ours, pair.theirs);
  ::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(pair.theirs.get(), F_SETFL, 0);
  return pair;
}

Result<Pair> make_sync() {
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(posix::system_error("socketpair", "sync", errno));
  }
  Pair pair{posix::FileDescriptor(ends[0]), posix::FileDescriptor(ends[1])};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pair;
}

}  // namespace

uint64_t container_namespaces(const ChildSetting& setting,
                              const env::ContainerConfinement& confinement) {
  if (!setting.namespaces) {
    return 0;
  }
  constexpr uint64_t kKinds = CLONE_NEWNS | CLONE_NEWUTS;
  return kKinds | (confinement.host_pid ? 0 : uint64_t{CLONE_NEWPID}) |
         (confinement.host_ipc ? 0 : uint64_t{CLONE_NEWIPC}) |
         (setting.user_namespace ? uint64_t{CLONE_NEWUSER} : 0);
}

Result<Launched> launch_container(const env::ContainerRequest& request, const ChildSetting& setting,
                                  const ContainerGroup& group,
                                  const std::vector<posix::FileDescriptor>& memory) {
  TRY(Pair sync, make_sync());
  Pair out;
  Pair err;
  if (!request.log_path.empty()) {
    TRY(out, make_pipe());
    TRY(err, make_pipe());
  }
  const env::ContainerConfinement& confinement = request.isolation.confinement;
  // Without a process namespace only the group knows all processes that have to end with it.
  if (confinement.host_pid && setting.namespaces && group.directory() < 0) {
    return fail(plain_error("hostPID needs a cgroup of version 2 around the container"));
  }
  Cloned cloned = clone_process({container_namespaces(setting, confinement), group.directory()});
  if (cloned.pid == 0) {
    sync.ours.reset();  // or it would never see the supervisor's end of it close
    ChildDescriptors descriptors{sync.theirs.get(),
                                 out.theirs.get(),
                                 err.theirs.get(),
                                 group.task_files(),
                                 {{}, group.views()}};
    for (const posix::FileDescriptor& mount : memory) {
      descriptors.view.memory.push_back(mount.get());
    }
    become_container(request, setting, descriptors);
  }
  if (cloned.pid < 0) {
    return fail(posix::system_error("clone", "container", errno));
  }
  return Launched{.pid = cloned.pid,
                  .pidfd = std::move(cloned.pidfd),
                  .sync = std::move(sync.ours),
                  .out = std::move(out.ours),
                  .err = std::move(err.ours),
                  .privileges = privileges_of(request),
                  .program = {request.environment, request.working_directory, request.isolation.uid,
                              request.isolation.gid},
                  .start_ticks = cloned.start_ticks};
}

Result<Launched> launch_command(const env::ContainerExec& exec, const CommandStreams& streams,
                                const Privileges& privileges, int container_pidfd,
                                const ChildSetting& setting, const ContainerGroup& group) {
  TRY(Pair sync, make_sync());
  Pair in;
  Pair out;
  Pair err;
  if (!streams.terminal) {
    TRY(out, make_pipe());
  }
  if (!streams.terminal && streams.separate_errors) {
    TRY(err, make_pipe());
  }
  if (!streams.terminal && streams.input) {
    TRY(in, make_input_pipe());
  }
  Cloned cloned = clone_process({0, group.directory()});
  if (cloned.pid == 0) {
    sync.ours.reset();
    in.ours.reset();  // or it would never read the end of its input
    become_command(exec, privileges, container_pidfd, setting,
                   {.sync = sync.theirs.get(),
                    .out = out.theirs.get(),
                    .err = err.theirs.valid() ? err.theirs.get() : out.theirs.get(),
                    .task_files = group.task_files(),
                    .view = {},
                    .in = in.theirs.get(),
                    .terminal = streams.terminal});
  }
  if (cloned.pid < 0) {
    return fail(posix::system_error("clone", "command", errno));
  }
  return Launched{.pid = cloned.pid,
                  .pidfd = std::move(cloned.pidfd),
                  .sync = std::move(sync.ours),
                  .out = std::move(out.ours),
                  .err = std::move(err.ours),
                  .in = std::move(in.ours)};
}

}  // namespace windlass::supervisor
