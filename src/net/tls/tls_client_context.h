// TLS for the client side: whom to trust, and our own certificate if there is one. The server's
// certificate is verified, with the name or address it was reached by, unless that is switched off.
// Immutable once made; any thread may make streams with it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "net/stream/byte_stream.h"

struct ssl_ctx_st;
struct ssl_st;

namespace windlass::net {

struct TlsClientFiles {
  std::string authority_pem = {};    // one or several; "" for those that the system trusts
  std::string certificate_pem = {};  // ours, followed by any intermediate ones; "" for none
  std::string key_pem = {};
  bool verify = true;

  bool operator==(const TlsClientFiles&) const = default;
};

class TlsClientContext {
 public:
  static Result<std::shared_ptr<const TlsClientContext>> make(const TlsClientFiles& files);

  // `server_name` is a DNS name or an IP address, and must be in the certificate. Offers HTTP/1.1,
  // and before it HTTP/2 if that is wanted. nullptr when out of memory.
  std::unique_ptr<ByteStream> connect(std::unique_ptr<ByteStream> below,
                                      const std::string& server_name, bool http2 = false) const;

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  using Handle = std::unique_ptr<ssl_ctx_st, Free>;

  ssl_st* make_connection(const std::string& server_name, bool http2) const;

  TlsClientContext(Handle handle, bool verify) : handle_(std::move(handle)), verify_(verify) {}

  Handle handle_;
  bool verify_;
};

}  // namespace windlass::net
