#include "images/store/tree_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "posix/error.h"

namespace windlass::images {
namespace {

constexpr size_t kMaxPathBytes = 4095;
constexpr size_t kMaxNameBytes = 255;
constexpr mode_t kParentMode = 0755;
constexpr mode_t kPermissions = 07777;
constexpr mode_t kOwnerDirectory = 0700;
constexpr mode_t kOwnerFile = 0600;
constexpr uint64_t kBlock = 4096;
constexpr uint64_t kCheckEvery = uint64_t{32} * 1024 * 1024;
constexpr std::string_view kCapability = "security.capability";
constexpr std::string_view kUserAttribute = "user.";
constexpr std::string_view kOverlayAttribute = "user.overlay.";

Failure broken(const std::string& operation, const std::string& path) {
  const int error = errno;
  return fail(error == ENOSPC || error == EDQUOT
                  ? plain_error("no space left on the disk of the images")
                  : posix::system_error(operation, path, error));
}

bool is_wanted(std::string_view attribute, bool as_root) {
  return (attribute.starts_with(kUserAttribute) && !attribute.starts_with(kOverlayAttribute)) ||
         (as_root && attribute == kCapability);
}

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  const int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(fd < 0 ? nullptr : ::fdopendir(fd), &::closedir);
  for (const dirent* entry = nullptr; opened && (entry = ::readdir(opened.get())) != nullptr;) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  return names;
}

// Its owner may have closed it for itself.
posix::FileDescriptor open_to_empty(int parent, const std::string& name) {
  constexpr int kFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  posix::FileDescriptor directory(::openat(parent, name.c_str(), kFlags | O_RDONLY));
  const posix::FileDescriptor closed(::openat(parent, name.c_str(), kFlags | O_PATH));
  if (!directory.valid() && closed.valid() &&
      ::fchmodat(parent, name.c_str(), kOwnerDirectory, 0) == 0) {
    directory = posix::FileDescriptor(::openat(parent, name.c_str(), kFlags | O_RDONLY));
  }
  return directory;
}

Result<void> remove_at_depth(int parent, const std::string& name, const std::string& path,
                             size_t depth) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) {
    return {};
  }
  if ((errno != EISDIR && errno != EPERM) || depth > kMaxTreeDepth) {
    return broken("remove", path);
  }
  {
    const posix::FileDescriptor directory = open_to_empty(parent, name);
    if (!directory.valid()) {
      return broken("remove", path);
    }
    for (const std::string& each : names_in(directory.get())) {
      TRY_VOID(remove_at_depth(directory.get(), each, path + "/" + each, depth + 1));
    }
  }
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) {
    return broken("remove", path);
  }
  return {};
}

}  // namespace

posix::FileDescriptor open_in_tree(int top, const std::string& path, int flags) {
  open_how how = {};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return posix::FileDescriptor(static_cast<int>(
      ::syscall(SYS_openat2, top, path.empty() ? "." : path.c_str(), &how, sizeof how)));
}

Result<void> remove_in(int parent, const std::string& name, const std::string& path) {
  return remove_at_depth(parent, name, path, 0);
}

Result<std::string> plain_entry_path(std::string_view path) {
  const std::string_view whole = path;
  const auto refused = [whole](std::string_view why) {
    constexpr size_t kShown = 200;
    return fail(plain_error(
        fmt::format("the archive has the path \"{}\", which {}", whole.substr(0, kShown), why)));
  };
  std::string out;
  size_t depth = 0;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (part.empty() || part == ".") {
      continue;
    }
    if (part == "..") {
      return refused("leads out of the image");
    }
    if (part.size() > kMaxNameBytes || ++depth > kMaxTreeDepth) {
      return refused("is too long");
    }
    out += (out.empty() ? "" : "/") + std::string(part);
  }
  return out.size() > kMaxPathBytes ? refused("is too long") : Result<std::string>(std::move(out));
}

TreeWriter::TreeWriter(posix::FileDescriptor top, std::string directory, uint64_t keep_free)
    : top_(std::move(top)),
      directory_(std::move(directory)),
      keep_free_(keep_free),
      own_ids_(::geteuid() == 0) {}

