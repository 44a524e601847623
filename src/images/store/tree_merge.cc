#include "images/store/tree_merge.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <vector>

#include "images/store/tree_writer.h"
#include "posix/error.h"
#include "posix/files/file_descriptor.h"

namespace windlass::images {
namespace {

constexpr mode_t kNewDirectory = 0700;
constexpr mode_t kPermissionBits = 07777;
constexpr size_t kMaxAttributeBytes = size_t{64} * 1024;

Failure not_merged(const std::string& operation, const std::string& path) {
  const int error = errno;
  return fail(error == ENOSPC || error == EDQUOT
                  ? plain_error("no space left on the disk of the images")
                  : posix::system_error(operation, path, error));
}

posix::FileDescriptor open_directory(int parent, const std::string& name) {
  return posix::FileDescriptor(
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

struct TreeEntry {
  std::string name;
  bool directory = false;
};

Result<std::vector<TreeEntry>> entries_in(int directory, const std::string& path) {
  const int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(fd < 0 ? nullptr : ::fdopendir(fd), &::closedir);
  if (!opened) {
    return not_merged("open", path);
  }
  std::vector<TreeEntry> entries;
  while (const dirent* entry = ::readdir(opened.get())) {
    TreeEntry found{entry->d_name, entry->d_type == DT_DIR};
    if (found.name == "." || found.name == "..") {
      continue;
    }
    struct stat info = {};
    if (entry->d_type == DT_UNKNOWN &&
        ::fstatat(directory, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
      found.directory = S_ISDIR(info.st_mode);
    }
    entries.push_back(std::move(found));
  }
  return entries;
}

void copy_attributes(int from, int to) {
  std::string names(kMaxAttributeBytes, '\0');
  const ssize_t length = ::flistxattr(from, names.data(), names.size());
  std::string value(length > 0 ? kMaxAttributeBytes : 0, '\0');
  for (ssize_t at = 0; at < length;) {
    const std::string name = names.c_str() + at;
    const ssize_t size = ::fgetxattr(from, name.c_str(), value.data(), value.size());
    if (size >= 0) {
      ::fsetxattr(to, name.c_str(), value.data(), static_cast<size_t>(size), 0);
    }
    at += static_cast<ssize_t>(name.size()) + 1;
  }
}

// Last, when nothing more is made in it.
Result<void> copy_directory_metadata(int from, int to, const std::string& path) {
  struct stat info = {};
  if (::fstat(from, &info) != 0) {
    return not_merged("stat", path);
  }
  if (::geteuid() == 0 && ::fchown(to, info.st_uid, info.st_gid) != 0 && errno != EPERM &&
      errno != EINVAL) {
    return not_merged("chown", path);
  }
  if (::fchmod(to, info.st_mode & kPermissionBits) != 0) {
    return not_merged("chmod", path);
  }
  copy_attributes(from, to);
  const timespec times[] = {info.st_atim, info.st_mtim};
  ::futimens(to, times);
  return {};
}

class TreeMerge {
 public:
  explicit TreeMerge(const LayerMarks& marks)
      : implied_(marks.implied.begin(), marks.implied.end()) {}

  // `path` is that in the layer; `made`: it was not there below.
  Result<void> merge_directory(int from, int to, const std::string& path, bool made,
                               size_t depth = 0) const {
    if (depth > kMaxTreeDepth) {
      return fail(plain_error(fmt::format("the directories in {} are too deep", path)));
    }
    TRY(const std::vector<TreeEntry> entries, entries_in(from, path));
    for (const TreeEntry& entry : entries) {
      const std::string below = path.empty() ? entry.name : path + "/" + entry.name;
      TRY_VOID(entry.directory ? merge_subdirectory(from, to, entry.name, below, depth)
                               : merge_file(from, to, entry.name, below));
    }
    return made || !implied_.contains(path) ? copy_directory_metadata(from, to, path)
                                            : Result<void>();
  }

 private:
  // Directories lie over directories; everything else takes the place of what is there.
  Result<void> merge_subdirectory(int from, int to, const std::string& name,
                                  const std::string& path, size_t depth) const {
    bool made = ::mkdirat(to, name.c_str(), kNewDirectory) == 0;
    if (!made && errno != EEXIST) {
      return not_merged("mkdir", path);
    }
    struct stat info = {};
    if (!made && ::fstatat(to, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISDIR(info.st_mode)) {
      TRY_VOID(remove_in(to, name, path));
      made = ::mkdirat(to, name.c_str(), kNewDirectory) == 0;
      if (!made) {
        return not_merged("mkdir", path);
      }
    }
    const posix::FileDescriptor source = open_directory(from, name);
    const posix::FileDescriptor target = open_directory(to, name);
    if (!source.valid() || !target.valid()) {
      return not_merged("open", path);
    }
    return merge_directory(source.get(), target.get(), path, made, depth + 1);
  }

  static Result<void> merge_file(int from, int to, const std::string& name,
                                 const std::string& path) {
    if (::linkat(from, name.c_str(), to, name.c_str(), 0) == 0) {
      return {};
    }
    if (errno != EEXIST) {
      return not_merged("link", path);
    }
    TRY_VOID(remove_in(to, name, path));
    return ::linkat(from, name.c_str(), to, name.c_str(), 0) == 0
               ? Result<void>()
               : Result<void>(not_merged("link", path));
  }

  const std::set<std::string> implied_;
};

Result<void> remove_path(int root, const std::string& path) {
  const size_t slash = path.rfind('/');
  const posix::FileDescriptor parent = open_in_tree(
      root, slash == std::string::npos ? "" : path.substr(0, slash), O_RDONLY | O_DIRECTORY);
  if (!parent.valid()) {
    return {};
  }
  return remove_in(parent.get(), slash == std::string::npos ? path : path.substr(slash + 1), path);
}

Result<void> empty_directory(int root, const std::string& path) {
  const posix::FileDescriptor directory = open_in_tree(root, path, O_RDONLY | O_DIRECTORY);
  if (!directory.valid()) {
    return {};
  }
  TRY(const std::vector<TreeEntry> entries, entries_in(directory.get(), path));
  for (const TreeEntry& entry : entries) {
    TRY_VOID(remove_in(directory.get(), entry.name, path + "/" + entry.name));
  }
  return {};
}

}  // namespace

Result<void> merge_layer(const std::string& layer, const LayerMarks& marks,
                         const std::string& root) {
  const posix::FileDescriptor from = open_directory(AT_FDCWD, layer);
  const posix::FileDescriptor to = open_directory(AT_FDCWD, root);
  if (!from.valid() || !to.valid()) {
    return not_merged("open", from.valid() ? root : layer);
  }
  for (const std::string& path : marks.emptied) {
    TRY_VOID(empty_directory(to.get(), path));
  }
  for (const std::string& path : marks.removed) {
    TRY_VOID(remove_path(to.get(), path));
  }
  TRY(const std::vector<TreeEntry> there, entries_in(to.get(), root));
  return TreeMerge(marks).merge_directory(from.get(), to.get(), "", there.empty());
}

void make_in_root(const std::string& root, const std::string& path) {
  constexpr mode_t kMode = 0755;
  const posix::FileDescriptor top = open_directory(AT_FDCWD, root);
  const Result<std::string> plain = plain_entry_path(path);
  if (!top.valid() || !plain || plain->empty()) {
    return;
  }
  for (size_t end = 0; end != std::string::npos;) {
    const size_t begin = end == 0 ? 0 : end + 1;
    end = plain->find('/', begin);
    const posix::FileDescriptor parent = open_in_tree(
        top.get(), begin == 0 ? "" : plain->substr(0, begin - 1), O_RDONLY | O_DIRECTORY);
    if (!parent.valid() ||
        (::mkdirat(parent.get(), plain->substr(begin, end - begin).c_str(), kMode) != 0 &&
         errno != EEXIST)) {
      return;
    }
  }
}

std::string read_in_root(const std::string& root, const std::string& path, size_t limit) {
  const posix::FileDescriptor top = open_directory(AT_FDCWD, root);
  const posix::FileDescriptor file = open_in_tree(top.get(), path, O_RDONLY | O_NONBLOCK);
  struct stat info = {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<uint64_t>(info.st_size) > limit) {
    return "";
  }
  std::string text(static_cast<size_t>(info.st_size), '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace windlass::images
