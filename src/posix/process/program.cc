#include "posix/process/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/time.h"
#include "posix/error.h"
#include "posix/process/find_program.h"
#include "posix/process/stoppable_programs.h"

namespace windlass::posix {

namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

// Ours, and over it what was asked for.
std::vector<std::string> environment_with(const std::vector<std::string>& additions) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const bool replaced =
        std::any_of(additions.begin(), additions.end(),
                    [each](const std::string& added) { return name_of(added) == name_of(*each); });
    if (!replaced) {
      all.emplace_back(*each);
    }
  }
  all.insert(all.end(), additions.begin(), additions.end());
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// A group of its own, so that its children can be killed with it; nothing of ours but the streams.
Result<pid_t> spawn_program(const std::string& path, std::vector<std::string> command,
                            std::vector<std::string> environment, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, path.c_str(), &actions, &attributes,
                                  pointers_to(command).data(), pointers_to(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return fail(system_error("exec", path, error));
  }
  return pid;
}

}  // namespace

Program::Program(EventLoop& loop, const ProgramRequest& request, Done done)
    : loop_(loop),
      name_(request.command.empty() ? "" : request.command.front()),
      max_output_bytes_(request.max_output_bytes),
      done_(std::move(done)) {}

Program::~Program() {
  loop_.cancel(timer_);
  loop_.unwatch(process_watch_);
  loop_.unwatch(output_watch_);
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

Result<std::unique_ptr<Program>> Program::start(EventLoop& loop, const ProgramRequest& request,
                                                Done done) {
  std::unique_ptr<Program> program(new Program(loop, request, std::move(done)));
  TRY_VOID(program->spawn(request));
  return program;
}

Result<void> Program::spawn(const ProgramRequest& request) {
  std::vector<std::string> environment = environment_with(request.environment);
  TRY(const std::string path, find_program(request.command, environment));
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(system_error("pipe", name_, errno));
  }
  output_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  TRY(pid_, spawn_program(path, request.command, std::move(environment), theirs.get()));
  process_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!process_.valid()) {
    return fail(system_error("pidfd_open", name_, errno));
  }
  process_watch_ = loop_.watch(process_.get(), EPOLLIN, [this](uint32_t) { on_end(); });
  output_watch_ = loop_.watch(output_.get(), EPOLLIN, [this](uint32_t) { read_output(); });
  timer_ = loop_.schedule(request.time_limit, [this, limit = request.time_limit] {
    stop(fmt::format("{} has not ended within {}", name_, format_duration(limit)));
  });
  return {};
}

void Program::read_output() {
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
    if (got > 0) {
      text_.append(buffer.data(), static_cast<size_t>(got));
      if (text_.size() > max_output_bytes_) {
        return stop(fmt::format("{} writes more than {} bytes", name_, max_output_bytes_));
      }
    } else if (got == 0 || errno != EINTR) {
      if (got == 0 || errno != EAGAIN) {
        loop_.unwatch(std::exchange(output_watch_, WatchId::none));
      }
      return;
    }
  }
}

// What it wrote is in the pipe by now. Who else still holds that is not waited for.
void Program::on_end() {
  // Before it is reaped: until then the number is its own.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  read_output();
  if (failure_.empty() && status != 0) {
    failure_ = WIFSIGNALED(status)
                   ? fmt::format("{} was ended by signal {}", name_, WTERMSIG(status))
                   : fmt::format("{} ended with exit code {}", name_, WEXITSTATUS(status));
  }
  loop_.cancel(std::exchange(timer_, env::TimerId::none));
  loop_.unwatch(std::exchange(output_watch_, WatchId::none));
  loop_.unwatch(std::exchange(process_watch_, WatchId::none));
  const Done done = std::exchange(done_, nullptr);  // which may destroy this
  done(failure_.empty() ? Result<std::string>(std::move(text_)) : fail(plain_error(failure_)));
}

// It is told when the process has ended.
void Program::stop(std::string why) {
  failure_ = std::move(why);
  loop_.unwatch(std::exchange(output_watch_, WatchId::none));
  if (pid_ > 0) {  // 0 would be our own group
    ::kill(-pid_, SIGKILL);
  }
}

Result<void> run_program(const std::vector<std::string>& command) {
  return StoppablePrograms().run(command);
}

}  // namespace windlass::posix
