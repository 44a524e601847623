// What a connection and a request carry to prove who we are, kept fresh: tokens and certificates in
// files are read again when they may have been replaced (a service account's token lives an hour
// and is rotated under its reader). Small files, read on the caller's thread. One thread.
#pragma once

#include <memory>
#include <string>

#include "env/clock.h"
#include "env/files.h"
#include "net/tls_client_context.h"
#include "remote/access.h"

namespace windlass::remote {

class Credentials {
 public:
  static constexpr Duration kRereadAfter = seconds(60);
  static constexpr size_t kMaxFileBytes = size_t{1} << 20;

  Credentials(env::Files& files, env::Clock& clock, Access access);

  const Access& access() const { return access_; }
  // `Bearer ...`; "" without a token. A file that cannot be read keeps what it had said.
  Result<std::string> authorization();
  // Reads the token's file at the next request; false when there is none to read.
  bool reread_token();
  // For a new connection; null for a server without TLS.
  Result<std::shared_ptr<const net::TlsClientContext>> tls();

 private:
  Result<std::string> content_of(const std::string& given, const std::string& file);

  env::Files& files_;
  env::Clock& clock_;
  const Access access_;
  std::string token_;
  bool token_read_ = false;
  MonotonicTime token_time_;
  net::TlsClientFiles tls_files_;
  std::shared_ptr<const net::TlsClientContext> tls_;
  MonotonicTime tls_time_;
};

}  // namespace windlass::remote
