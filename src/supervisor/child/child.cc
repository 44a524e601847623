#include "supervisor/child/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <tuple>

#include "base/quote.h"
#include "posix/error.h"
#include "posix/files/file_descriptor.h"
#include "posix/process/find_program.h"
#include "supervisor/child/capabilities.h"
#include "supervisor/child/clone.h"
#include "supervisor/child/launch.h"
#include "supervisor/child/mounts.h"
#include "supervisor/child/terminal.h"

namespace windlass::supervisor {
namespace {

constexpr mode_t kUmask = 022;
// Not 0, which means nothing to a core_pattern that is a program; 1 keeps the kernel from it.
constexpr rlimit kNoCoreDumps = {1, 1};

[[noreturn]] void give_up(int sync, const Status& why) {
  const std::string text = child_error_text(why);
  [[maybe_unused]] const ssize_t sent = ::send(sync, text.data(), text.size(), MSG_NOSIGNAL);
  ::_exit(kChildFailedCode);
}

// What was handled is not since the clone; what is ignored would stay so.
void reset_signals() {
  for (const int number : kIgnoredSignals) {
    ::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Dies with the supervisor. Changing user forgets this, so it is said again after that.
void die_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

Result<void> write_file(const char* path, const std::string& text) {
  const posix::FileDescriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  if (!file.valid() ||
      ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail(posix::system_error("write", path, errno));
  }
  return {};
}

Result<void> join_groups(const std::vector<int>& task_files) {
  for (const int file : task_files) {
    if (::write(file, "0", 1) != 1) {
      return fail(posix::system_error("join", "cgroup", errno));
    }
  }
  return {};
}

Result<void> set_standard_streams(const ChildDescriptors& descriptors) {
  const posix::FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) {
    return fail(posix::system_error("open", "/dev/null", errno));
  }
  const int in = descriptors.in >= 0 ? descriptors.in : null.get();
  const int out = descriptors.out >= 0 ? descriptors.out : null.get();
  const int err = descriptors.err >= 0 ? descriptors.err : null.get();
  if (::dup2(in, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(err, STDERR_FILENO) < 0) {
    return fail(posix::system_error("dup2", "standard streams", errno));
  }
  return {};
}

struct Identity {
  std::optional<uint32_t> uid;
  std::optional<uint32_t> gid;
  Privileges privileges;
};

// While it may still give them up: before the change of user.
Result<void> drop_capabilities(const Privileges& privileges, const ChildSetting& setting) {
  const auto& [added, dropped] =
      std::tie(privileges.confinement.add_capabilities, privileges.confinement.drop_capabilities);
  const bool wishes = !added.empty() || !dropped.empty();
  // In a user namespace they are good for nothing outside; only a wish is worth the calls.
  if (privileges.privileged || (!wishes && (setting.user_namespace || setting.outer_uid != 0))) {
    return {};
  }
  std::vector<int> own;
  if (wishes) {
    TRY(own, capabilities_to_drop(added, dropped));
  }
  for (const int capability : wishes ? own : setting.dropped_capabilities) {
    // One that the supervisor itself does not have is not there to be dropped.
    if (::prctl(PR_CAPBSET_DROP, capability) != 0 && wishes &&
        ::prctl(PR_CAPBSET_READ, capability) == 1 && setting.outer_uid == 0) {
      return fail(posix::system_error("prctl", "capabilities", errno));
    }
  }
  return {};
}

Result<void> take_identity(const Identity& identity, const ChildSetting& setting) {
  TRY_VOID(drop_capabilities(identity.privileges, setting));
  if (setting.user_namespace) {
    return {};  // the maps have done it
  }
  if (setting.outer_uid == 0) {
    // /dev/stdout can be opened again by the user it belongs to.
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      struct stat info = {};
      if (identity.uid && ::fstat(stream, &info) == 0 &&
          (S_ISFIFO(info.st_mode) || ::isatty(stream) == 1)) {
        [[maybe_unused]] const int changed =
            ::fchown(stream, *identity.uid, identity.gid.value_or(setting.outer_gid));
      }
    }
    const std::vector<uint32_t>& groups = identity.privileges.groups;
    if (::setgroups(groups.size(), groups.data()) != 0) {
      return fail(posix::system_error("setgroups", "supplementary groups", errno));
    }
  }
  if (identity.gid && ::setresgid(*identity.gid, *identity.gid, *identity.gid) != 0) {
    return fail(posix::system_error("setgid", fmt::format("{}", *identity.gid), errno));
  }
  if (identity.uid && ::setresuid(*identity.uid, *identity.uid, *identity.uid) != 0) {
    return fail(posix::system_error("setuid", fmt::format("{}", *identity.uid), errno));
  }
  return {};
}

Result<void> filter_calls(const Privileges& privileges, const ChildSetting& setting) {
  const auto& [added, dropped] =
      std::tie(privileges.confinement.add_capabilities, privileges.confinement.drop_capabilities);
  if (added.empty() && dropped.empty()) {
    return install_syscall_filter(setting.filter);
  }
  TRY(const std::vector<int> without, capabilities_to_drop(added, dropped));
  return install_syscall_filter(make_syscall_filter(kept_capabilities(without)));
}

// What is said about the process itself, once it is where it belongs.
Result<void> finish_setting(const Identity& identity, const ChildSetting& setting,
                            const std::string& directory) {
  ::setrlimit(RLIMIT_NOFILE, &setting.descriptors);
  ::setrlimit(RLIMIT_CORE, &kNoCoreDumps);
  // The kernel counts a user's processes in each user namespace by themselves.
  if (const rlim_t most = identity.privileges.max_processes; setting.user_namespace && most != 0) {
    const rlimit processes = {most, most};
    ::setrlimit(RLIMIT_NPROC, &processes);
  }
  // With the filter no key is in reach. Kernels without keys have no keyring to leave.
  if (identity.privileges.unfiltered &&
      ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 && errno != ENOSYS) {
    return fail(posix::system_error("keyctl", "a session keyring", errno));
  }
  TRY_VOID(take_identity(identity, setting));
  // After the change of user: whether it may enter is its own matter.
  if (::chdir(directory.empty() ? "/" : directory.c_str()) != 0) {
    return fail(posix::system_error("chdir", directory, errno));
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(posix::system_error("prctl", "no_new_privs", errno));
  }
  die_with_parent();
  if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    return fail(posix::system_error("close_range", "descriptors", errno));
  }
  return identity.privileges.unfiltered ? Result<void>()
                                        : filter_calls(identity.privileges, setting);
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& each : strings) {
    pointers.push_back(const_cast<char*>(each.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// The byte that lets it go; the end of the supervisor instead of one ends it too.
void await_go(int sync) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(sync, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1 || byte != kGo) {
    ::_exit(kChildFailedCode);
  }
}

[[noreturn]] void execute(int sync, const std::vector<std::string>& command,
                          const std::vector<std::string>& environment) {
  const auto program = posix::find_program(command, environment);
  if (!program) {
    give_up(sync, program.error());
  }
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);
  await_go(sync);
  ::execve(program->c_str(), arguments.data(), variables.data());
  give_up(sync, posix::system_error("exec", quote(*program), errno));
}

Result<void> prepare_container(const env::ContainerRequest& request, const ChildSetting& setting,
                               const ChildDescriptors& descriptors) {
  const env::ContainerIsolation& isolation = request.isolation;
  TRY_VOID(join_groups(descriptors.task_files));
  if (setting.user_namespace) {
    TRY_VOID(map_ids(setting, isolation.uid, isolation.gid));
  }
  TRY_VOID(set_standard_streams(descriptors));
  if (setting.namespaces) {
    // Now that it is in its groups: what it sees of them begins with its own.
    if (!isolation.privileged && ::unshare(CLONE_NEWCGROUP) != 0) {
      return fail(posix::system_error("unshare", "cgroup namespace", errno));
    }
    TRY_VOID(make_container_view(isolation, setting.machine, descriptors.view));
    if (!isolation.hostname.empty() &&
        ::sethostname(isolation.hostname.data(), isolation.hostname.size()) != 0) {
      return fail(posix::system_error("sethostname", isolation.hostname, errno));
    }
  } else if (!isolation.root.empty() || !isolation.mounts.empty()) {
    return fail(
        plain_error("images and volumes need a mount namespace, which this node does not have"));
  } else if (isolation.confinement.read_only_root || !isolation.confinement.sysctls.empty()) {
    return fail(plain_error(
        "readOnlyRootFilesystem and sysctls need namespaces of the container's own, which are not "
        "to be had"));
  }
  return finish_setting({isolation.uid, isolation.gid, privileges_of(request)}, setting,
                        request.working_directory);
}

// The processes of the container that this one enters see it before it has become the command. It
// is a copy of the supervisor: they look neither into its memory nor at what it has open.
void hide_from_container(int sync) {
  ::prctl(PR_SET_DUMPABLE, 0);  // until the program is executed
  ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(sync) - 1, 0);
  ::close_range(static_cast<unsigned>(sync) + 1, ~0U, 0);
}

// Ends as the command ends. Killed, it takes the command with it (PR_SET_PDEATHSIG): so it heeds no
// hang-up, of which the command makes what it likes.
// Descriptors that it kept would hold open what others wait for the end of.
[[noreturn]] void wait_and_end_as(pid_t command) {
  ::signal(SIGHUP, SIG_IGN);
  ::close_range(0, ~0U, 0);
  int status = 0;
  while (::waitpid(command, &status, 0) < 0 && errno == EINTR) {
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status));
}

}  // namespace

