#include "supervisor/child/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace windlass::supervisor {
namespace {

posix::FileDescriptor open_path(int top, const std::string& below, uint64_t resolve) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return posix::FileDescriptor(
      static_cast<int>(::syscall(SYS_openat2, top, below.c_str(), &how, sizeof how)));
}

}  // namespace

posix::FileDescriptor open_beneath(int top, const std::string& below) {
  return open_path(top, below, RESOLVE_BENEATH);
}

posix::FileDescriptor open_in_root(int top, const std::string& below) {
  return open_path(top, below, RESOLVE_IN_ROOT);
}

}  // namespace windlass::supervisor
