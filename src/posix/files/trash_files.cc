#include "posix/files/trash_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace windlass::posix {
namespace {

// A directory that was not wanted for as long is not kept any more.
constexpr Duration kIdle = seconds(1);

}  // namespace

TrashFiles::~TrashFiles() {
  bin_->worker.post([bin = bin_] {
    for (const std::string& path : bin->spares.take_all()) {
      bin->remove(path);
    }
  });
}

Result<void> TrashFiles::remove_tree(const std::string& path) {
  if (!open_ && !open_trash()) {
    return PosixFiles::remove_tree(path);
  }
  const std::string place = trash_ + "/" + std::to_string(last_ + 1);
  if (::rename(path.c_str(), place.c_str()) != 0) {
    // The tree may not be there, and then all is well, or the trash, which is made again then.
    if (errno == ENOENT && ::access(trash_.c_str(), F_OK) == 0) {
      return {};
    }
    open_ = false;
    return PosixFiles::remove_tree(path);
  }
  ++last_;
  remove_later(place);
  return {};
}

bool TrashFiles::open_trash() {
  if (!make_directory(trash_)) {
    return false;
  }
  for (const std::string& name : list(trash_).value_or(std::vector<std::string>())) {
    last_ = std::max<uint64_t>(last_, std::strtoull(name.c_str(), nullptr, 10));
    remove_later(trash_ + "/" + name);
  }
  open_ = true;
  return true;
}

void TrashFiles::remove_later(const std::string& path) {
  bin_->worker.post([path, bin = bin_] { bin->keep_or_remove(path); });
}

void TrashFiles::Bin::remove(const std::string& path) const {
  if (const Result<void> removed = PosixFiles().remove_tree(path); !removed) {
    log.warning("what is in the trash cannot be removed",
                {{"path", path}, {"error", removed.error().message}});
  }
}

void TrashFiles::Bin::keep_or_remove(const std::string& path) {
  if (!spares.offer(path)) {
    remove(path);
  } else if (!std::exchange(looks_for_idle, true)) {
    worker.schedule(kIdle, [bin = shared_from_this()] { bin->look_for_idle(); });
  }
}

void TrashFiles::Bin::look_for_idle() {
  for (const std::string& path : spares.take_idle()) {
    remove(path);
  }
  looks_for_idle = spares.any();
  if (looks_for_idle) {
    worker.schedule(kIdle, [bin = shared_from_this()] { bin->look_for_idle(); });
  }
}

}  // namespace windlass::posix
