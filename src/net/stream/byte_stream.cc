#include "net/stream/byte_stream.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace windlass::net {

Io PlainStream::handshake(http::Peer& /*peer*/) {
  return Io::done;
}

Transfer PlainStream::read(std::span<char> buffer) {
  while (true) {
    const ssize_t got = ::recv(fd(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      return {Io::done, static_cast<size_t>(got)};
    }
    if (got == 0) {
      return {Io::closed};
    }
    if (errno != EINTR) {
      return {errno == EAGAIN ? Io::want_read : Io::failed};
    }
  }
}

Transfer PlainStream::write(std::span<const std::string_view> parts) {
  std::array<iovec, kMaxParts> vectors;
  const size_t count = std::min(parts.size(), kMaxParts);
  for (size_t i = 0; i < count; ++i) {
    // The kernel only reads; iovec serves both ways and so cannot say const.
    vectors[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
  }
  msghdr message = {};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  while (true) {
    const ssize_t sent = ::sendmsg(fd(), &message, MSG_NOSIGNAL);
    if (sent > 0) {
      return {Io::done, static_cast<size_t>(sent)};
    }
    if (sent == 0 || errno != EINTR) {
      return {errno == EAGAIN ? Io::want_write : Io::failed};
    }
  }
}

void PlainStream::finish_writing() {
  ::shutdown(fd(), SHUT_WR);
}

}  // namespace windlass::net
