#include "posix/files/file_descriptor.h"

#include <unistd.h>

namespace windlass::posix {

void FileDescriptor::reset() {
  // Not repeated on EINTR: on Linux the descriptor is gone by then.
  if (fd_ >= 0) {
    ::close(std::exchange(fd_, -1));
  }
}

}  // namespace windlass::posix
