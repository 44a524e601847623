#include "posix/process/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstring>
#include <utility>

#include "posix/files/file_descriptor.h"
#include "posix/process/inherited.h"

namespace windlass::posix {
namespace {

// 0 for what is no number.
int64_t number_in(const std::string& text) {
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

}  // namespace

ServiceAddress ServiceAddress::from_environment() {
  ServiceAddress address{environment_variable("NOTIFY_SOCKET")};
  const std::string meant = environment_variable("WATCHDOG_PID");
  if (meant.empty() || number_in(meant) == ::getpid()) {
    address.watchdog = std::chrono::microseconds(number_in(environment_variable("WATCHDOG_USEC")));
  }
  return address;
}

ServiceManager::ServiceManager(EventLoop& loop, ServiceAddress address)
    : loop_(loop), address_(std::move(address)) {}

ServiceManager::~ServiceManager() {
  loop_.cancel(timer_);
}

void ServiceManager::ready(std::string_view status) {
  send("READY=1\nSTATUS=" + std::string(status));
  tick();
}

void ServiceManager::stopping() {
  send("STOPPING=1\nSTATUS=Stopping");
}

void ServiceManager::tick() {
  if (address_.socket.empty() || address_.watchdog <= Duration::zero()) {
    return;
  }
  send("WATCHDOG=1");
  timer_ = loop_.schedule(address_.watchdog / 2, [this] { tick(); });
}

// What cannot be sent is lost: the service manager acts on silence.
void ServiceManager::send(const std::string& message) const {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (address_.socket.empty() || address_.socket.size() >= sizeof(address.sun_path)) {
    return;
  }
  std::memcpy(address.sun_path, address_.socket.data(), address_.socket.size());
  if (address.sun_path[0] == '@') {
    address.sun_path[0] = '\0';
  }
  const FileDescriptor fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return;
  }
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.socket.size());
  static_cast<void>(::sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                             reinterpret_cast<const sockaddr*>(&address), size));
}

}  // namespace windlass::posix
