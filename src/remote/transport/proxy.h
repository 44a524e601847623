// A tunnel through a proxy (`proxy-url` of a kubeconfig, or the environment): a short talk over a
// connection to the proxy, and the bytes after it are the server's. HTTP's CONNECT and SOCKS5. A
// small state machine over a stream that does not block; owns nothing.
#pragma once

#include <memory>
#include <string>

#include "net/stream/byte_stream.h"
#include "remote/cluster_access.h"

namespace windlass::remote {

// http://, https:// or socks5://, then [user:password@]host[:port]; nothing else. socks5h is the
// same: the proxy looks names up in any case.
Result<Proxy> parse_proxy_url(std::string_view text);

class ProxyTunnel {
 public:
  enum class Step { want_write, want_read, open, failed };

  static std::unique_ptr<ProxyTunnel> make(const Proxy& proxy, const ServerUrl& server);
  virtual ~ProxyTunnel() = default;

  // As far as the stream lets it.
  Step advance(net::ByteStream& stream);
  const std::string& failure() const { return failure_; }

 protected:
  void say(std::string_view bytes) { to_send_ += bytes; }
  void open() { open_ = true; }
  void fail_with(std::string why) { failure_ = std::move(why); }

 private:
  // The next byte of the proxy. One by one: what follows the talk is not ours.
  virtual void hear(char byte) = 0;

  std::string to_send_;
  bool open_ = false;
  std::string failure_;
};

}  // namespace windlass::remote