Privileges privileges_of(const env::ContainerRequest& request) {
  const env::ContainerIsolation& isolation = request.isolation;
  return {isolation.groups, isolation.privileged, isolation.confinement,
          isolation.privileged || isolation.boundary.unfiltered, request.limits.pids};
}

std::string child_error_text(const Status& why) {
  return why.reason + "\n" + why.message;
}

Status child_error(std::string_view text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string reason(text.substr(0, end));
  const std::string message(text.substr(std::min(end + 1, text.size())));
  return reason.empty() ? plain_error(message) : env::not_created(message, reason);
}

Result<void> map_ids(const ChildSetting& setting, std::optional<uint32_t> uid,
                     std::optional<uint32_t> gid) {
  TRY_VOID(write_file("/proc/self/setgroups", "deny"));
  TRY_VOID(write_file("/proc/self/uid_map",
                      fmt::format("{} {} 1", uid.value_or(setting.outer_uid), setting.outer_uid)));
  return write_file("/proc/self/gid_map",
                    fmt::format("{} {} 1", gid.value_or(setting.outer_gid), setting.outer_gid));
}

void become_container(const env::ContainerRequest& request, const ChildSetting& setting,
                      const ChildDescriptors& descriptors) {
  die_with_parent();
  reset_signals();
  ::setsid();
  ::umask(kUmask);
  if (const auto ready = prepare_container(request, setting, descriptors); !ready) {
    give_up(descriptors.sync, ready.error());
  }
  execute(descriptors.sync, request.command, request.environment);
}

