#include "posix/posix_processes.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/check.h"
#include "posix/error.h"
#include "posix/spawn.h"

namespace windlass::posix {
namespace {

constexpr int kSignalBase = 128;

FileDescriptor open_pidfd(pid_t pid) {
  // Close-on-exec by itself.
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

// waitid on a pidfd, repeated when a signal interrupts it.
int wait_for(int pidfd, siginfo_t& info, int options) {
  int result = 0;
  do {
    info = {};
    result = ::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, options);
  } while (result != 0 && errno == EINTR);
  return result;
}

env::ProcessExit exit_of(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) {
    return {info.si_status, 0};
  }
  return {kSignalBase + info.si_status, info.si_status};
}

}  // namespace

PosixProcesses::PosixProcesses(EventLoop& loop) : loop_(loop) {}

PosixProcesses::~PosixProcesses() {
  for (const auto& [id, child] : children_) {
    ::kill(-child.pid, SIGKILL);
  }
  for (auto& [id, child] : children_) {
    siginfo_t ignored;
    wait_for(child.pidfd.get(), ignored, WEXITED);
    loop_.unwatch(child.watch);
  }
}

Result<env::ProcessId> PosixProcesses::spawn(const env::SpawnRequest& request,
                                             std::function<void(env::ProcessExit)> on_exit) {
  TRY(const pid_t pid, spawn_process(request));
  Child child;
  child.pid = pid;
  child.pidfd = open_pidfd(pid);
  if (!child.pidfd.valid()) {
    const int error = errno;
    // Without it the exit would go unseen, so the process must not live either.
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return fail(system_error("pidfd_open", request.command[0], error));
  }
  const int64_t id = ++last_id_;
  child.watch = loop_.watch(child.pidfd.get(), EPOLLIN, [this, id](uint32_t) { child_ended(id); });
  child.on_exit = std::move(on_exit);
  children_.emplace(id, std::move(child));
  return env::ProcessId{id};
}

void PosixProcesses::signal(env::ProcessId process, int signal_number) {
  const auto found = children_.find(static_cast<int64_t>(process));
  // Until it is reaped, the number of the group cannot be given to another.
  if (found != children_.end()) {
    ::kill(-found->second.pid, signal_number);
  }
}

void PosixProcesses::child_ended(int64_t id) {
  const auto found = children_.find(id);
  CHECK(found != children_.end(), "a watched child is known");
  siginfo_t info;
  // First only looked at: while the leader is a zombie, its group's number is still its own, and
  // what it left behind can be killed without hitting a stranger.
  const int looked = wait_for(found->second.pidfd.get(), info, WEXITED | WNOHANG | WNOWAIT);
  if (looked == 0 && info.si_pid == 0) {
    return;  // woken without an exit
  }
  env::ProcessExit exit{kSignalBase + SIGKILL, SIGKILL};
  if (looked == 0) {
    ::kill(-found->second.pid, SIGKILL);
    if (wait_for(found->second.pidfd.get(), info, WEXITED | WNOHANG) == 0 && info.si_pid != 0) {
      exit = exit_of(info);
    }
  }
  // Where somebody else has reaped it (ECHILD), the exit is unknown and is never called a success.
  Child child = std::move(found->second);
  children_.erase(found);
  loop_.unwatch(child.watch);
  child.pidfd.reset();
  child.on_exit(exit);
}

}  // namespace windlass::posix
