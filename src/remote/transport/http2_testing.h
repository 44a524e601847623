// For tests only: servers that speak HTTP/2 over TLS and say exactly what their script says. Each
// connection has the next script and a thread of its own.
#pragma once

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/http2_testing.h"
#include "net/stream/endpoint.h"
#include "net/tls/certificates.h"
#include "net/tls/openssl_handles.h"
#include "posix/files/file_descriptor.h"
#include "posix/posix_clock.h"
#include "remote/cluster_access.h"
#include "remote/testing.h"

namespace windlass::remote::testing {

class Http2Peer {
 public:
  Http2Peer(posix::FileDescriptor fd, SSL* tls,
            const http::testing::Http2Server::Settings& settings)
      : fd_(std::move(fd)), tls_(tls), h2_(settings) {}
  ~Http2Peer() { SSL_free(tls_); }
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;

  http::testing::Http2Server& h2() { return h2_; }
  // Of the certificate that the client has shown; "" without.
  std::string client_name() const {
    X509* shown = SSL_get0_peer_certificate(tls_);
    char name[100] = "";
    if (shown != nullptr) {
      X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, name, sizeof name);
    }
    return name;
  }

  // Answers as it is told, and reads, until this is so. False when the client has hung up before.
  bool run_until(const std::function<bool()>& done) {
    while (!done()) {
      flush();
      if (!read()) {
        return false;
      }
    }
    flush();
    return true;
  }
  // So many requests are there whole. Answers the stream of the last one.
  int32_t receive(size_t count) {
    run_until([&] { return h2_.whole_requests() >= count; });
    return h2_.requests().empty() ? 0 : h2_.requests().rbegin()->first;
  }
  // Until the client hangs up.
  void linger() {
    run_until([] { return false; });
  }
  void flush() { send(h2_.output()); }
  // As they are.
  void send(std::string_view bytes) {
    if (!bytes.empty()) {
      SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
    }
  }
  // Of a client that was given no HTTP/2: the head of a request, or what came before it hung up.
  std::string receive_head() {
    std::string text;
    char byte = 0;
    while (text.find("\r\n\r\n") == std::string::npos && SSL_read(tls_, &byte, 1) == 1) {
      text += byte;
    }
    return text;
  }
  // With a reset, without a word.
  void cut() {
    const linger_t now = {1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    fd_.reset();
  }

 private:
  using linger_t = struct linger;

  bool read() {
    pollfd waits = {fd_.get(), POLLIN, 0};
    if (SSL_pending(tls_) == 0 && ::poll(&waits, 1, kPatienceSeconds * 1000) != 1) {
      return false;
    }
    char buffer[16384];
    const int got = SSL_read(tls_, buffer, sizeof buffer);
    return got > 0 && h2_.feed({buffer, static_cast<size_t>(got)});
  }

  posix::FileDescriptor fd_;
  SSL* tls_;
  http::testing::Http2Server h2_;
};

class Http2ScriptedServer {
 public:
  using Script = std::function<void(Http2Peer&)>;

  explicit Http2ScriptedServer(std::vector<Script> scripts,
                               const http::testing::Http2Server::Settings& settings = {})
      : settings_(settings) {
    posix::PosixClock clock;
    authority_ = *net::make_authority("ca", clock.now());
    const auto certified = *net::issue_server(authority_, {"127.0.0.1"}, clock.now());
    context_ = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(context_, net::read_certificate(certified.certificate_pem)->get());
    SSL_CTX_use_PrivateKey(context_, net::read_key(certified.key_pem)->get());
    SSL_CTX_set_alpn_select_cb(context_, choose_http2, &without_http2_);
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
    SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
    auto listening = net::listen_on(endpoint_);
    EXPECT_TRUE(listening.has_value());
    thread_ = std::thread([this, fd = *std::move(listening), scripts = std::move(scripts)] {
      std::vector<std::thread> peers;
      for (const Script& script : scripts) {
        pollfd waits = {fd.get(), POLLIN, 0};
        if (::poll(&waits, 1, kPatienceSeconds * 1000) != 1) {
          break;
        }
        peers.emplace_back(
            [this, &script, taken = ::accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC)] {
              serve(posix::FileDescriptor(taken), script);
            });
      }
      for (std::thread& peer : peers) {
        peer.join();
      }
    });
  }
  ~Http2ScriptedServer() {
    thread_.join();
    SSL_CTX_free(context_);
  }
  Http2ScriptedServer(const Http2ScriptedServer&) = delete;
  Http2ScriptedServer& operator=(const Http2ScriptedServer&) = delete;

  ClusterAccess access() const {
    ClusterAccess access;
    access.server = {true, endpoint_.address, endpoint_.port, ""};
    access.authority_pem = authority_.certificate_pem;
    return access;
  }
  // To the next so many connections.
  void speak_http11(int connections) { without_http2_ = connections; }
  net::CertifiedKey client_certificate(const std::string& name) const {
    return *net::issue_client(authority_, name, {}, posix::PosixClock().now());
  }

 private:
  static int choose_http2(SSL* /*tls*/, const unsigned char** out, unsigned char* out_length,
                          const unsigned char* in, unsigned in_length, void* argument) {
    if (static_cast<std::atomic<int>*>(argument)->fetch_sub(1) > 0) {
      return SSL_TLSEXT_ERR_NOACK;
    }
    constexpr std::string_view kOffer = "\x02h2";
    const std::string_view offered(reinterpret_cast<const char*>(in), in_length);
    const size_t at = offered.find(kOffer);
    if (at == std::string_view::npos) {
      return SSL_TLSEXT_ERR_NOACK;
    }
    *out = in + at + 1;
    *out_length = 2;
    return SSL_TLSEXT_ERR_OK;
  }

  void serve(posix::FileDescriptor fd, const Script& script) {
    SSL* tls = SSL_new(context_);
    SSL_set_fd(tls, fd.get());
    const timeval patience = {kPatienceSeconds, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    Http2Peer peer(std::move(fd), tls, settings_);
    if (SSL_accept(tls) == 1) {
      script(peer);
    }
    ERR_clear_error();
  }

  const http::testing::Http2Server::Settings settings_;
  net::Endpoint endpoint_;
  net::CertifiedKey authority_;
  SSL_CTX* context_ = nullptr;
  std::atomic<int> without_http2_ = 0;
  std::thread thread_;
};

}  // namespace windlass::remote::testing
