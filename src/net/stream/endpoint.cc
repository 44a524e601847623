#include "net/stream/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "posix/error.h"

namespace windlass::net {

namespace {

constexpr int kBacklog = 1024;

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t length = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// False when the text is no address.
bool to_socket_address(const Endpoint& endpoint, SocketAddress& out) {
  sockaddr_in v4 = {};
  if (::inet_pton(AF_INET, endpoint.address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(endpoint.port);
    std::memcpy(&out.storage, &v4, sizeof v4);
    out.length = sizeof v4;
    return true;
  }
  sockaddr_in6 v6 = {};
  if (::inet_pton(AF_INET6, endpoint.address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(endpoint.port);
    std::memcpy(&out.storage, &v6, sizeof v6);
    out.length = sizeof v6;
    return true;
  }
  return false;
}

Endpoint from_socket_address(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address.storage, sizeof v4);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return {text.data(), ntohs(v4.sin_port)};
  }
  sockaddr_in6 v6;
  std::memcpy(&v6, &address.storage, sizeof v6);
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return {text.data(), ntohs(v6.sin6_port)};
}

}  // namespace

std::string Endpoint::text() const {
  const bool v6 = address.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
}

bool Endpoint::is_loopback() const {
  return address.starts_with("127.") || address == "::1";
}

bool Endpoint::is_any() const {
  return address == "0.0.0.0" || address == "::";
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  const auto malformed = [&] {
    return fail(
        plain_error(fmt::format("\"{}\" is not an address to listen on: use ADDRESS:PORT", text)));
  };
  Endpoint endpoint;
  std::string_view address = text;
  std::string_view port;
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  const bool has_port =
      colon != std::string_view::npos &&
      (bracketed ? text[colon == 0 ? 0 : colon - 1] == ']' : text.find(':') == colon);
  if (has_port) {
    address = text.substr(0, colon);
    port = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
    if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
      return malformed();
    }
  }
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  if (!address.empty() && address != "localhost") {
    endpoint.address = address;
  }
  SocketAddress ignored;
  if (text.empty() || !to_socket_address(endpoint, ignored)) {
    return malformed();
  }
  return endpoint;
}

Result<posix::FileDescriptor> listen_on(Endpoint& endpoint) {
  SocketAddress address;
  if (!to_socket_address(endpoint, address)) {
    return fail(plain_error(fmt::format("listen on {}: not an address", endpoint.text())));
  }
  posix::FileDescriptor fd(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!fd.valid() || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd.get(), address.get(), address.length) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return fail(posix::system_error("listen on", endpoint.text(), errno));
  }
  address.length = sizeof address.storage;
  if (::getsockname(fd.get(), address.get(), &address.length) != 0) {
    return fail(posix::system_error("listen on", endpoint.text(), errno));
  }
  endpoint.port = from_socket_address(address).port;
  return fd;
}

Result<posix::FileDescriptor> begin_connect(const Endpoint& endpoint) {
  SocketAddress address;
  if (!to_socket_address(endpoint, address)) {
    return fail(plain_error(fmt::format("connect to {}: not an address", endpoint.text())));
  }
  posix::FileDescriptor fd(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return fail(posix::system_error("connect to", endpoint.text(), errno));
  }
  const auto set = [&fd](int level, int option, int value) {
    ::setsockopt(fd.get(), level, option, &value, sizeof value);
  };
  constexpr int kProbes = 3;
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kDeadPeerSeconds / 2);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kDeadPeerSeconds / 2 / kProbes);
  set(IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, kDeadPeerSeconds * 1000);
  if (::connect(fd.get(), address.get(), address.length) != 0 && errno != EINPROGRESS) {
    return fail(posix::system_error("connect to", endpoint.text(), errno));
  }
  return fd;
}

Result<void> connect_result(int fd, const Endpoint& endpoint) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
    error = errno;
  }
  if (error != 0) {
    return fail(posix::system_error("connect to", endpoint.text(), error));
  }
  return {};
}

namespace {

using GetName = int (*)(int, sockaddr*, socklen_t*);

std::string address_from(GetName get_name, int fd) {
  SocketAddress address;
  address.length = sizeof address.storage;
  if (get_name(fd, address.get(), &address.length) != 0) {
    return "";
  }
  return from_socket_address(address).text();
}

}  // namespace

std::string peer_address(int fd) {
  return address_from(&::getpeername, fd);
}

std::string own_address(int fd) {
  return address_from(&::getsockname, fd);
}

std::string network_of(std::string_view peer_address) {
  constexpr size_t kNetworkBytes = 8;  // of IPv6: a /64
  const auto endpoint = parse_endpoint(peer_address);
  in6_addr v6 = {};
  if (!endpoint || ::inet_pton(AF_INET6, endpoint->address.c_str(), &v6) != 1) {
    return endpoint ? endpoint->address : std::string(peer_address);
  }
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    return std::string(::inet_ntop(AF_INET, &v6.s6_addr[12], text.data(), text.size()));
  }
  std::memset(&v6.s6_addr[kNetworkBytes], 0, sizeof v6.s6_addr - kNetworkBytes);
  return std::string(::inet_ntop(AF_INET6, &v6, text.data(), text.size())) + "/64";
}

Result<std::vector<Endpoint>> resolve(const std::string& host, uint16_t port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return fail(plain_error(fmt::format("look up {}: {}", host, ::gai_strerror(error))));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<Endpoint> endpoints;
  for (const addrinfo* one = found; one != nullptr && endpoints.size() < kMaxAddresses;
       one = one->ai_next) {
    std::array<char, INET6_ADDRSTRLEN> text = {};
    if (one->ai_family == AF_INET) {
      sockaddr_in v4;
      std::memcpy(&v4, one->ai_addr, sizeof v4);
      ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    } else if (one->ai_family == AF_INET6) {
      sockaddr_in6 v6;
      std::memcpy(&v6, one->ai_addr, sizeof v6);
      ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    } else {
      continue;
    }
    endpoints.push_back({text.data(), port});
  }
  if (endpoints.empty()) {
    return fail(plain_error(fmt::format("look up {}: no address", host)));
  }
  return endpoints;
}

}  // namespace windlass::net
