#include "posix/files/spare_directories.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "posix/files/file_descriptor.h"

namespace windlass::posix {
namespace {

// One in which many files have been stays as large as that needed.
constexpr off_t kLargestSize = 4096;
// Attributes of the file system, not of a user.
constexpr int kFlagsOfNewOnes = FS_EXTENT_FL | FS_INDEX_FL | FS_INLINE_DATA_FL;

bool is_plain(int directory) {
  struct stat info = {};
  if (::fstat(directory, &info) != 0 ||
      (info.st_mode & ~mode_t{S_IFMT}) != SpareDirectories::kMode || info.st_uid != ::geteuid() ||
      info.st_gid != ::getegid() || info.st_size > kLargestSize) {
    return false;
  }
  int flags = 0;
  if (::ioctl(directory, FS_IOC_GETFLAGS, &flags) == 0 && (flags & ~kFlagsOfNewOnes) != 0) {
    return false;
  }
  return ::flistxattr(directory, nullptr, 0) <= 0;
}

bool is_empty(int directory) {
  const int own = ::fcntl(directory, F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(own), ::closedir);
  if (!folder) {
    return false;
  }
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      return false;
    }
  }
  return true;
}

}  // namespace

bool SpareDirectories::offer(const std::string& path) {
  const FileDescriptor directory(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.valid() || !is_plain(directory.get()) || !is_empty(directory.get())) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  if (paths_.size() >= kMost || !can_move_) {
    return false;
  }
  paths_.push_back(path);
  return true;
}

bool SpareDirectories::place(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (paths_.empty()) {
    return false;
  }
  const bool moved =
      ::renameat2(AT_FDCWD, paths_.back().c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0;
  if (!moved && errno == EEXIST) {
    return false;
  }
  if (!moved) {
    // Of no use. A file system that cannot do it at all (EINVAL) need not be asked again.
    can_move_ = errno == ENOENT;
    ::rmdir(paths_.back().c_str());
  }
  paths_.pop_back();
  fewest_ = std::min(fewest_, paths_.size());
  return moved;
}

std::vector<std::string> SpareDirectories::take_idle() {
  const std::lock_guard lock(mutex_);
  const auto end = paths_.begin() + static_cast<std::ptrdiff_t>(fewest_);
  std::vector<std::string> idle(paths_.begin(), end);
  paths_.erase(paths_.begin(), end);
  fewest_ = paths_.size();
  return idle;
}

std::vector<std::string> SpareDirectories::take_all() {
  const std::lock_guard lock(mutex_);
  fewest_ = 0;
  return std::exchange(paths_, {});
}

bool SpareDirectories::any() {
  const std::lock_guard lock(mutex_);
  return !paths_.empty();
}

}  // namespace windlass::posix