void become_probe(const ChildSetting& setting) {
  Result<void> ready;
  if (setting.user_namespace) {
    ready = map_ids(setting, std::nullopt, std::nullopt);
  }
  if (ready && ::unshare(CLONE_NEWCGROUP) != 0) {
    ready = fail(posix::system_error("unshare", "cgroup namespace", errno));
  }
  if (ready) {
    ready = make_container_view({}, setting.machine, {});
  }
  ::_exit(ready ? 0 : kChildFailedCode);
}

void become_command(const env::ContainerExec& exec, const Privileges& privileges,
                    int container_pidfd, const ChildSetting& setting,
                    const ChildDescriptors& descriptors) {
  die_with_parent();
  reset_signals();
  ::setsid();
  ::umask(kUmask);
  const int sync = descriptors.sync;
  Result<void> ready = join_groups(descriptors.task_files);
  if (ready) {
    ready = set_standard_streams(descriptors);
  }
  if (!ready) {
    give_up(sync, ready.error());
  }
  if (setting.namespaces) {
    const auto kinds =
        static_cast<int>(container_namespaces(setting, privileges.confinement) | CLONE_NEWCGROUP);
    if (::setns(container_pidfd, kinds) != 0) {
      give_up(sync, posix::system_error("setns", "the container's namespaces", errno));
    }
    hide_from_container(sync);
    // A process does not enter a pid namespace itself; its children do.
    const Cloned command = clone_process({});
    if (command.pid < 0) {
      give_up(sync, posix::system_error("clone", "command", errno));
    }
    if (command.pid > 0) {
      wait_and_end_as(command.pid);
    }
    die_with_parent();
  }
  if (descriptors.terminal) {
    ready = take_terminal(sync);
  }
  if (ready) {
    ready = finish_setting({exec.uid, exec.gid, privileges}, setting, exec.working_directory);
  }
  if (!ready) {
    give_up(sync, ready.error());
  }
  execute(sync, exec.command, exec.environment);
}

}  // namespace windlass::supervisor
