#include "remote/transport/proxy.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <optional>

#include "api/codec/base64.h"
#include "base/utf8.h"
#include "http/target.h"

namespace windlass::remote {
namespace {

constexpr size_t kMaxHeadBytes = 8192;
constexpr size_t kMaxSocksText = 255;  // of a name, a user, a password
constexpr std::string_view kSocksPort = ":1080";

struct Scheme {
  std::string_view prefix;
  Proxy::Kind kind;
};
constexpr std::array<Scheme, 4> kSchemes = {{{"http://", Proxy::Kind::http},
                                             {"https://", Proxy::Kind::https},
                                             {"socks5://", Proxy::Kind::socks5},
                                             {"socks5h://", Proxy::Kind::socks5}}};

std::optional<Scheme> scheme_of(std::string_view text) {
  for (const Scheme& scheme : kSchemes) {
    if (text.starts_with(scheme.prefix)) {
      return scheme;
    }
  }
  return std::nullopt;
}

bool has_port(std::string_view host) {
  const size_t colon = host.rfind(':');
  return colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
}

Result<void> read_user(std::string_view text, Proxy& proxy) {
  const size_t colon = std::min(text.find(':'), text.size());
  TRY(proxy.user, http::percent_decode(text.substr(0, colon), http::PlusSign::literal));
  TRY(proxy.password,
      http::percent_decode(text.substr(std::min(colon + 1, text.size())), http::PlusSign::literal));
  if (proxy.kind == Proxy::Kind::socks5 &&
      (proxy.user.size() > kMaxSocksText || proxy.password.size() > kMaxSocksText)) {
    return fail(plain_error("too long"));
  }
  return {};
}

class ConnectTunnel final : public ProxyTunnel {
 public:
  ConnectTunnel(const Proxy& proxy, const ServerUrl& server) {
    say(fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", server.authority()));
    if (!proxy.user.empty()) {
      std::string credentials;
      api::append_base64(proxy.user + ":" + proxy.password, credentials);
      say("Proxy-Authorization: Basic " + credentials + "\r\n");
    }
    say("\r\n");
  }

 private:
  void hear(char byte) override {
    head_ += byte;
    if (head_.ends_with("\r\n\r\n")) {
      judge();
    } else if (head_.size() > kMaxHeadBytes) {
      fail_with("the proxy does not speak HTTP");
    }
  }

  static constexpr size_t kMaxShown = 256;  // of what the proxy says: it ends up in logs

  void judge() {
    const std::string line = head_.substr(0, head_.find('\r'));
    if (!line.starts_with("HTTP/1.")) {
      return fail_with("the proxy does not speak HTTP");
    }
    const size_t space = line.find(' ');
    if (space == std::string::npos || line.substr(space + 1, 1) != "2") {
      return fail_with(fmt::format("the proxy refuses: {}", one_line(line.substr(0, kMaxShown))));
    }
    open();
  }

  std::string head_;
};

// RFC 1928, and RFC 1929 for a user and a password.
class SocksTunnel final : public ProxyTunnel {
 public:
  SocksTunnel(const Proxy& proxy, const ServerUrl& server)
      : user_(proxy.user), password_(proxy.password), request_(request_for(server)) {
    say(user_.empty() ? std::string_view("\x05\x01\x00", 3)
                      : std::string_view("\x05\x02\x00\x02", 4));
  }

 private:
  enum class Awaits { method, permission, head, address };

  static std::string request_for(const ServerUrl& server) {
    std::string request("\x05\x01\x00", 3);  // connect
    std::array<char, sizeof(in6_addr)> address;
    if (::inet_pton(AF_INET, server.host.c_str(), address.data()) == 1) {
      request.append("\x01").append(address.data(), sizeof(in_addr));
    } else if (::inet_pton(AF_INET6, server.host.c_str(), address.data()) == 1) {
      request.append("\x04").append(address.data(), sizeof(in6_addr));
    } else {
      const std::string name = server.host.substr(0, kMaxSocksText);
      request.append("\x03").append(1, static_cast<char>(name.size())).append(name);
    }
    request += static_cast<char>(server.port >> 8);
    request += static_cast<char>(server.port & 0xFF);
    return request;
  }

  void hear(char byte) override {
    heard_ += byte;
    switch (awaits_) {
      case Awaits::method:
        return heard_.size() == 2 ? on_method() : void();
      case Awaits::permission:
        return heard_.size() == 2 ? on_permission() : void();
      case Awaits::head:
        return heard_.size() == 5 ? on_head() : void();
      case Awaits::address:
        return heard_.size() == reply_size_ ? open() : void();
    }
  }

  void await(Awaits next) {
    awaits_ = next;
    heard_.clear();
  }

