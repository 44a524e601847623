#include "posix/files/posix_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "posix/error.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {
namespace {

constexpr size_t kReadStep = 64 * 1024;
constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kNewFileMode = 0600;

// Directories that their owner has closed for itself cannot be emptied.
void let_owner_in(const std::string& tree) {
  std::vector<std::filesystem::path> directories = {tree};
  while (!directories.empty()) {
    const std::filesystem::path directory = std::move(directories.back());
    directories.pop_back();
    ::chmod(directory.c_str(), kDirectoryMode);
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory, error);
         !error && entry != std::filesystem::end(entry); entry.increment(error)) {
      if (entry->symlink_status(error).type() == std::filesystem::file_type::directory) {
        directories.push_back(entry->path());
      }
    }
  }
}

Failure too_large(const std::string& path, size_t limit) {
  return fail(plain_error(fmt::format("read {}: more than {} bytes", path, limit)));
}

// Until the end of the file. One byte over the limit is asked for, to tell "exactly" from "more".
Result<std::string> read_all(int fd, const std::string& path, size_t limit) {
  std::string content;
  while (true) {
    const size_t before = content.size();
    const size_t step = std::min(kReadStep, limit - before + 1);
    content.resize(before + step);
    const ssize_t got = ::read(fd, content.data() + before, step);
    if (got < 0 && errno != EINTR) {
      return fail(system_error("read", path, errno));
    }
    content.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) {
      return content;
    }
    if (content.size() > limit) {
      return too_large(path, limit);
    }
  }
}

}  // namespace

Result<env::Files::Type> PosixFiles::type(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    return fail(system_error("stat", path, errno));
  }
  return S_ISREG(info.st_mode) ? Type::file : S_ISDIR(info.st_mode) ? Type::directory : Type::other;
}

Result<std::string> PosixFiles::read(const std::string& path, size_t limit) {
  if (path == "-") {
    return read_all(STDIN_FILENO, "standard input", limit);
  }
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    return fail(system_error("open", path, errno));
  }
  struct stat info = {};
  if (::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) &&
      static_cast<uint64_t>(info.st_size) > limit) {
    return too_large(path, limit);
  }
  return read_all(file.get(), path, limit);
}

Result<std::string> PosixFiles::read_from(const std::string& path, uint64_t offset, size_t limit) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    return fail(system_error("open", path, errno));
  }
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) {
    return fail(system_error("stat", path, errno));
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  std::string bytes(offset >= size ? 0 : std::min<uint64_t>(limit, size - offset), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::pread(file.get(), bytes.data() + filled, bytes.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(system_error("read", path, errno));
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

Result<std::vector<std::string>> PosixFiles::list(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(directory.c_str()), &::closedir);
  if (!opened) {
    return fail(system_error("open", directory, errno));
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(opened.get());
    if (entry == nullptr) {
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    if (names.size() == kMaxEntries) {
      return fail(
          plain_error(fmt::format("read {}: more than {} entries", directory, kMaxEntries)));
    }
    names.emplace_back(name);
  }
  if (errno != 0) {
    return fail(system_error("read", directory, errno));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> PosixFiles::make_directory(const std::string& path) {
  // The last one first: its parents are nearly always there. The kernel bounds the depth.
  int error = ::mkdir(path.c_str(), kDirectoryMode) == 0 ? 0 : errno;
  const size_t slash = path.find_last_of('/', path.find_last_not_of('/'));
  if (error == ENOENT && slash != std::string::npos && slash > 0) {
    TRY_VOID(make_directory(path.substr(0, slash)));
    error = ::mkdir(path.c_str(), kDirectoryMode) == 0 ? 0 : errno;
  }
  if (error == 0) {
    return {};
  }
  if (error != EEXIST) {
    return fail(system_error("mkdir", path, error));
  }
  TRY(const Type found, type(path));
  if (found != Type::directory) {
    return fail(system_error("mkdir", path, ENOTDIR));
  }
  return {};
}

Result<void> PosixFiles::write(const std::string& path, std::string_view content, unsigned mode) {
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kNewFileMode));
  if (!file.valid()) {
    return fail(system_error("open", path, errno));
  }
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return fail(system_error("write", path, errno));
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (::fchmod(file.get(), static_cast<mode_t>(mode)) != 0) {
    return fail(system_error("chmod", path, errno));
  }
  return {};
}

Result<void> PosixFiles::set_mode(const std::string& path, unsigned mode) {
  if (::chmod(path.c_str(), static_cast<mode_t>(mode)) != 0) {
    return fail(system_error("chmod", path, errno));
  }
  return {};
}

Result<void> PosixFiles::set_group(const std::string& path, uint32_t group) {
  constexpr uid_t kSameUser = static_cast<uid_t>(-1);
  if (::lchown(path.c_str(), kSameUser, static_cast<gid_t>(group)) != 0) {
    return fail(system_error("chown", path, errno));
  }
  return {};
}

Result<void> PosixFiles::set_link(const std::string& path, const std::string& target) {
  const std::string next = path + ".next";
  if (::unlink(next.c_str()) != 0 && errno != ENOENT) {
    return fail(system_error("unlink", next, errno));
  }
  if (::symlink(target.c_str(), next.c_str()) != 0) {
    return fail(system_error("symlink", next, errno));
  }
  if (::rename(next.c_str(), path.c_str()) != 0) {
    return fail(system_error("rename", path, errno));
  }
  return {};
}

Result<env::Files::TreeSize> PosixFiles::tree_size(const std::string& path) {
  constexpr uint64_t kBlockBytes = 512;  // of st_blocks, whatever the file system's are
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Result<TreeSize>(TreeSize()) : fail(system_error("stat", path, errno));
  }
  TreeSize size{static_cast<uint64_t>(info.st_blocks) * kBlockBytes, 1};
  if (!S_ISDIR(info.st_mode)) {
    return size;
  }
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(
      path, std::filesystem::directory_options::skip_permission_denied, error);
  // What goes while it is looked at counts as nothing.
  for (; !error && entry != std::filesystem::end(entry) && size.entries < kMaxCounted;
       entry.increment(error)) {
    if (::lstat(entry->path().c_str(), &info) == 0) {
      size.bytes += static_cast<uint64_t>(info.st_blocks) * kBlockBytes;
      ++size.entries;
    }
  }
  return size;
}

Result<void> PosixFiles::remove_tree(const std::string& path) {
  if (::rmdir(path.c_str()) == 0) {
    return {};  // most are empty
  }
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error == std::errc::permission_denied) {
    let_owner_in(path);
    std::filesystem::remove_all(path, error);
  }
  if (error) {
    return fail(system_error("remove", path, error.value()));
  }
  return {};
}

}  // namespace windlass::posix
