// An address and a port to listen on or to connect to, as text and as the kernel has them. Pure but
// for sockets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "posix/files/file_descriptor.h"

namespace windlass::net {

struct Endpoint {
  std::string address = "127.0.0.1";  // IPv4 or IPv6, never a name
  uint16_t port = 0;                  // 0 lets the system choose

  bool operator==(const Endpoint&) const = default;

  std::string text() const;  // 127.0.0.1:6443, [::1]:6443
  bool is_loopback() const;
  bool is_any() const;  // 0.0.0.0, ::
};

// `127.0.0.1:6443`, `[::1]:6443`, `localhost:0`, `:6443` (loopback), `127.0.0.1` (any port).
Result<Endpoint> parse_endpoint(std::string_view text);

// A listening socket. A port of 0 is filled in.
Result<posix::FileDescriptor> listen_on(Endpoint& endpoint);

// A socket on its way to the other side: once it is writable, connect_result() tells. Dead peers
// are noticed within about kDeadPeerSeconds, also when nothing is said.
inline constexpr int kDeadPeerSeconds = 60;
Result<posix::FileDescriptor> begin_connect(const Endpoint& endpoint);
Result<void> connect_result(int fd, const Endpoint& endpoint);

// The other side of a connected socket: 127.0.0.1:40312.
std::string peer_address(int fd);
// The part of such an address that one client has for itself: an IPv4 address, a /64 of IPv6.
std::string network_of(std::string_view peer_address);
// Our own side of it.
std::string own_address(int fd);

// The addresses of a host, best first; an address is its own. Blocks for as long as the system's
// resolver does: for a thread that has time.
inline constexpr size_t kMaxAddresses = 16;
Result<std::vector<Endpoint>> resolve(const std::string& host, uint16_t port);

}  // namespace windlass::net
