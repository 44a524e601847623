#include "posix/process/find_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/quote.h"
#include "posix/error.h"

namespace windlass::posix {
namespace {

// What a shell without PATH would search.
constexpr std::string_view kDefaultPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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
int executable_error(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    return errno;
  }
  if (!S_ISREG(info.st_mode) || ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) {
    return EACCES;
  }
  return 0;
}

Status program_error(const std::string& program, std::string_view reason) {
  return plain_error(fmt::format("exec: {}: {}", quote(program), reason));
}

}  // namespace

Result<std::string> find_program(const std::vector<std::string>& command,
                                 const std::vector<std::string>& environment) {
  if (command.empty() || command[0].empty()) {
    return fail(plain_error("exec: no command"));
  }
  const std::string& program = command[0];
  if (program.find('/') != std::string::npos) {
    if (const int error = executable_error(program); error != 0) {
      return fail(system_error(fmt::format("exec: {}: stat", quote(program)), program, error));
    }
    return program;
  }
  bool denied = false;
  std::string_view path = path_of(environment);
  while (true) {
    const size_t colon = path.find(':');
    // An empty entry means the working directory.
    const std::string folder =
        colon == 0 || path.empty() ? "." : std::string(path.substr(0, colon));
    const std::string candidate = folder + "/" + program;
    const int error = executable_error(candidate);
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

}  // namespace windlass::posix
