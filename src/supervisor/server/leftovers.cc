#include "supervisor/server/leftovers.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "posix/files/file_descriptor.h"
#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/child/clone.h"

namespace windlass::supervisor {

bool end_marked_process(ProcessMark process, Duration patience) {
  if (process.pid <= 0 || process_start_ticks(process.pid) != process.start_ticks) {
    return true;
  }
  const posix::FileDescriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  // Asked again now that the descriptor holds it: the number may have changed hands between.
  if (!pidfd.valid() || process_start_ticks(process.pid) != process.start_ticks) {
    return true;
  }
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  pollfd wait = {pidfd.get(), POLLIN, 0};
  const auto limit = std::chrono::duration_cast<milliseconds>(patience).count();
  return ::poll(&wait, 1, static_cast<int>(limit)) == 1;
}

std::string boot_id() {
  std::string text = read_cgroup("/proc/sys/kernel/random/boot_id");
  text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
  return text;
}

}  // namespace windlass::supervisor
