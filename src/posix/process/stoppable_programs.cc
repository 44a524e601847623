#include "posix/process/stoppable_programs.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "posix/error.h"

namespace windlass::posix {

Result<void> StoppablePrograms::run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t pid = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return fail(plain_error(fmt::format("{} was stopped", command[0])));
    }
    if (const int error =
            ::posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ);
        error != 0) {
      return fail(system_error("run", command[0], error));
    }
    running_.insert(pid);
  }
  siginfo_t ended = {};
  while (::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  int status = 0;
  {
    const std::lock_guard lock(mutex_);
    running_.erase(pid);
    if (::waitpid(pid, &status, 0) < 0) {
      return fail(system_error("wait for", command[0], errno));
    }
  }
  if (WIFSIGNALED(status)) {
    return fail(
        plain_error(fmt::format("{} was killed by signal {}", command[0], WTERMSIG(status))));
  }
  if (WEXITSTATUS(status) != 0) {
    return fail(plain_error(fmt::format("{} ended with {}", command[0], WEXITSTATUS(status))));
  }
  return {};
}

void StoppablePrograms::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const pid_t pid : running_) {
    ::kill(pid, SIGKILL);
  }
}

}  // namespace windlass::posix
