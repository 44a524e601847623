#include "posix/process/parent_watch.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "posix/error.h"

namespace windlass::posix {

Result<std::unique_ptr<ParentWatch>> ParentWatch::of_process(EventLoop& loop, pid_t process) {
  FileDescriptor fd(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!fd.valid()) {
    return fail(system_error("watch process", fmt::format("{}", process), errno));
  }
  const int watched = fd.get();
  return std::unique_ptr<ParentWatch>(new ParentWatch(loop, std::move(fd), watched, EPOLLIN));
}

std::unique_ptr<ParentWatch> ParentWatch::of_input(EventLoop& loop, int input) {
  struct stat info = {};
  if (::fstat(input, &info) != 0 || !(S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode))) {
    return nullptr;
  }
  return std::unique_ptr<ParentWatch>(new ParentWatch(loop, FileDescriptor(), input, EPOLLRDHUP));
}

ParentWatch::~ParentWatch() {
  loop_.unwatch(watch_);
}

void ParentWatch::start(std::function<void()> on_gone) {
  watch_ = loop_.watch(watched_, events_, [this, on_gone = std::move(on_gone)](uint32_t) {
    const auto tell = on_gone;  // unwatching ends the life of this callback
    loop_.unwatch(std::exchange(watch_, WatchId::none));
    tell();
  });
}

}  // namespace windlass::posix
