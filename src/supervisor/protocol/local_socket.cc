#include "supervisor/protocol/local_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "posix/error.h"

namespace windlass::supervisor {
namespace {

constexpr int kBacklog = 16;

struct SocketPlace {
  posix::FileDescriptor directory;
  posix::FileDescriptor socket;
  sockaddr_un address = {};

  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&address); }
};

Result<SocketPlace> prepare(const std::string& directory, const char* name) {
  SocketPlace place;
  place.directory =
      posix::FileDescriptor(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place.directory.valid()) {
    return fail(posix::system_error("open", directory, errno));
  }
  place.socket = posix::FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!place.socket.valid()) {
    return fail(posix::system_error("socket", directory, errno));
  }
  const std::string path = fmt::format("/proc/self/fd/{}/{}", place.directory.get(), name);
  place.address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), place.address.sun_path);
  return place;
}

}  // namespace

Result<posix::FileDescriptor> listen_in(const std::string& directory, const char* name) {
  TRY(SocketPlace place, prepare(directory, name));
  ::unlinkat(place.directory.get(), name, 0);
  const mode_t before = ::umask(0177);
  const int bound = ::bind(place.socket.get(), place.generic(), sizeof place.address);
  const int error = errno;
  ::umask(before);
  if (bound != 0 || ::listen(place.socket.get(), kBacklog) != 0) {
    return fail(posix::system_error("bind", directory + "/" + name, bound != 0 ? error : errno));
  }
  ::fcntl(place.socket.get(), F_SETFL, O_NONBLOCK);
  return std::move(place.socket);
}

Result<posix::FileDescriptor> connect_in(const std::string& directory, const char* name) {
  TRY(SocketPlace place, prepare(directory, name));
  if (::connect(place.socket.get(), place.generic(), sizeof place.address) != 0) {
    if (errno == ENOENT || errno == ECONNREFUSED || errno == EAGAIN) {
      return posix::FileDescriptor();
    }
    return fail(posix::system_error("connect", directory + "/" + name, errno));
  }
  if (!same_user(place.socket.get())) {
    return fail(plain_error(directory + ": the supervisor's socket belongs to another user"));
  }
  return std::move(place.socket);
}

bool same_user(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

}  // namespace windlass::supervisor
