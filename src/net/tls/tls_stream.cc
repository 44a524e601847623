#include "net/tls/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "net/tls/openssl_handles.h"
#include "net/tls/stream_bio.h"

namespace windlass::net {
namespace {

constexpr size_t kRecordBytes = 16 * 1024;  // the most that one TLS record carries
constexpr size_t kMaxOrganizations = 64;

// All values of one attribute of a subject; nothing when one is not plain text.
bool subject_values(const X509_NAME* name, int attribute, std::vector<std::string>& values) {
  for (int at = X509_NAME_get_index_by_NID(name, attribute, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, attribute, at)) {
    const ASN1_STRING* data = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    unsigned char* text = nullptr;
    const int length = ASN1_STRING_to_UTF8(&text, data);
    if (length <= 0 || values.size() == kMaxOrganizations) {
      OPENSSL_free(text);
      return false;
    }
    std::string value(text, text + length);
    OPENSSL_free(text);
    const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
      return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
    });
    if (!plain) {
      return false;
    }
    values.push_back(std::move(value));
  }
  return true;
}

// False for a certificate that names no user, or two.
bool read_identity(const X509* certificate, http::Peer& peer) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  std::vector<std::string> names;
  if (!subject_values(subject, NID_commonName, names) || names.size() != 1 ||
      !subject_values(subject, NID_organizationName, peer.organizations)) {
    return false;
  }
  peer.common_name = std::move(names.front());
  return true;
}

}  // namespace

void TlsStream::Free::operator()(ssl_st* connection) const {
  SSL_free(connection);
}

TlsStream::TlsStream(posix::FileDescriptor socket, Handle handle)
    : ByteStream(std::move(socket)), handle_(std::move(handle)) {}

TlsStream::TlsStream(std::unique_ptr<ByteStream> below, Handle handle)
    : ByteStream(posix::FileDescriptor()), below_(std::move(below)), handle_(std::move(handle)) {}

void TlsStream::note_failure() {
  const long verified = SSL_get_verify_result(handle_.get());
  failure_ = verified != X509_V_OK && SSL_is_server(handle_.get()) == 0
                 ? std::string("certificate: ") + X509_verify_cert_error_string(verified)
                 : openssl_error("TLS").message;
}

Io TlsStream::result_of(int returned) {
  switch (SSL_get_error(handle_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return Io::want_read;
    case SSL_ERROR_WANT_WRITE:
      return Io::want_write;
    case SSL_ERROR_ZERO_RETURN:
      return Io::closed;
    default:
      // After this, OpenSSL allows nothing more, not even a proper end.
      SSL_set_quiet_shutdown(handle_.get(), 1);
      note_failure();
      ERR_clear_error();
      return Io::failed;
  }
}

Io TlsStream::handshake(http::Peer& peer) {
  ERR_clear_error();
  const int returned = SSL_do_handshake(handle_.get());
  if (returned != 1) {
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) {
      answer_plain_http();
    }
    return result_of(returned);
  }
  if (SSL_is_server(handle_.get()) == 0) {
    return Io::done;  // the certificate was checked against the server's name
  }
  const X509* certificate = SSL_get0_peer_certificate(handle_.get());
  // One that does not verify has failed the handshake already.
  return certificate == nullptr || read_identity(certificate, peer) ? Io::done : Io::failed;
}

std::string TlsStream::protocol() const {
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(handle_.get(), &name, &length);
  return {name, name + length};
}

// The client has left out the s of https. Tries once to say so.
void TlsStream::answer_plain_http() {
  constexpr std::string_view kAnswer =
      "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
      "Client sent an HTTP request to an HTTPS server.\n";
  ::send(fd(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(fd(), SHUT_WR);
  // Closing a socket with unread bytes resets it, and the client may not see the answer.
  std::array<char, kRecordBytes> unread;
  ::recv(fd(), unread.data(), unread.size(), MSG_DONTWAIT);
}

Transfer TlsStream::read(std::span<char> buffer) {
  ERR_clear_error();
  size_t got = 0;
  const int returned = SSL_read_ex(handle_.get(), buffer.data(), buffer.size(), &got);
  return returned == 1 ? Transfer{Io::done, got} : Transfer{result_of(returned)};
}

bool TlsStream::has_received() const {
  return SSL_has_pending(handle_.get()) == 1 ||
         (below_ != nullptr &&
          (has_fetched(SSL_get_rbio(handle_.get())) || below_->has_received()));
}

// A call after want_write begins with the same bytes and has at least as many, which is what
// OpenSSL asks for: the caller only ever adds at the end.
Transfer TlsStream::write(std::span<const std::string_view> parts) {
  ERR_clear_error();
  std::array<char, kRecordBytes> record;
  std::string_view bytes = parts.front();
  if (bytes.size() < kRecordBytes && parts.size() > 1) {
    size_t filled = 0;
    for (const std::string_view part : parts) {
      const size_t taken = std::min(part.size(), kRecordBytes - filled);
      std::memcpy(record.data() + filled, part.data(), taken);
      filled += taken;
      if (filled == kRecordBytes) {
        break;
      }
    }
    bytes = {record.data(), filled};
  }
  size_t sent = 0;
  const int returned = SSL_write_ex(handle_.get(), bytes.data(), bytes.size(), &sent);
  return returned == 1 ? Transfer{Io::done, sent} : Transfer{result_of(returned)};
}

void TlsStream::finish_writing() {
  ERR_clear_error();
  SSL_shutdown(handle_.get());
  ERR_clear_error();
  ::shutdown(fd(), SHUT_WR);
}

}  // namespace windlass::net
