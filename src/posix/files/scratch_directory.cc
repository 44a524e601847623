#include "posix/files/scratch_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "posix/error.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"

namespace windlass::posix {
namespace {

// One that was just made has no lock yet.
constexpr time_t kMinAgeSeconds = 60;

bool is_abandoned(const std::string& path, PosixFiles& files) {
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() ||
      ::time(nullptr) - info.st_mtime < kMinAgeSeconds || data_directory_in_use(path)) {
    return false;
  }
  // What a process has started may still end there.
  const std::vector<std::string> names = files.list(path).value_or(std::vector<std::string>());
  return std::none_of(names.begin(), names.end(), [&path](const std::string& name) {
    return data_directory_in_use(path + "/" + name);
  });
}

// What cannot be removed is left to the next one: it is no reason not to begin.
void remove_abandoned(const std::string& parent, const std::string& prefix) {
  PosixFiles files;
  for (const std::string& name : files.list(parent).value_or(std::vector<std::string>())) {
    const std::string path = parent + "/" + name;
    if (name.starts_with(prefix) && is_abandoned(path, files)) {
      static_cast<void>(files.remove_tree(path));
    }
  }
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::make(const std::string& parent,
                                                const std::string& prefix) {
  remove_abandoned(parent, prefix);
  std::string path = parent + "/" + prefix + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(system_error("make a directory in", parent, errno));
  }
  auto held = open_data_directory(path);
  if (!held) {
    ::rmdir(path.c_str());
    return fail(std::move(held).error());
  }
  return ScratchDirectory(*std::move(held));
}

Result<void> ScratchDirectory::remove() {
  return PosixFiles().remove_tree(path());
}

}  // namespace windlass::posix
