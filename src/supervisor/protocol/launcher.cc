#include "supervisor/protocol/launcher.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/check.h"
#include "posix/error.h"
#include "posix/files/posix_files.h"

namespace windlass::supervisor {
namespace {

constexpr mode_t kSupervisorLogMode = 0600;

Result<pid_t> spawn_supervisor(const std::string& program, const std::string& directory) {
  TRY_VOID(posix::PosixFiles().make_directory(directory));
  const std::string log = directory + "/supervisor.log";
  std::array<std::string, 4> words = {"windlass", "supervisor", "--dir", directory};
  std::array<char*, 5> arguments = {words[0].data(), words[1].data(), words[2].data(),
                                    words[3].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, kSupervisorLogMode);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  // A session of its own: neither a Ctrl-C nor the end of the agent reaches it.
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return fail(posix::system_error("exec", program, error));
  }
  return pid;
}

}  // namespace

Launcher::Launcher(posix::EventLoop& loop, std::vector<std::string> programs, std::string directory)
    : loop_(loop), programs_(std::move(programs)), directory_(std::move(directory)) {
  CHECK(!programs_.empty(), "there is one to start");
}

Launcher::~Launcher() {
  for (const auto& [pidfd, child] : children_) {
    loop_.unwatch(child.watch);
  }
}

Result<pid_t> Launcher::spawn() const {
  Result<pid_t> pid = spawn_supervisor(programs_.front(), directory_);
  for (size_t next = 1; !pid && next < programs_.size(); ++next) {
    pid = spawn_supervisor(programs_[next], directory_);
  }
  return pid;
}

Result<void> Launcher::launch() {
  TRY(const pid_t pid, spawn());
  posix::FileDescriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid()) {
    return fail(posix::system_error("pidfd_open", "supervisor", errno));
  }
  const int number = pidfd.get();
  const posix::WatchId watch =
      loop_.watch(number, EPOLLIN, [this, number](uint32_t) { on_end(number); });
  children_.emplace(number, Child{std::move(pidfd), watch});
  return {};
}

void Launcher::on_end(int pidfd) {
  siginfo_t info = {};
  if (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | WNOHANG) != 0 ||
      info.si_pid == 0) {
    return;
  }
  const auto found = children_.find(pidfd);
  loop_.unwatch(found->second.watch);
  children_.erase(found);
}

}  // namespace windlass::supervisor