Result<TreeWriter> TreeWriter::open(const std::string& directory, uint64_t keep_free) {
  posix::FileDescriptor top(
      ::openat(AT_FDCWD, directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) {
    return broken("open", directory);
  }
  TreeWriter writer(std::move(top), directory, keep_free);
  TRY_VOID(writer.check_space());
  return writer;
}

Result<void> TreeWriter::check_space() {
  struct statvfs disk = {};
  unchecked_ = 0;
  if (::fstatvfs(top_.get(), &disk) == 0 && disk.f_bavail * disk.f_frsize < keep_free_) {
    return fail(plain_error(
        fmt::format("no space left on the disk of the images: less than {} MiB are free",
                    keep_free_ / 1024 / 1024)));
  }
  return {};
}

Result<void> TreeWriter::count_entry(uint64_t bytes) {
  if (++entries_ > kMaxTreeEntries) {
    return fail(plain_error(fmt::format("the archive has more than {} files", kMaxTreeEntries)));
  }
  bytes_ += bytes;
  unchecked_ += bytes;
  return unchecked_ < kCheckEvery ? Result<void>() : check_space();
}

// Makes the directories that are missing on the way.
Result<void> TreeWriter::open_parent(const std::string& parent) {
  parent_ = open_in_tree(top_.get(), parent, O_PATH | O_DIRECTORY);
  if (!parent_.valid() && errno == ENOENT && !parent.empty()) {
    const size_t slash = parent.rfind('/');
    const std::string name = slash == std::string::npos ? parent : parent.substr(slash + 1);
    TRY_VOID(open_parent(slash == std::string::npos ? "" : parent.substr(0, slash)));
    if (::mkdirat(parent_.get(), name.c_str(), kParentMode) != 0 && errno != EEXIST) {
      return broken("mkdir", parent);
    }
    TRY_VOID(count_entry(kBlock));
    implied_.insert(parent);
    parent_ = open_in_tree(top_.get(), parent, O_PATH | O_DIRECTORY);
  }
  if (!parent_.valid()) {
    return broken("open", parent);
  }
  parent_path_ = parent;
  return {};
}

Result<TreeWriter::Place> TreeWriter::place_for(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
  if (!parent_.valid() || parent != parent_path_) {
    TRY_VOID(open_parent(parent));
  }
  return Place{parent_.get(), slash == std::string::npos ? path : path.substr(slash + 1)};
}

Result<void> TreeWriter::clear(const Place& place, const std::string& path, bool keep_directory) {
  struct stat info = {};
  if (::fstatat(place.parent, place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      (keep_directory && S_ISDIR(info.st_mode))) {
    return {};
  }
  return remove_in(place.parent, place.name, path);
}

Result<void> TreeWriter::add_directory(const std::string& path, EntryMetadata metadata) {
  if (!path.empty()) {
    TRY(const Place place, place_for(path));
    TRY_VOID(clear(place, path, true));
    if (::mkdirat(place.parent, place.name.c_str(), kOwnerDirectory) != 0 && errno != EEXIST) {
      return broken("mkdir", path);
    }
  }
  TRY_VOID(count_entry(kBlock));
  implied_.erase(path);
  directories_.emplace_back(path, std::move(metadata));
  return {};
}

Result<void> TreeWriter::add_link(const std::string& path, const std::string& target,
                                  const EntryMetadata& metadata) {
  TRY(const Place place, place_for(path));
  TRY_VOID(clear(place, path, false));
  if (::symlinkat(target.c_str(), place.parent, place.name.c_str()) != 0) {
    return broken("symlink", path);
  }
  TRY_VOID(set_link_metadata(place, path, metadata));
  forget_parent();  // a directory on the way may have become this link
  return count_entry(0);
}

Result<void> TreeWriter::add_pipe(const std::string& path, const EntryMetadata& metadata) {
  TRY(const Place place, place_for(path));
  TRY_VOID(clear(place, path, false));
  if (::mknodat(place.parent, place.name.c_str(), S_IFIFO | (metadata.mode & 0777), 0) != 0) {
    return broken("mkfifo", path);
  }
  TRY_VOID(set_link_metadata(place, path, metadata));
  return count_entry(0);
}

Result<void> TreeWriter::add_hard_link(const std::string& path, const std::string& target) {
  const size_t slash = target.rfind('/');
  const posix::FileDescriptor in = open_in_tree(
      top_.get(), slash == std::string::npos ? "" : target.substr(0, slash), O_PATH | O_DIRECTORY);
  const std::string name = slash == std::string::npos ? target : target.substr(slash + 1);
  struct stat info = {};
  if (!in.valid() || ::fstatat(in.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      S_ISDIR(info.st_mode)) {
    return fail(plain_error(
        fmt::format("the archive has a hard link from {} to {}, which is not a file of the archive",
                    path, target)));
  }
  TRY(const Place place, place_for(path));
  struct stat same = {};
  if (::fstatat(place.parent, place.name.c_str(), &same, AT_SYMLINK_NOFOLLOW) == 0 &&
      same.st_ino == info.st_ino && same.st_dev == info.st_dev) {
    return {};
  }
  TRY_VOID(clear(place, path, false));
  if (::linkat(in.get(), name.c_str(), place.parent, place.name.c_str(), 0) != 0) {
    return broken("link", path);
  }
  forget_parent();
  return count_entry(0);
}

Result<void> TreeWriter::begin_file(const std::string& path, const EntryMetadata& metadata) {
  TRY(const Place place, place_for(path));
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = ::openat(place.parent, place.name.c_str(), kFlags, kOwnerFile);
  if (fd < 0 && errno == EEXIST) {
    TRY_VOID(clear(place, path, false));
    fd = ::openat(place.parent, place.name.c_str(), kFlags, kOwnerFile);
  }
  file_ = posix::FileDescriptor(fd);
  if (!file_.valid()) {
    return broken("create", path);
  }
  file_path_ = path;
  file_metadata_ = metadata;
  return count_entry(0);
}

Result<void> TreeWriter::write(const void* data, size_t size, uint64_t offset) {
  const char* next = static_cast<const char*>(data);
  bytes_ += (size + kBlock - 1) / kBlock * kBlock;
  unchecked_ += size;
  if (unchecked_ >= kCheckEvery) {
    TRY_VOID(check_space());
  }
  while (size > 0) {
    const ssize_t written = ::pwrite(file_.get(), next, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return broken("write", file_path_);
    }
    next += written;
    size -= static_cast<size_t>(written);
    offset += static_cast<uint64_t>(written);
  }
  return {};
}

Result<void> TreeWriter::end_file(uint64_t size) {
  struct stat info = {};
  if (::fstat(file_.get(), &info) != 0 ||
      (static_cast<uint64_t>(info.st_size) != size &&
       ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0)) {
    return broken("write", file_path_);
  }
  TRY_VOID(set_metadata(file_.get(), file_path_, file_metadata_));
  file_.reset();
  return {};
}

// Before the permissions: a change of the owner takes set-id bits away.
Result<void> TreeWriter::set_owner(int fd, const std::string& path, const EntryMetadata& metadata) {
  if (own_ids_ && ::fchown(fd, metadata.uid, metadata.gid) != 0) {
    if (errno != EPERM && errno != EINVAL) {
      return broken("chown", path);
    }
    own_ids_ = false;  // root of a user namespace that does not have these ids
  }
  return {};
}

Result<void> TreeWriter::set_metadata(int fd, const std::string& path,
                                      const EntryMetadata& metadata) {
  TRY_VOID(set_owner(fd, path, metadata));
  struct stat info = {};
  ::fstat(fd, &info);
  const mode_t for_owner = S_ISDIR(info.st_mode) ? kOwnerDirectory : kOwnerFile;
  const mode_t mode =
      own_ids_ ? metadata.mode & kPermissions : (metadata.mode & (S_ISVTX | 0777)) | for_owner;
  if (::fchmod(fd, mode) != 0) {
    return broken("chmod", path);
  }
  for (const auto& [name, value] : metadata.attributes) {
    if (is_wanted(name, own_ids_) &&
        ::fsetxattr(fd, name.c_str(), value.data(), value.size(), 0) != 0 && errno != ENOTSUP &&
        errno != EPERM) {
      return broken("set an attribute of", path);
    }
  }
  const timespec times[] = {metadata.changed, metadata.changed};
  ::futimens(fd, times);
  return {};
}

Result<void> TreeWriter::set_link_metadata(const Place& place, const std::string& path,
                                           const EntryMetadata& metadata) {
  if (own_ids_ && ::fchownat(place.parent, place.name.c_str(), metadata.uid, metadata.gid,
                             AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != EPERM && errno != EINVAL) {
      return broken("chown", path);
    }
    own_ids_ = false;
  }
  const timespec times[] = {metadata.changed, metadata.changed};
  ::utimensat(place.parent, place.name.c_str(), times, AT_SYMLINK_NOFOLLOW);
  return {};
}

// From the innermost: a change inside moves the time of the directory outside.
Result<void> TreeWriter::finish() {
  forget_parent();
  for (auto each = directories_.rbegin(); each != directories_.rend(); ++each) {
    const auto& [path, metadata] = *each;
    const posix::FileDescriptor directory =
        open_in_tree(top_.get(), path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (directory.valid()) {  // else something else has taken its place
      TRY_VOID(set_metadata(directory.get(), path, metadata));
    }
  }
  directories_.clear();
  return {};
}

}  // namespace windlass::images
