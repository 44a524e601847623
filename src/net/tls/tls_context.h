// TLS for the server side: our certificate, and the authority whose client certificates count. TLS
// 1.2 or newer, HTTP/2 or HTTP/1.1 by ALPN, no session tickets, no renegotiation. Immutable once
// made; any thread may make streams with it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "net/stream/byte_stream.h"

struct ssl_ctx_st;

namespace windlass::net {

struct TlsFiles {
  std::string certificate_pem;  // the server's, followed by any intermediate ones
  std::string key_pem;
  std::string client_authority_pem;
};

class TlsContext {
 public:
  static Result<std::shared_ptr<const TlsContext>> make(const TlsFiles& files);

  std::unique_ptr<ByteStream> accept(posix::FileDescriptor fd) const;

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  using Handle = std::unique_ptr<ssl_ctx_st, Free>;

  explicit TlsContext(Handle handle) : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace windlass::net
