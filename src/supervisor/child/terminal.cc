#include "supervisor/child/terminal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "posix/error.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {
namespace {

constexpr unsigned kTerminalMajor = 5;
constexpr unsigned kTerminalMinor = 2;

// First looked at through a descriptor that opens nothing: a container may have put a device of its
// choice there, or a link.
posix::FileDescriptor open_multiplexer(const char* path) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const posix::FileDescriptor found(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how)));
  struct stat info = {};
  if (!found.valid() || ::fstat(found.get(), &info) != 0 || !S_ISCHR(info.st_mode) ||
      info.st_rdev != makedev(kTerminalMajor, kTerminalMinor)) {
    return {};
  }
  how.flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  return posix::FileDescriptor(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how)));
}

Result<void> send_descriptor(int socket, int descriptor) {
  char byte = 't';
  iovec part = {&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) != 1) {
    return fail(posix::system_error("send", "terminal", errno));
  }
  return {};
}

}  // namespace

Result<void> take_terminal(int sync) {
  posix::FileDescriptor ours = open_multiplexer("/dev/pts/ptmx");
  if (!ours.valid()) {
    ours = open_multiplexer("/dev/ptmx");
  }
  const int unlocked = 0;
  if (!ours.valid() || ::ioctl(ours.get(), TIOCSPTLCK, &unlocked) != 0) {
    return fail(plain_error("the container has no terminals: no /dev/pts/ptmx"));
  }
  const posix::FileDescriptor theirs(
      ::ioctl(ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs.valid()) {
    return fail(posix::system_error("open", "terminal", errno));
  }
  ::setsid();  // fails where it leads a session already
  if (::ioctl(theirs.get(), TIOCSCTTY, 0) != 0) {
    return fail(posix::system_error("take", "terminal", errno));
  }
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::dup2(theirs.get(), stream) < 0) {
      return fail(posix::system_error("dup2", "terminal", errno));
    }
  }
  return send_descriptor(sync, ours.get());
}

}  // namespace windlass::supervisor
