#include "posix/files/counter_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "posix/error.h"

namespace windlass::posix {
namespace {

constexpr mode_t kCounterMode = 0600;
constexpr size_t kMaxNumberText = 20;

}  // namespace

Result<CounterFile> CounterFile::lock(const std::string& path) {
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kCounterMode));
  if (!file.valid()) {
    return fail(system_error("open", path, errno));
  }
  while (::flock(file.get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      return fail(system_error("lock", path, errno));
    }
  }
  return CounterFile(path, std::move(file));
}

int64_t CounterFile::last() const {
  std::array<char, kMaxNumberText> text = {};
  const ssize_t got = ::pread(file_.get(), text.data(), text.size(), 0);
  int64_t number = 0;
  if (got > 0) {
    std::from_chars(text.data(), text.data() + got, number);
  }
  return number < 0 ? 0 : number;
}

Result<void> CounterFile::keep(int64_t number) {
  const std::string text = std::to_string(number);
  if (::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return fail(system_error("write", path_, errno));
  }
  return {};
}

}  // namespace windlass::posix
