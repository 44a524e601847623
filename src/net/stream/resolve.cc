#include "net/stream/resolve.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>

namespace windlass::net {

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
