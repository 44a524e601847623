#include "apiserver/rest/streams/websocket_upgrade.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "api/codec/base64.h"
#include "http/characters.h"

namespace windlass::apiserver {
namespace {

constexpr std::string_view kKeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr size_t kKeyBytes = 16;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && http::is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && http::is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// The members of all headers of that name.
std::vector<std::string_view> list_of(const http::Headers& headers, std::string_view name) {
  std::vector<std::string_view> members;
  for (const http::Header& header : headers) {
    if (!http::same_ignoring_case(header.name, name)) {
      continue;
    }
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      if (const std::string_view member = trimmed(rest.substr(0, comma)); !member.empty()) {
        members.push_back(member);
      }
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return members;
}

bool has_member(const http::Headers& headers, std::string_view name, std::string_view member) {
  return std::ranges::any_of(list_of(headers, name), [&](std::string_view each) {
    return http::same_ignoring_case(each, member);
  });
}

// `https://host:port` and `host:port`.
bool same_site(std::string_view origin, std::string_view host) {
  const size_t scheme = origin.find("://");
  return scheme != std::string_view::npos &&
         http::same_ignoring_case(origin.substr(scheme + 3), host);
}

std::string accept_key(std::string_view key) {
  const std::string text = std::string(key) + std::string(kKeySuffix);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  ::EVP_Digest(text.data(), text.size(), digest.data(), &size, ::EVP_sha1(), nullptr);
  std::string accept;
  api::append_base64({reinterpret_cast<const char*>(digest.data()), size}, accept);
  return accept;
}

}  // namespace

bool wants_websocket(const http::Headers& headers) {
  return has_member(headers, "Connection", "upgrade") &&
         has_member(headers, "Upgrade", "websocket");
}

Result<WebSocketUpgrade> check_websocket(const http::Headers& headers,
                                         std::span<const std::string_view> protocols) {
  const std::string_view key = http::find_header(headers, "Sec-WebSocket-Key").value_or("");
  std::string decoded;
  if (http::find_header(headers, "Sec-WebSocket-Version").value_or("") != "13" ||
      api::decode_base64(key, decoded) || decoded.size() != kKeyBytes) {
    return fail(bad_request("not a WebSocket request of version 13"));
  }
  if (const auto origin = http::find_header(headers, "Origin");
      origin && !same_site(*origin, http::find_header(headers, "Host").value_or(""))) {
    Status foreign = bad_request(fmt::format("requests of pages of {} are not allowed", *origin));
    foreign.code = 403;
    foreign.reason = "Forbidden";
    return fail(foreign);
  }
  for (const std::string_view offered : list_of(headers, "Sec-WebSocket-Protocol")) {
    if (std::ranges::find(protocols, offered) != protocols.end()) {
      return WebSocketUpgrade{std::string(offered),
                              {{"Sec-WebSocket-Accept", accept_key(key)},
                               {"Sec-WebSocket-Protocol", std::string(offered)}}};
    }
  }
  return fail(bad_request(fmt::format("the request offers no WebSocket protocol that is served: {}",
                                      fmt::join(protocols, ", "))));
}

}  // namespace windlass::apiserver
