#include "supervisor/server/serve.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "posix/error.h"
#include "posix/event_loop.h"
#include "posix/files/data_directory.h"
#include "posix/posix_clock.h"
#include "posix/posix_log.h"
#include "posix/process/inherited.h"
#include "posix/signals.h"
#include "supervisor/child/child.h"

namespace windlass::supervisor {
namespace {

Result<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  if (!real) {
    return fail(posix::system_error("realpath", path, errno));
  }
  return std::string(real.get());
}

// Containers do not inherit the signals that the parent of the supervisor ignores.
void set_ignored_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action = {};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
      ::signal(number, SIG_DFL);
    }
  }
  for (const int number : kIgnoredSignals) {
    ::signal(number, SIG_IGN);
  }
}

}  // namespace

Result<void> serve(const SupervisorOptions& options) {
  set_ignored_signals();
  // Not made here: one that is gone by now was removed on purpose.
  SupervisorOptions resolved = options;
  TRY(resolved.directory, real_path(options.directory));
  TRY(const auto directory, posix::open_data_directory(resolved.directory));
  rlimit inherited = {};
  ::getrlimit(RLIMIT_NOFILE, &inherited);
  const size_t descriptors = posix::raise_descriptor_limit();
  // The parent may be in a directory that is to be unmounted.
  if (::chdir("/") != 0) {
    return fail(posix::system_error("chdir", "/", errno));
  }
  ::prctl(PR_SET_NAME, "supervisor");  // it may have been started by the number of a descriptor
  posix::PosixClock clock;
  posix::PosixLog log(clock, env::LogLevel::info);
  posix::EventLoop loop(clock);
  Supervisor supervisor(loop, clock, log, resolved, descriptors, inherited);
  const posix::Signals signals(loop, {SIGTERM, SIGINT}, [&](int) { supervisor.shut_down(); });
  TRY_VOID(supervisor.start());
  loop.run();
  return {};
}

}  // namespace windlass::supervisor
