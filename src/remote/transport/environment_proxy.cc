#include "remote/transport/environment_proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "http/characters.h"
#include "remote/transport/proxy.h"

namespace windlass::remote {
namespace {

struct Address {
  std::array<unsigned char, sizeof(in6_addr)> bytes = {};
  size_t size = 0;  // 4 or 16

  bool operator==(const Address&) const = default;
  bool is_loopback() const {
    constexpr std::array<unsigned char, sizeof(in6_addr)> kOne = {0, 0, 0, 0, 0, 0, 0, 0,
                                                                  0, 0, 0, 0, 0, 0, 0, 1};
    return size == sizeof(in_addr) ? bytes[0] == 127 : bytes == kOne;
  }
};

std::optional<Address> parse_address(std::string_view text) {
  const std::string host(text);
  Address address;
  if (::inet_pton(AF_INET, host.c_str(), address.bytes.data()) == 1) {
    address.size = sizeof(in_addr);
    return address;
  }
  if (::inet_pton(AF_INET6, host.c_str(), address.bytes.data()) == 1) {
    address.size = sizeof(in6_addr);
    return address;
  }
  return std::nullopt;
}

struct Range {
  Address address;
  size_t bits = 0;

  bool contains(const Address& other) const {
    if (other.size != address.size) {
      return false;
    }
    for (size_t bit = 0; bit < bits; ++bit) {
      const int shift = 7 - static_cast<int>(bit % 8);
      if (((address.bytes[bit / 8] ^ other.bytes[bit / 8]) >> shift & 1) != 0) {
        return false;
      }
    }
    return true;
  }
};

std::optional<Range> parse_range(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto address = parse_address(text.substr(0, slash));
  const std::string_view bits = text.substr(slash + 1);
  Range range;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), range.bits);
  if (!address || error != std::errc() || end != bits.data() + bits.size() ||
      range.bits > address->size * 8) {
    return std::nullopt;
  }
  range.address = *address;
  return range;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), http::to_lower);
  return lower;
}

// `host:port`, `[v6]:port`, `[v6]`; what is an address as it is has no port.
void split_port(std::string_view text, std::string_view& host, std::string_view& port) {
  host = text;
  if (parse_address(text)) {
    return;
  }
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
}

bool names(std::string_view entry, const std::string& host, const std::optional<Address>& address,
           uint16_t port) {
  if (entry == "*") {
    return true;
  }
  if (const auto range = parse_range(entry)) {
    return address && range->contains(*address);
  }
  std::string_view named;
  std::string_view its_port;
  split_port(entry, named, its_port);
  if (named.empty() || (!its_port.empty() && its_port != std::to_string(port))) {
    return false;
  }
  if (const auto other = parse_address(named)) {
    return address == other;
  }
  if (named.starts_with("*.")) {
    named.remove_prefix(1);
  }
  if (named.starts_with('.')) {
    return host.ends_with(named);
  }
  return host == named || host.ends_with("." + std::string(named));
}

}  // namespace

bool is_excepted(const ServerUrl& server, std::string_view no_proxy) {
  const std::string host = in_lower_case(server.host);
  const auto address = parse_address(host);
  if (host == "localhost" || (address && address->is_loopback())) {
    return true;
  }
  while (!no_proxy.empty()) {
    const size_t comma = std::min(no_proxy.find(','), no_proxy.size());
    const std::string entry = in_lower_case(trimmed(no_proxy.substr(0, comma)));
    if (names(entry, host, address, server.port)) {
      return true;
    }
    no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
  }
  return false;
}

Result<std::optional<Proxy>> proxy_from_environment(const ServerUrl& server,
                                                    const ProxyEnvironment& environment) {
  const std::string& url = server.tls ? environment.https_proxy : environment.http_proxy;
  if (url.empty() || is_excepted(server, environment.no_proxy)) {
    return std::nullopt;
  }
  const bool has_scheme = url.find("://") != std::string::npos;
  auto proxy = parse_proxy_url(has_scheme ? url : "http://" + url);
  if (!proxy) {
    return fail(plain_error(std::string(server.tls ? "HTTPS_PROXY" : "HTTP_PROXY") + ": " +
                            proxy.error().message));
  }
  return *std::move(proxy);
}

}  // namespace windlass::remote
