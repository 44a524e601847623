#include "posix/files/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "posix/error.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {
namespace {

constexpr mode_t kMode = 0600;
constexpr size_t kCopyChunk = size_t{1} << 18;

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Made anew, so that no process has it open, and no link leads elsewhere.
Result<FileDescriptor> create_private_file(const std::string& path) {
  ::unlink(path.c_str());
  FileDescriptor fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
  return fd.valid() ? Result<FileDescriptor>(std::move(fd))
                    : fail(system_error("create", path, errno));
}

}  // namespace

Result<void> sync_folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return fail(system_error("sync", folder, errno));
  }
  return {};
}

Result<void> copy_private_file(const std::string& from, const std::string& to) {
  const FileDescriptor source(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!source.valid()) {
    return fail(system_error("open", from, errno));
  }
  TRY(const FileDescriptor target, create_private_file(to));
  std::vector<char> chunk(kCopyChunk);
  ssize_t got = 0;
  do {
    got = ::read(source.get(), chunk.data(), chunk.size());
    if (got < 0 && errno != EINTR) {
      return fail(system_error("read", from, errno));
    }
    if (got > 0 && !write_all(target.get(), {chunk.data(), static_cast<size_t>(got)})) {
      return fail(system_error("write", to, errno));
    }
  } while (got != 0);
  if (::fchmod(target.get(), kMode) != 0 || ::fsync(target.get()) != 0) {
    return fail(system_error("write", to, errno));
  }
  return {};
}

Result<void> write_private_file(const std::string& path, std::string_view content) {
  const std::string draft = path + ".new";
  TRY(FileDescriptor fd, create_private_file(draft));
  if (::fchmod(fd.get(), kMode) != 0 || !write_all(fd.get(), content) || ::fsync(fd.get()) != 0) {
    Failure why = fail(system_error("write", draft, errno));
    ::unlink(draft.c_str());
    return why;
  }
  fd.reset();
  if (std::rename(draft.c_str(), path.c_str()) != 0) {
    return fail(system_error("rename", draft, errno));
  }
  return sync_folder_of(path);
}

}  // namespace windlass::posix
