#include "net/tls/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <string_view>

#include "net/tls/openssl_handles.h"
#include "net/tls/tls_stream.h"

namespace windlass::net {
namespace {

constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";  // ALPN's wire form: length, name

int choose_protocol(SSL* /*connection*/, const unsigned char** out, unsigned char* out_length,
                    const unsigned char* in, unsigned int in_length, void* /*argument*/) {
  unsigned char* chosen = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kProtocols.data());
  if (SSL_select_next_proto(&chosen, out_length, ours, static_cast<unsigned>(kProtocols.size()), in,
                            in_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Result<void> use_certificate(SSL_CTX* context, const TlsFiles& files) {
  TRY(const X509Handle certificate, read_certificate(files.certificate_pem));
  TRY(const KeyHandle key, read_key(files.key_pem));
  if (SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return fail(openssl_error("use the server's certificate"));
  }
  return {};
}

Result<void> trust_clients_of(SSL_CTX* context, const std::string& authority_pem) {
  TRY(const X509Handle authority, read_certificate(authority_pem));
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  // Named to clients, so that they send the certificate that fits, or none.
  if (X509_STORE_add_cert(store, authority.get()) != 1 ||
      SSL_CTX_add_client_CA(context, authority.get()) != 1) {
    return fail(openssl_error("use the certificate authority"));
  }
  // One that is given must be good; none at all is for the API server to judge.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return {};
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsFiles& files) {
  ERR_clear_error();
  Handle handle(SSL_CTX_new(TLS_server_method()));
  if (handle == nullptr || SSL_CTX_set_min_proto_version(handle.get(), TLS1_2_VERSION) != 1) {
    return fail(openssl_error("set up TLS"));
  }
  SSL_CTX_set_options(handle.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                        SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(handle.get(), SSL_SESS_CACHE_OFF);
  // A record's head and its content with one system call.
  SSL_CTX_set_read_ahead(handle.get(), 1);
  SSL_CTX_set_num_tickets(handle.get(), 0);
  // Buffers of idle connections are given back: thousands of watches mostly wait.
  SSL_CTX_set_mode(handle.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                     SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_set_cipher_list(handle.get(), "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
    return fail(openssl_error("choose ciphers"));
  }
  SSL_CTX_set_alpn_select_cb(handle.get(), choose_protocol, nullptr);
  TRY_VOID(use_certificate(handle.get(), files));
  TRY_VOID(trust_clients_of(handle.get(), files.client_authority_pem));
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(handle)));
}

std::unique_ptr<ByteStream> TlsContext::accept(posix::FileDescriptor fd) const {
  TlsStream::Handle connection(SSL_new(handle_.get()));
  if (connection == nullptr || SSL_set_fd(connection.get(), fd.get()) != 1) {
    ERR_clear_error();
    return nullptr;
  }
  SSL_set_accept_state(connection.get());
  return std::make_unique<TlsStream>(std::move(fd), std::move(connection));
}

}  // namespace windlass::net
