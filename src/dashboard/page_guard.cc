#include "dashboard/page_guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "http/characters.h"

namespace windlass::dashboard {
namespace {

constexpr std::string_view kCookiePrefix = "windlass-session-";

struct HostParts {
  std::string_view name;  // without brackets
  std::string_view port;  // "" where the scheme says it
};

HostParts split_host(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) {
      return {};
    }
    const std::string_view rest = host.substr(end + 1);
    return {host.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : ""};
  }
  const size_t colon = host.find(':');
  return {host.substr(0, colon), colon == std::string_view::npos ? "" : host.substr(colon + 1)};
}

bool is_address(std::string_view name) {
  const std::string text(name);
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

std::string_view host_of(const http::Headers& headers) {
  return http::find_header(headers, "Host").value_or("");
}

// Cookies do not know ports: two servers of one host have cookies of their own.
std::string cookie_name(const http::Headers& headers) {
  std::string name(kCookiePrefix);
  for (const char c : split_host(host_of(headers)).port) {
    if (is_digit(c)) {
      name += c;
    }
  }
  return name;
}

}  // namespace

Result<void> PageGuard::check_host(const http::Headers& headers) const {
  const std::string_view name = split_host(host_of(headers)).name;
  const bool known =
      http::same_ignoring_case(name, "localhost") || is_address(name) ||
      std::any_of(options_.host_names.begin(), options_.host_names.end(),
                  [name](const std::string& own) { return http::same_ignoring_case(name, own); });
  if (!known) {
    return fail(Status{421,
                       "MisdirectedRequest",
                       "the page is not served under this host name. Use an address of the server, "
                       "or start it with --server-name",
                       {}});
  }
  return {};
}

Result<void> PageGuard::check_origin(const http::Headers& headers) const {
  const auto site = http::find_header(headers, "Sec-Fetch-Site");
  const auto origin = http::find_header(headers, "Origin");
  const std::string own = fmt::format("{}://{}", options_.tls ? "https" : "http", host_of(headers));
  if ((site && *site != "same-origin") || (origin && !http::same_ignoring_case(*origin, own))) {
    return fail(Status{403, "Forbidden", "this is only for the page itself", {}});
  }
  return {};
}

Result<void> PageGuard::check_no_page(const http::Headers& headers) {
  if (http::find_header(headers, "Origin") || http::find_header(headers, "Sec-Fetch-Site")) {
    return fail(Status{403, "Forbidden", "this is not for pages: use `windlass dashboard`", {}});
  }
  return {};
}

std::string PageGuard::session_cookie(const http::Headers& headers) const {
  const std::string wanted = cookie_name(headers) + "=";
  for (const http::Header& header : headers) {
    if (!http::same_ignoring_case(header.name, "Cookie")) {
      continue;
    }
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const size_t end = rest.find(';');
      std::string_view pair = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      while (pair.starts_with(' ')) {
        pair.remove_prefix(1);
      }
      if (pair.starts_with(wanted)) {
        return std::string(pair.substr(wanted.size()));
      }
    }
  }
  return "";
}

ViewerPtr PageGuard::viewer(const http::Headers& headers, Sessions& sessions) const {
  const std::string cookie = session_cookie(headers);
  const auto key = http::find_header(headers, kKeyHeader);
  return cookie.empty() || !key ? nullptr : sessions.find(cookie, *key);
}

http::Header PageGuard::cookie_header(const http::Headers& request, std::string_view secret) const {
  const auto life = std::chrono::duration_cast<std::chrono::seconds>(Sessions::kLongestLife);
  return {"Set-Cookie", fmt::format("{}={}; Path=/ui/; Max-Age={}; HttpOnly; SameSite=Strict{}",
                                    cookie_name(request), secret, secret.empty() ? 0 : life.count(),
                                    options_.tls ? "; Secure" : "")};
}

}  // namespace windlass::dashboard
