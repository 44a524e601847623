// A tunnel through an HTTP proxy (`proxy-url` of a kubeconfig): CONNECT, and the bytes after it are
// the server's. A small state machine over a connected, non-blocking socket; owns nothing.
#pragma once

#include <string>

#include "remote/access.h"

namespace windlass::remote {

// http://[user:password@]host:port; nothing else.
Result<Proxy> parse_proxy_url(std::string_view text);

class ProxyTunnel {
 public:
  enum class Step { want_write, want_read, open, failed };

  ProxyTunnel(const Proxy& proxy, const ServerUrl& server);

  // As far as the socket lets it.
  Step advance(int fd);
  const std::string& failure() const { return failure_; }

 private:
  static constexpr size_t kMaxHeadBytes = 8192;

  Step fail_with(std::string why);
  Step judge();

  std::string request_;
  size_t sent_ = 0;
  std::string head_;
  std::string failure_;
};

}  // namespace windlass::remote
