#include "posix/files/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <string>

#include "posix/error.h"
#include "posix/files/file_descriptor.h"
#include "posix/files/posix_files.h"

namespace windlass::posix {
namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kOthers = 0077;
constexpr const char* kLock = "lock";
constexpr const char* kReserve = "reserve";
// What a lock file holds of its owner.
constexpr size_t kMaxPidText = 32;
// Of the kernel's list of locks.
constexpr size_t kMaxLocksText = size_t{1} << 20;
// How long a lock is waited for whose owner is gone.
constexpr int kLockPauseMillis = 10;
constexpr int kMaxLockTries = 300;

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

// Those of other users cannot be looked at, and are not ours to end.
bool has_open(pid_t process, const struct stat& wanted) {
  const std::string folder = fmt::format("/proc/{}/fd", process);
  PosixFiles files;
  for (const std::string& name : files.list(folder).value_or(std::vector<std::string>())) {
    struct stat info = {};
    if (::stat((folder + "/" + name).c_str(), &info) == 0 && info.st_dev == wanted.st_dev &&
        info.st_ino == wanted.st_ino) {
      return true;
    }
  }
  return false;
}

// The process that the lock file names; 0 for none.
pid_t owner_in(const FileDescriptor& lock) {
  std::array<char, kMaxPidText> text = {};
  const ssize_t got = ::pread(lock.get(), text.data(), text.size(), 0);
  pid_t owner = 0;
  if (got > 0) {
    std::from_chars(text.data(), text.data() + got, owner);
  }
  return owner;
}

// The owner is gone, and a process that it was just starting has the lock until it has become
// another program.
bool is_about_to_be_free(const FileDescriptor& lock, pid_t owner) {
  struct stat info = {};
  return owner > 0 && ::fstat(lock.get(), &info) == 0 && !has_open(owner, info);
}

bool is_locked(int file) {
  return ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

FileDescriptor open_to_read(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
}

FileDescriptor open_folder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// The process that locked the folder, as the kernel lists it; 0 when it lists none.
pid_t folder_owner(const FileDescriptor& folder) {
  struct stat info = {};
  if (::fstat(folder.get(), &info) != 0) {
    return 0;
  }
  // `1: FLOCK  ADVISORY  WRITE 1234 08:01:131090 0 EOF`
  const auto locks = PosixFiles().read("/proc/locks", kMaxLocksText);
  std::istringstream lines(locks ? *locks : std::string());
  const std::string wanted = fmt::format(":{}", info.st_ino);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string mode;
    std::string file;
    std::string skipped;
    pid_t owner = 0;
    words >> skipped >> kind >> skipped >> mode >> owner >> file;
    if (words && kind == "FLOCK" && mode == "WRITE" && owner > 0 && file.ends_with(wanted) &&
        has_open(owner, info)) {
      return owner;
    }
  }
  return 0;
}

// Waits while it belongs to a process that is about to let go. 0 once it is locked, EWOULDBLOCK
// when another process has it.
int wait_for_lock(const FileDescriptor& file, const std::string& lock_path) {
  for (int tries = 1; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK) {
      return errno;
    }
    const FileDescriptor lock = open_to_read(lock_path);
    if (tries == kMaxLockTries || !lock.valid() || !is_about_to_be_free(lock, owner_in(lock))) {
      return EWOULDBLOCK;
    }
    ::poll(nullptr, 0, kLockPauseMillis);
  }
  return 0;
}

Failure in_use(const std::string& directory, pid_t owner) {
  return fail(
      plain_error(fmt::format("{} is in use by {}", directory,
                              owner == 0 ? "another process" : fmt::format("process {}", owner))));
}

// Without another owner, or the error that names it. The folder is locked as well: the file
// can be removed under a process that runs, and the next one would lock another.
Result<FileDescriptor> take_lock(const std::string& directory, const FileDescriptor& folder,
                                 LockName name) {
  const std::string path = directory + "/" + kLock;
  // Some network file systems cannot lock a folder; there the file has to do.
  if (wait_for_lock(folder, path) == EWOULDBLOCK) {
    const FileDescriptor lock = open_to_read(path);
    return in_use(directory, lock.valid() ? owner_in(lock) : folder_owner(folder));
  }
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file.valid()) {
    return fail(system_error("open", path, errno));
  }
  if (const int failed = wait_for_lock(file, path); failed != 0) {
    return failed == EWOULDBLOCK ? in_use(directory, owner_in(file))
                                 : fail(system_error("lock", path, failed));
  }
  // On a full disk the lock holds without it. The name of an earlier owner goes in any case.
  const std::string pid = name == LockName::own ? fmt::format("{}\n", ::getpid()) : "";
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

  Result<env::FileState> look_at(std::string_view name) override {
    // By the path, not by the open folder: the folder itself may have been moved away.
    struct stat info = {};
    if (::lstat(fmt::format("{}/{}", path_, name).c_str(), &info) != 0) {
      return fail(error("stat", name));
    }
    return env::FileState{{static_cast<uint64_t>(info.st_dev), static_cast<uint64_t>(info.st_ino)},
                          static_cast<uint64_t>(info.st_size),
                          info.st_mode & 07777U};
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

Result<void> make_data_directory(const std::string& path) {
  TRY_VOID(PosixFiles().make_directory(path));
  return check_directory(path);
}

Result<std::unique_ptr<env::DataDirectory>> open_data_directory(const std::string& path,
                                                                LockName name) {
  TRY_VOID(make_data_directory(path));
  FileDescriptor folder = open_folder(path);
  if (!folder.valid()) {
    return fail(system_error("open", path, errno));
  }
  TRY(FileDescriptor lock, take_lock(path, folder, name));
  return std::make_unique<PosixDataDirectory>(path, std::move(folder), std::move(lock));
}

Result<std::unique_ptr<env::DataDirectory>> enter_directory(const std::string& path) {
  FileDescriptor folder = open_folder(path);
  if (!folder.valid()) {
    return fail(system_error("open", path, errno));
  }
  return std::make_unique<PosixDataDirectory>(path, std::move(folder), FileDescriptor());
}

bool data_directory_in_use(const std::string& path) {
  const FileDescriptor lock = open_to_read(path + "/" + kLock);
  const FileDescriptor folder = open_folder(path);
  return (lock.valid() && is_locked(lock.get())) || (folder.valid() && is_locked(folder.get()));
}

Result<pid_t> data_directory_owner(const std::string& path) {
  const std::string lock_path = path + "/" + kLock;
  pid_t owner = 0;
  bool locked = false;
  struct stat info = {};
  // Closed before it is asked who has it open: that may be this process.
  if (const FileDescriptor lock = open_to_read(lock_path);
      lock.valid() && ::fstat(lock.get(), &info) == 0) {
    owner = owner_in(lock);
    locked = is_locked(lock.get());
  }
  owner = owner > 0 && has_open(owner, info) ? owner : 0;
  if (const FileDescriptor folder = open_folder(path); owner == 0 && !locked && folder.valid()) {
    // The file was removed, or replaced by one that the process does not know.
    owner = folder_owner(folder);
  }
  if (owner == 0) {
    return fail(plain_error(fmt::format(
        "{} is in use, but {} does not name the process that has it; perhaps it is another "
        "`windlass down`",
        path, lock_path)));
  }
  return owner;
}

}  // namespace windlass::posix
