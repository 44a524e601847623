// What a request to the page must show before anything else is looked at: a host that is this
// server (DNS rebinding), an origin that is this page (CSRF), and a session. Pure but for the
// sessions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dashboard/sessions.h"
#include "http/message.h"

namespace windlass::dashboard {

inline constexpr std::string_view kKeyHeader = "X-Windlass-Key";

class PageGuard {
 public:
  struct Options {
    // Of this server, besides localhost and addresses.
    std::vector<std::string> host_names = {};
    bool tls = true;
  };

  explicit PageGuard(Options options) : options_(std::move(options)) {}

  // A name that an attacker can point at this server is none of its names: 421.
  Result<void> check_host(const http::Headers& headers) const;
  // Of a request that a browser sends: only from a page of this server. 403.
  Result<void> check_origin(const http::Headers& headers) const;
  // Of a request that a program sends: not from any page. 403.
  static Result<void> check_no_page(const http::Headers& headers);

  // The secret of the session cookie; "" without one.
  std::string session_cookie(const http::Headers& headers) const;
  // Null without a good session.
  ViewerPtr viewer(const http::Headers& headers, Sessions& sessions) const;
  // A Set-Cookie header. An empty secret takes the cookie away.
  http::Header cookie_header(const http::Headers& request, std::string_view secret) const;

 private:
  Options options_;
};

}  // namespace windlass::dashboard
