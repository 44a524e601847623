#include "net/tls/tls_client_context.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <string_view>

#include "net/tls/openssl_handles.h"
#include "net/tls/stream_bio.h"
#include "net/tls/tls_stream.h"

namespace windlass::net {
namespace {

// ALPN's wire form: length, name; what is liked best first.
constexpr std::string_view kBoth = "\x02h2\x08http/1.1";
constexpr std::string_view kHttp11 = kBoth.substr(3);

bool is_ip_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> ignored;
  return ::inet_pton(AF_INET, name.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

Result<void> trust(SSL_CTX* context, const std::string& authority_pem) {
  if (authority_pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) {
      return fail(openssl_error("use the system's certificate authorities"));
    }
    return {};
  }
  // A named authority is trusted, also an intermediate one whose own authority is not there, as in
  // Go's clients.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  TRY(const std::vector<X509Handle> authorities, read_certificates(authority_pem));
  for (const X509Handle& authority : authorities) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) {
      return fail(openssl_error("use the certificate authority"));
    }
  }
  return {};
}

Result<void> identify(SSL_CTX* context, const TlsClientFiles& files) {
  TRY(std::vector<X509Handle> chain, read_certificates(files.certificate_pem));
  TRY(const KeyHandle key, read_key(files.key_pem));
  bool good = SSL_CTX_use_certificate(context, chain.front().get()) == 1 &&
              SSL_CTX_use_PrivateKey(context, key.get()) == 1;
  for (size_t i = 1; i < chain.size() && good; ++i) {
    good = SSL_CTX_add1_chain_cert(context, chain[i].get()) == 1;
  }
  if (!good) {
    return fail(openssl_error("use the client certificate"));
  }
  return {};
}

}  // namespace

void TlsClientContext::Free::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

Result<std::shared_ptr<const TlsClientContext>> TlsClientContext::make(
    const TlsClientFiles& files) {
  ERR_clear_error();
  Handle handle(SSL_CTX_new(TLS_client_method()));
  if (handle == nullptr || SSL_CTX_set_min_proto_version(handle.get(), TLS1_2_VERSION) != 1) {
    return fail(openssl_error("set up TLS"));
  }
  SSL_CTX_set_mode(handle.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(handle.get(), files.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (files.verify) {
    TRY_VOID(trust(handle.get(), files.authority_pem));
  }
  if (!files.certificate_pem.empty()) {
    TRY_VOID(identify(handle.get(), files));
  }
  return std::shared_ptr<const TlsClientContext>(
      new TlsClientContext(std::move(handle), files.verify));
}

ssl_st* TlsClientContext::make_connection(const std::string& server_name, bool http2) const {
  TlsStream::Handle connection(SSL_new(handle_.get()));
  const std::string_view spoken = http2 ? kBoth : kHttp11;
  if (connection == nullptr ||
      SSL_set_alpn_protos(connection.get(), reinterpret_cast<const unsigned char*>(spoken.data()),
                          static_cast<unsigned>(spoken.size())) != 0) {
    return nullptr;
  }
  const bool address = is_ip_address(server_name);
  // OpenSSL's macro for this has an old-style cast. It only reads the name.
  std::string name = server_name;
  bool good = address || SSL_ctrl(connection.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                                  TLSEXT_NAMETYPE_host_name, name.data()) == 1;
  if (verify_ && good) {
    X509_VERIFY_PARAM* checks = SSL_get0_param(connection.get());
    X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    good = address ? X509_VERIFY_PARAM_set1_ip_asc(checks, server_name.c_str()) == 1
                   : X509_VERIFY_PARAM_set1_host(checks, server_name.c_str(), 0) == 1;
  }
  if (!good) {
    return nullptr;
  }
  SSL_set_connect_state(connection.get());
  return connection.release();
}

std::unique_ptr<ByteStream> TlsClientContext::connect(std::unique_ptr<ByteStream> below,
                                                      const std::string& server_name,
                                                      bool http2) const {
  TlsStream::Handle connection(make_connection(server_name, http2));
  BIO* bio = connection == nullptr ? nullptr : make_stream_bio(*below);
  if (bio == nullptr) {
    ERR_clear_error();
    return nullptr;
  }
  SSL_set_bio(connection.get(), bio, bio);  // which takes it over
  return std::make_unique<TlsStream>(std::move(below), std::move(connection));
}

}  // namespace windlass::net
