#include "supervisor/child/clone.h"

#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <ctime>
#include <string>

#include "supervisor/cgroup/cgroup_files.h"

namespace windlass::supervisor {
namespace {

// What a process that starts now has as its start; of USER_HZ, as everything in /proc.
uint64_t ticks_now() {
  constexpr uint64_t kTicks = 100;
  constexpr uint64_t kNanoseconds = 1'000'000'000;
  timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * kTicks +
         static_cast<uint64_t>(now.tv_nsec) / (kNanoseconds / kTicks);
}

}  // namespace

Cloned clone_process(const CloneOptions& options) {
  int pidfd = -1;
  clone_args arguments = {};
  arguments.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND | options.namespaces;
  arguments.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  if (options.cgroup >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<__u64>(options.cgroup);
  }
  Cloned cloned;
  const uint64_t before = ticks_now();
  cloned.pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (cloned.pid > 0) {
    cloned.pidfd = posix::FileDescriptor(pidfd);
    // Nearly always within one tick: then the kernel need not be asked.
    cloned.start_ticks = ticks_now() == before ? before : process_start_ticks(cloned.pid);
  }
  return cloned;
}

uint64_t process_start_ticks(pid_t pid) {
  const std::string text = read_cgroup(fmt::format("/proc/{}/stat", pid));
  // The name in parentheses may hold anything; the 22nd field is the 20th after it.
  size_t at = text.rfind(')');
  for (int field = 0; field < 20 && at != std::string::npos; ++field) {
    at = text.find(' ', at + 1);
  }
  uint64_t ticks = 0;
  if (at != std::string::npos) {
    std::from_chars(text.data() + at + 1, text.data() + text.size(), ticks);
  }
  return ticks;
}

}  // namespace windlass::supervisor
