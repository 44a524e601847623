#include "posix/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/quote.h"
#include "posix/error.h"
#include "posix/file_descriptor.h"

namespace windlass::posix {
namespace {

// What a shell without PATH would search.
constexpr std::string_view kDefaultPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr mode_t kOutputMode = 0600;

std::string_view path_of(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  // The last one wins, as with a later env entry of a container.
  for (auto entry = environment.rbegin(); entry != environment.rend(); ++entry) {
    if (entry->starts_with(kName)) {
      return std::string_view(*entry).substr(kName.size());
    }
  }
  return kDefaultPath;
}

// 0, or the errno that explains why it cannot be run.
int executable_error(int directory, const std::string& path) {
  struct stat info = {};
  if (::fstatat(directory, path.c_str(), &info, 0) != 0) {
    return errno;
  }
  if (!S_ISREG(info.st_mode) || ::faccessat(directory, path.c_str(), X_OK, AT_EACCESS) != 0) {
    return EACCES;
  }
  return 0;
}

Status program_error(const std::string& program, std::string_view reason) {
  return plain_error(fmt::format("exec: {}: {}", quote(program), reason));
}

// posix_spawn's two parameter objects, released together.
class SpawnParameters {
 public:
  SpawnParameters() {
    CHECK(::posix_spawnattr_init(&attributes_) == 0, "posix_spawnattr_init");
    CHECK(::posix_spawn_file_actions_init(&actions_) == 0, "posix_spawn_file_actions_init");
  }
  ~SpawnParameters() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnParameters(const SpawnParameters&) = delete;
  SpawnParameters& operator=(const SpawnParameters&) = delete;

  void set_signals_and_group() {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  void set_descriptors(int output, int directory) {
    int error =
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    error |= ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    error |= ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    if (directory >= 0) {
      error |= ::posix_spawn_file_actions_addfchdir_np(&actions_, directory);
    }
    error |= ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    CHECK(error == 0, "posix_spawn_file_actions");
  }

  const posix_spawnattr_t* attributes() const { return &attributes_; }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

// The pointers stay valid as long as the strings. posix_spawn does not write through them.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& each : strings) {
    pointers.push_back(const_cast<char*>(each.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Above the standard descriptors, so that dup2 in the child never meets its own source.
Result<FileDescriptor> open_high(const std::string& path, int flags, mode_t mode) {
  FileDescriptor opened(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!opened.valid()) {
    return fail(system_error("open", path, errno));
  }
  if (opened.get() > STDERR_FILENO) {
    return opened;
  }
  FileDescriptor high(::fcntl(opened.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!high.valid()) {
    return fail(system_error("open", path, errno));
  }
  return high;
}

Result<FileDescriptor> open_directory(const std::string& path) {
  if (path.empty()) {
    return FileDescriptor();
  }
  return open_high(path, O_PATH | O_DIRECTORY, 0);
}

Result<FileDescriptor> open_output(const std::string& path) {
  if (path.empty()) {
    return open_high("/dev/null", O_WRONLY, 0);
  }
  return open_high(path, O_WRONLY | O_APPEND | O_CREAT, kOutputMode);
}

Result<std::string> find_program_in(const env::SpawnRequest& request, int directory) {
  if (request.command.empty() || request.command[0].empty()) {
    return fail(plain_error("exec: no command"));
  }
  const std::string& program = request.command[0];
  if (program.find('/') != std::string::npos) {
    if (const int error = executable_error(directory, program); error != 0) {
      return fail(system_error(fmt::format("exec: {}: stat", quote(program)), program, error));
    }
    return program;
  }
  bool denied = false;
  std::string_view path = path_of(request.environment);
  while (true) {
    const size_t colon = path.find(':');
    // An empty entry means the working directory.
    const std::string folder =
        colon == 0 || path.empty() ? "." : std::string(path.substr(0, colon));
    const std::string candidate = folder + "/" + program;
    const int error = executable_error(directory, candidate);
    if (error == 0) {
      return candidate;
    }
    denied = denied || error == EACCES;
    if (colon == std::string_view::npos) {
      break;
    }
    path.remove_prefix(colon + 1);
  }
  return fail(
      program_error(program, denied ? "permission denied" : "executable file not found in $PATH"));
}

int directory_or_current(const FileDescriptor& directory) {
  return directory.valid() ? directory.get() : AT_FDCWD;
}

}  // namespace

Result<std::string> find_program(const env::SpawnRequest& request) {
  TRY(const FileDescriptor directory, open_directory(request.working_directory));
  return find_program_in(request, directory_or_current(directory));
}

Result<pid_t> spawn_process(const env::SpawnRequest& request) {
  TRY(const FileDescriptor directory, open_directory(request.working_directory));
  TRY(const std::string program, find_program_in(request, directory_or_current(directory)));
  TRY(const FileDescriptor output, open_output(request.output_path));

  SpawnParameters parameters;
  parameters.set_signals_and_group();
  parameters.set_descriptors(output.get(), directory.get());
  const std::vector<char*> arguments = pointers_to(request.command);
  const std::vector<char*> environment = pointers_to(request.environment);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), parameters.actions(),
                                  parameters.attributes(), arguments.data(), environment.data());
  if (error != 0) {
    return fail(system_error("exec", quote(program), error));
  }
  return pid;
}

}  // namespace windlass::posix
