#include "posix/files/growing_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "posix/error.h"
#include "posix/files/file_descriptor.h"
#include "posix/files/posix_files.h"

namespace windlass::posix {
namespace {

constexpr mode_t kGrowingFileMode = 0600;

// Only writing a file tells: permissions do not, for root or on a read-only file system.
Result<void> check_writable(const std::string& directory) {
  std::string path = directory + "/.windlass-XXXXXX";
  const FileDescriptor file(::mkstemp(path.data()));
  if (!file.valid()) {
    return fail(system_error("write to", directory, errno));
  }
  const bool written = ::write(file.get(), "\n", 1) == 1;
  const int error = errno;
  ::unlink(path.c_str());
  return written ? Result<void>() : fail(system_error("write to", directory, error));
}

}  // namespace

Result<GrowingFiles> GrowingFiles::open(const std::string& path) {
  TRY_VOID(PosixFiles().make_directory(path));
  TRY_VOID(check_writable(path));
  return GrowingFiles(path);
}

Result<void> GrowingFiles::append(const std::string& name, std::string_view bytes) {
  const std::string path = path_ + "/" + name;
  const bool is_new = begun_.insert(name).second;
  if (is_new) {
    TRY_VOID(PosixFiles().make_directory(path.substr(0, path.rfind('/'))));
  }
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  const FileDescriptor file(::open(path.c_str(), flags | (is_new ? O_TRUNC : 0), kGrowingFileMode));
  if (!file.valid()) {
    return fail(system_error("open", path, errno));
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return fail(system_error("write", path, errno));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace windlass::posix
