// For tests only: a blocking TLS client with OpenSSL's own client side.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>

#include <algorithm>
#include <string>

#include "net/testing.h"
#include "net/tls/certificates.h"
#include "net/tls/openssl_handles.h"

namespace windlass::net::testing {

struct TlsClientOptions {
  CertifiedKey certificate = {};
  int max_version = TLS1_3_VERSION;
  std::string protocols = {};  // ALPN's wire form
};

// Blocking, over the plain test client's socket.
class TlsClient {
 public:
  TlsClient(const Endpoint& endpoint, const std::string& authority_pem,
            const TlsClientOptions& options = {})
      : client_(endpoint), context_(SSL_CTX_new(TLS_client_method())) {
    ::signal(SIGPIPE, SIG_IGN);  // OpenSSL's client writes to a server that may have hung up
    const timeval patience = {kDeadlineMs / 1000, 0};
    ::setsockopt(client_.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const X509Handle trusted = *read_certificate(authority_pem);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), trusted.get());
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_max_proto_version(context_, options.max_version);
    SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
    if (options.max_version < TLS1_2_VERSION) {
      SSL_CTX_set_cipher_list(context_, "ALL:@SECLEVEL=0");  // or the client itself would refuse
    }
    if (!options.certificate.key_pem.empty()) {
      SSL_CTX_use_certificate(context_,
                              read_certificate(options.certificate.certificate_pem)->get());
      SSL_CTX_use_PrivateKey(context_, read_key(options.certificate.key_pem)->get());
    }
    connection_ = SSL_new(context_);
    SSL_set_alpn_protos(connection_,
                        reinterpret_cast<const unsigned char*>(options.protocols.data()),
                        static_cast<unsigned>(options.protocols.size()));
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection_), "127.0.0.1");
    SSL_set_fd(connection_, client_.fd());
    connected_ = SSL_connect(connection_) == 1;
  }
  ~TlsClient() {
    SSL_free(connection_);
    SSL_CTX_free(context_);
    ERR_clear_error();
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool connected() const { return connected_; }
  int version() const { return SSL_version(connection_); }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(connection_, &name, &length);
    return {name, name + length};
  }
  void send(const std::string& bytes) {
    SSL_write(connection_, bytes.data(), static_cast<int>(bytes.size()));
  }
  std::string receive(size_t bytes) {
    std::string all;
    std::string buffer(65536, '\0');
    while (all.size() < bytes) {
      const int got = SSL_read(connection_, buffer.data(), static_cast<int>(buffer.size()));
      if (got <= 0) {
        break;
      }
      all.append(buffer, 0, static_cast<size_t>(got));
    }
    return all;
  }
  // Whole, when it ends in `mark`.
  std::string receive_until(std::string_view mark) {
    std::string all;
    size_t searched = 0;
    while (all.find(mark, searched) == std::string::npos) {
      searched = all.size() - std::min(all.size(), mark.size());
      const std::string more = receive(1);
      if (more.empty()) {
        return all;
      }
      all += more;
    }
    return all;
  }

 private:
  Client client_;
  SSL_CTX* context_;
  SSL* connection_ = nullptr;
  bool connected_ = false;
};

}  // namespace windlass::net::testing