  void on_method() {
    if (heard_[0] != 5) {
      return fail_with("the proxy does not speak SOCKS5");
    }
    const char method = heard_[1];
    if (method == 0) {
      say(request_);
      return await(Awaits::head);
    }
    if (method != 2 || user_.empty()) {
      return fail_with("the proxy requires a method of authentication that is not supported");
    }
    std::string login = "\x01";
    for (const std::string& text : {user_, password_}) {
      login.append(1, static_cast<char>(text.size())).append(text);
    }
    say(login);
    await(Awaits::permission);
  }

  void on_permission() {
    if (heard_[1] != 0) {
      return fail_with("the proxy refuses the user or the password");
    }
    say(request_);
    await(Awaits::head);
  }

  // Version, result, nothing, the kind of address, and its first byte.
  void on_head() {
    if (heard_[0] != 5) {
      return fail_with("the proxy does not speak SOCKS5");
    }
    if (heard_[1] != 0) {
      return fail_with(fmt::format("the proxy refuses: {}", reason(heard_[1])));
    }
    constexpr size_t kAround = 6;  // four bytes before the address, two of a port after it
    switch (heard_[3]) {
      case 1:
        reply_size_ = kAround + sizeof(in_addr);
        break;
      case 4:
        reply_size_ = kAround + sizeof(in6_addr);
        break;
      case 3:
        reply_size_ = kAround + 1 + static_cast<unsigned char>(heard_[4]);
        break;
      default:
        return fail_with("the proxy does not speak SOCKS5");
    }
    awaits_ = Awaits::address;
  }

  static std::string reason(char code) {
    constexpr std::array<std::string_view, 9> kReasons = {"",
                                                          "general failure",
                                                          "not allowed by its rules",
                                                          "network unreachable",
                                                          "host unreachable",
                                                          "connection refused",
                                                          "too many hops",
                                                          "command not supported",
                                                          "kind of address not supported"};
    const auto number = static_cast<unsigned char>(code);
    return number < kReasons.size() ? std::string(kReasons[number])
                                    : fmt::format("code {}", number);
  }

  const std::string user_;
  const std::string password_;
  const std::string request_;
  Awaits awaits_ = Awaits::method;
  std::string heard_;
  size_t reply_size_ = 0;
};

}  // namespace

Result<Proxy> parse_proxy_url(std::string_view text) {
  const auto scheme = scheme_of(text);
  if (!scheme) {
    return fail(
        plain_error("proxy-url: only proxies at http://, https:// and socks5:// are supported"));
  }
  // The text may hold a password: no error quotes it.
  const auto malformed = [&scheme] {
    return fail(
        plain_error(fmt::format("proxy-url is not {}[user:password@]host:port", scheme->prefix)));
  };
  std::string_view rest = text.substr(scheme->prefix.size());
  Proxy proxy;
  proxy.kind = scheme->kind;
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    if (!read_user(rest.substr(0, at), proxy)) {
      return malformed();
    }
    rest.remove_prefix(at + 1);
  }
  if (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  std::string url(proxy.kind == Proxy::Kind::https ? "https://" : "http://");
  url += rest;
  if (proxy.kind == Proxy::Kind::socks5 && !has_port(rest)) {
    url += kSocksPort;
  }
  auto server = parse_server_url(url);
  if (!server || !server->base_path.empty()) {
    return malformed();
  }
  proxy.server = *std::move(server);
  return proxy;
}

std::unique_ptr<ProxyTunnel> ProxyTunnel::make(const Proxy& proxy, const ServerUrl& server) {
  if (proxy.kind == Proxy::Kind::socks5) {
    return std::make_unique<SocksTunnel>(proxy, server);
  }
  return std::make_unique<ConnectTunnel>(proxy, server);
}

ProxyTunnel::Step ProxyTunnel::advance(net::ByteStream& stream) {
  while (failure_.empty() && !open_) {
    net::Transfer transfer;
    if (!to_send_.empty()) {
      const std::string_view bytes = to_send_;
      transfer = stream.write(std::span(&bytes, 1));
      if (transfer.result == net::Io::done) {
        to_send_.erase(0, transfer.bytes);
        continue;
      }
    } else {
      char next = 0;
      transfer = stream.read(std::span(&next, 1));
      if (transfer.result == net::Io::done) {
        hear(next);
        continue;
      }
    }
    switch (transfer.result) {
      case net::Io::want_write:
        return Step::want_write;
      case net::Io::want_read:
        return Step::want_read;
      default:
        fail_with(stream.failure().empty() ? "the proxy has ended the connection"
                                           : stream.failure());
    }
  }
  return open_ ? Step::open : Step::failed;
}

}  // namespace windlass::remote
