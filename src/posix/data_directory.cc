#include "posix/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "posix/error.h"
#include "posix/file_descriptor.h"
#include "posix/posix_files.h"

namespace windlass::posix {
namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kOthers = 0077;
constexpr const char* kLock = "lock";
constexpr const char* kReserve = "reserve";
// What a lock file holds of its owner.
constexpr size_t kMaxPidText = 32;

Result<void> check_mode(const std::string& path, const struct stat& info, const char* command) {
  if (info.st_uid != ::geteuid()) {
    return fail(plain_error(
        fmt::format("{} belongs to user {}, not to user {}", path, info.st_uid, ::geteuid())));
  }
  if ((info.st_mode & kOthers) != 0) {
    return fail(plain_error(fmt::format("{} is open to other users (mode {:04o}): {} {}", path,
                                        info.st_mode & 07777U, command, path)));
  }
  return {};
}

Result<void> check_directory(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    return fail(system_error("stat", path, errno));
  }
  TRY_VOID(check_mode(path, info, "chmod 700"));
  PosixFiles files;
  TRY(const std::vector<std::string> names, files.list(path));
  for (const std::string& name : names) {
    const std::string file = path + "/" + name;
    if (::lstat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      TRY_VOID(check_mode(file, info, "chmod 600"));
    }
  }
  return {};
}

// Owned by nobody else, or the error that names who does.
Result<FileDescriptor> take_lock(const std::string& directory) {
  const std::string path = directory + "/" + kLock;
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file.valid()) {
    return fail(system_error("open", path, errno));
  }
  std::array<char, kMaxPidText> text = {};
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return fail(system_error("lock", path, errno));
    }
    const ssize_t got = ::pread(file.get(), text.data(), text.size() - 1, 0);
    std::string owner(text.data(), got > 0 ? static_cast<size_t>(got) : 0);
    owner.resize(owner.find('\n') == std::string::npos ? 0 : owner.find('\n'));
    return fail(plain_error(
        fmt::format("{} is in use by process {}", directory, owner.empty() ? "unknown" : owner)));
  }
  // Only for the message above: on a full disk the lock holds without it.
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(file.get(), pid.data(), pid.size(), 0);
  }
  return file;
}

class PosixDataDirectory final : public env::DataDirectory {
 public:
  PosixDataDirectory(std::string path, FileDescriptor folder, FileDescriptor lock)
      : path_(std::move(path)), folder_(std::move(folder)), lock_(std::move(lock)) {}

  const std::string& path() const override { return path_; }

  Result<bool> has(std::string_view name) override {
    struct stat info = {};
    if (::fstatat(folder_.get(), std::string(name).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      return true;
    }
    return errno == ENOENT ? Result<bool>(false) : fail(error("stat", name));
  }

  Result<void> create(std::string_view name) override {
    TRY_VOID(remove(name));
    const FileDescriptor file(::openat(folder_.get(), std::string(name).c_str(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
    // Against a umask that takes the owner's own bits.
    if (!file.valid() || ::fchmod(file.get(), kFileMode) != 0) {
      return fail(error("create", name));
    }
    return {};
  }

  Result<void> rename(std::string_view from, std::string_view to) override {
    if (::renameat(folder_.get(), std::string(from).c_str(), folder_.get(),
                   std::string(to).c_str()) != 0) {
      return fail(error("rename", from));
    }
    return ::fsync(folder_.get()) == 0 ? Result<void>() : fail(error("fsync", "."));
  }

  Result<void> remove(std::string_view name) override {
    if (::unlinkat(folder_.get(), std::string(name).c_str(), 0) != 0 && errno != ENOENT) {
      return fail(error("remove", name));
    }
    return {};
  }

  Result<void> hold_reserve(uint64_t bytes) override {
    const FileDescriptor file(
        ::openat(folder_.get(), kReserve, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
    if (!file.valid()) {
      return fail(error("open", kReserve));
    }
    const int failed = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
    if (failed != 0) {
      errno = failed;
      Failure why = fail(error("allocate", kReserve));
      release_reserve();
      return why;
    }
    return {};
  }

  void release_reserve() override { ::unlinkat(folder_.get(), kReserve, 0); }

 private:
  Status error(std::string_view operation, std::string_view name) const {
    return system_error(operation, fmt::format("{}/{}", path_, name), errno);
  }

  std::string path_;
  FileDescriptor folder_;
  FileDescriptor lock_;
};

}  // namespace

Result<std::unique_ptr<env::DataDirectory>> open_data_directory(const std::string& path) {
  TRY_VOID(PosixFiles().make_directory(path));
  TRY_VOID(check_directory(path));
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) {
    return fail(system_error("open", path, errno));
  }
  TRY(FileDescriptor lock, take_lock(path));
  return std::make_unique<PosixDataDirectory>(path, std::move(folder), std::move(lock));
}

bool data_directory_in_use(const std::string& path) {
  const FileDescriptor file(
      ::open((path + "/" + kLock).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.valid() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace windlass::posix
