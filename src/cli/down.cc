#include "cli/down.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>

#include "cli/up_nodes.h"
#include "posix/data_directory.h"
#include "posix/error.h"
#include "posix/file_descriptor.h"

namespace windlass::cli {
namespace {

constexpr size_t kMaxLockBytes = 64;

// The process that says in the lock file that the directory is its own.
Result<pid_t> owner_of(env::Files& files, const std::string& data_dir) {
  TRY(const std::string text, files.read(data_dir + "/lock", kMaxLockBytes));
  pid_t pid = 0;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  if (pid <= 0) {
    return fail(plain_error(fmt::format("{}/lock does not say which process it is", data_dir)));
  }
  return pid;
}

// SIGPWR is what a machine that goes down sends; `windlass up` then ends its pods and itself.
Result<void> end_process(pid_t pid) {
  const posix::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid() ||
      ::syscall(SYS_pidfd_send_signal, process.get(), SIGPWR, nullptr, 0) != 0) {
    return errno == ESRCH
               ? Result<void>()
               : fail(posix::system_error("signal process", fmt::format("{}", pid), errno));
  }
  pollfd end = {process.get(), POLLIN, 0};
  while (::poll(&end, 1, -1) < 0) {
    if (errno != EINTR) {
      return fail(posix::system_error("wait for process", fmt::format("{}", pid), errno));
    }
  }
  return {};
}

// Kills what supervisors without an agent hold.
void end_supervisors(const std::vector<std::string>& directories, posix::EventLoop& loop,
                     const ContainerFactory& containers) {
  size_t left = directories.size();
  std::vector<std::shared_ptr<env::Containers>> open;
  for (const std::string& directory : directories) {
    open.push_back(containers(directory, ContainerLife::outlive_owner));
    open.back()->shut_down([&left, &loop] {
      if (--left == 0) {
        loop.stop();
      }
    });
  }
  if (left > 0) {
    loop.run();
  }
}

}  // namespace

ExitCode take_down(const DownOptions& options, env::Files& files, posix::EventLoop& loop,
                   const ContainerFactory& containers, Output& output) {
  if (!files.type(options.data_dir)) {
    output.err(fmt::format("error: there is no {}\n", options.data_dir));
    return ExitCode::failed;
  }
  const auto held = posix::open_data_directory(options.data_dir);
  if (held) {
    end_supervisors(supervisor_directories(files, options.data_dir), loop, containers);
    output.err(fmt::format("nothing runs with {}\n", options.data_dir));
    return ExitCode::ok;
  }
  Result<void> ended = fail(held.error());
  if (const Result<pid_t> owner = owner_of(files, options.data_dir)) {
    ended = end_process(*owner);
  }
  if (!ended) {
    output.err(fmt::format("error: {}\n", ended.error().message));
    return ExitCode::failed;
  }
  // One that was killed instead of ending by itself leaves its supervisors, and what they hold.
  if (posix::open_data_directory(options.data_dir)) {
    end_supervisors(supervisor_directories(files, options.data_dir), loop, containers);
  }
  output.err("stopped\n");
  return ExitCode::ok;
}

}  // namespace windlass::cli
