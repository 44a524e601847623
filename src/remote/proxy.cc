#include "remote/proxy.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "api/codec/base64.h"
#include "posix/error.h"

namespace windlass::remote {

Result<Proxy> parse_proxy_url(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme)) {
    return fail(plain_error("proxy-url: only proxies at http:// are supported"));
  }
  std::string_view rest = text.substr(kScheme.size());
  Proxy proxy;
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    api::append_base64(rest.substr(0, at), proxy.credentials);
    rest.remove_prefix(at + 1);
  }
  auto server = parse_server_url(std::string(kScheme) + std::string(rest));
  if (!server || !server->base_path.empty()) {
    return fail(plain_error("proxy-url is not http://[user:password@]host:port"));
  }
  proxy.server = *std::move(server);
  return proxy;
}

ProxyTunnel::ProxyTunnel(const Proxy& proxy, const ServerUrl& server)
    : request_(fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", server.authority())) {
  if (!proxy.credentials.empty()) {
    request_ += "Proxy-Authorization: Basic " + proxy.credentials + "\r\n";
  }
  request_ += "\r\n";
}

ProxyTunnel::Step ProxyTunnel::advance(int fd) {
  while (sent_ < request_.size()) {
    const ssize_t sent =
        ::send(fd, request_.data() + sent_, request_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      return errno == EAGAIN ? Step::want_write
                             : fail_with(posix::system_error("send", "proxy", errno).message);
    }
    sent_ += static_cast<size_t>(sent);
  }
  // One by one: what follows the head is not ours.
  while (!head_.ends_with("\r\n\r\n")) {
    char next = 0;
    const ssize_t got = ::recv(fd, &next, 1, MSG_DONTWAIT);
    if (got < 0) {
      return errno == EAGAIN ? Step::want_read
                             : fail_with(posix::system_error("recv", "proxy", errno).message);
    }
    if (got == 0) {
      return fail_with("the proxy has ended the connection");
    }
    head_ += next;
    if (head_.size() > kMaxHeadBytes) {
      return fail_with("the proxy does not speak HTTP");
    }
  }
  return judge();
}

ProxyTunnel::Step ProxyTunnel::judge() {
  const std::string line = head_.substr(0, head_.find('\r'));
  if (!line.starts_with("HTTP/1.")) {
    return fail_with("the proxy does not speak HTTP");
  }
  const size_t space = line.find(' ');
  if (space == std::string::npos || line.substr(space + 1, 1) != "2") {
    return fail_with(fmt::format("the proxy refuses: {}", line));
  }
  return Step::open;
}

ProxyTunnel::Step ProxyTunnel::fail_with(std::string why) {
  failure_ = std::move(why);
  return Step::failed;
}

}  // namespace windlass::remote
