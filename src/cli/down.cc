#include "cli/down.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/up_nodes.h"
#include "posix/data_directory.h"
#include "posix/error.h"
#include "posix/file_descriptor.h"

namespace windlass::cli {
namespace {

// The directory, so that no `windlass up` comes in between. Without a name: another `windlass down`
// must not take this process for one.
struct Hold {
  Result<std::unique_ptr<env::DataDirectory>> directory;
  bool in_use = false;  // by somebody else
};

Hold take_hold(const std::string& data_dir) {
  const auto open = [&data_dir] {
    return posix::open_data_directory(data_dir, posix::LockName::none);
  };
  Hold hold{open(), false};
  hold.in_use = !hold.directory && posix::data_directory_in_use(data_dir);
  if (!hold.directory && !hold.in_use) {
    hold.directory = open();  // whoever had it may have ended just now
  }
  return hold;
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
  const auto fail_with = [&output](const Status& status) {
    output.err(fmt::format("error: {}\n", status.message));
    return ExitCode::failed;
  };
  if (const Hold hold = take_hold(options.data_dir); !hold.in_use) {
    if (!hold.directory) {
      return fail_with(hold.directory.error());
    }
    end_supervisors(supervisor_directories(files, options.data_dir), loop, containers);
    output.err(fmt::format("nothing runs with {}\n", options.data_dir));
    return ExitCode::ok;
  }
  const Result<pid_t> owner = posix::data_directory_owner(options.data_dir);
  if (!owner) {
    return fail_with(owner.error());
  }
  if (const Result<void> ended = end_process(*owner); !ended) {
    return fail_with(ended.error());
  }
  // One that was killed instead of ending by itself leaves its supervisors, and what they hold.
  const std::vector<std::string> left = supervisor_directories(files, options.data_dir);
  if (const Hold hold = take_hold(options.data_dir); hold.directory) {
    end_supervisors(left, loop, containers);
  } else if (!hold.in_use && std::any_of(left.begin(), left.end(), posix::data_directory_in_use)) {
    return fail_with(hold.directory.error());
  }
  output.err("stopped\n");
  return ExitCode::ok;
}

}  // namespace windlass::cli
