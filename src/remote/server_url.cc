#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "remote/cluster_access.h"

namespace windlass::remote {
namespace {

constexpr size_t kMaxUrlBytes = 2048;
constexpr uint16_t kHttpsPort = 443;
constexpr uint16_t kHttpPort = 80;

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == ':';
}

// What a request line takes as it is.
bool is_path_character(char c) {
  return c > 0x20 && c < 0x7F && c != '?' && c != '#' && c != '%' && c != '"' && c != '\\';
}

bool all_of(std::string_view text, bool (*is_one)(char)) {
  return std::all_of(text.begin(), text.end(), is_one);
}

}  // namespace

std::string ServerUrl::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string ServerUrl::text() const {
  return (tls ? "https://" : "http://") + authority() + base_path;
}

Result<ServerUrl> parse_server_url(std::string_view text) {
  const auto malformed = [&](std::string_view why) {
    return fail(plain_error(fmt::format("server \"{}\" {}", text.substr(0, kMaxUrlBytes), why)));
  };
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.tls = false;
  } else {
    return malformed("must begin with https:// or http://");
  }
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view host = rest.substr(0, slash);
  std::string_view path = rest.substr(slash);
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  url.port = url.tls ? kHttpsPort : kHttpPort;
  std::string_view port;
  if (host.starts_with('[')) {
    const size_t close = host.find(']');
    if (close == std::string_view::npos || (close + 1 < host.size() && host[close + 1] != ':')) {
      return malformed("has a malformed address");
    }
    port = host.substr(std::min(close + 2, host.size()));
    host = host.substr(1, close - 1);
  } else if (const size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (!port.empty()) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (error != std::errc() || end != port.data() + port.size() || url.port == 0) {
      return malformed("has a malformed port");
    }
  }
  if (host.empty() || text.size() > kMaxUrlBytes || !all_of(host, is_host_character)) {
    return malformed("has no host, or its host has invalid characters");
  }
  if (!all_of(path, is_path_character)) {
    return malformed("has a path with characters that must be escaped");
  }
  url.host = host;
  url.base_path = path;
  return url;
}

}  // namespace windlass::remote
