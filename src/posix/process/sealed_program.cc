#include "posix/process/sealed_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "posix/error.h"

namespace windlass::posix {
namespace {

// MFD_EXEC of Linux 6.3: said where a system has made such files not executable by default.
constexpr unsigned kExecutable = 0x10;

FileDescriptor memory_file(const char* name) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  FileDescriptor file(::memfd_create(name, kFlags | kExecutable));
  if (!file.valid() && errno == EINVAL) {
    file = FileDescriptor(::memfd_create(name, kFlags));  // a kernel that does not know it
  }
  return file;
}

}  // namespace

Result<SealedProgram> SealedProgram::make(const char* name, std::string_view bytes) {
  FileDescriptor file = memory_file(name);
  if (!file.valid()) {
    return fail(system_error("memfd_create", name, errno));
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return fail(system_error("write", name, errno));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
      0) {
    return fail(system_error("seal", name, errno));
  }
  return SealedProgram(std::move(file));
}

std::string SealedProgram::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file_.get());
}

}  // namespace windlass::posix
