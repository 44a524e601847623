#include "posix/process/run_program.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "posix/error.h"

namespace windlass::posix {

Result<void> run_program(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t pid = 0;
  if (const int error =
          ::posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ);
      error != 0) {
    return fail(system_error("run", command[0], error));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) {
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

}  // namespace windlass::posix
