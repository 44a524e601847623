#include "remote/transport/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "net/tls/tls_testing.h"
#include "remote/testing.h"
#include "remote/transport/environment_proxy.h"

namespace windlass::remote {
namespace {

using testing::config_ref;
using ::testing::HasSubstr;
using testing::kConfigMap;
using testing::ScriptedConnection;
using testing::ScriptedServer;
using testing::TestClient;

// "" when a read through the proxy succeeds, or else why it does not.
std::string read_through(const std::string& server, const ScriptedServer& proxy, Proxy::Kind kind,
                         const std::string& user = "", const std::string& password = "") {
  ClusterAccess access;
  access.server = *parse_server_url(server);
  access.proxy = Proxy{kind, proxy.access().server, user, password};
  TestClient caller(access);
  const auto got = caller.get(config_ref());
  return got ? "" : got.error().message;
}

TEST(HttpProxy, OpensATunnel) {
  ScriptedServer proxy({[](ScriptedConnection& peer) {
                          EXPECT_EQ(peer.receive(),
                                    "CONNECT api.example.com:6443 HTTP/1.1\r\n"
                                    "Host: api.example.com:6443\r\n"
                                    "Proxy-Authorization: Basic dTpw\r\n\r\n");
                          peer.send("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n");
                          EXPECT_THAT(peer.receive(), HasSubstr("Host: api.example.com:6443\r\n"));
                          peer.answer(200, kConfigMap);
                        },
                        [](ScriptedConnection& peer) {
                          peer.receive();
                          peer.send("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
                        }});
  const std::string server = "http://api.example.com:6443";
  EXPECT_EQ(read_through(server, proxy, Proxy::Kind::http, "u", "p"), "");
  const std::string refused = read_through(server, proxy, Proxy::Kind::http);
  EXPECT_THAT(refused, HasSubstr("connect to api.example.com:6443 through 127.0.0.1:"));
  EXPECT_THAT(refused, HasSubstr("the proxy refuses: HTTP/1.1 407 Proxy"));
}

std::string raw(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) {
    text += static_cast<char>(value);
  }
  return text;
}

void serve_after_socks(ScriptedConnection& peer) {
  peer.receive();
  peer.answer(200, kConfigMap);
}

// RFC 1928: the proxy is given the name, and looks it up itself.
TEST(Socks5Proxy, ConnectsByNameAndByAddress) {
  ScriptedServer proxy(
      {[](ScriptedConnection& peer) {
         EXPECT_EQ(peer.receive_bytes(3), raw({5, 1, 0}));
         peer.send(raw({5, 0}));
         EXPECT_EQ(peer.receive_bytes(12), raw({5, 1, 0, 3, 5}) + "api.x" + raw({0x19, 0x2B}));
         peer.send(raw({5, 0, 0, 1, 10, 0, 0, 1, 0, 80}));
         serve_after_socks(peer);
       },
       [](ScriptedConnection& peer) {
         peer.receive_bytes(3);
         peer.send(raw({5, 0}));
         EXPECT_EQ(peer.receive_bytes(10), raw({5, 1, 0, 1, 10, 1, 2, 3, 0, 80}));
         // An answer with a name, in two pieces.
         peer.send(raw({5, 0, 0, 3, 4, 'n', 'a'}));
         peer.send(raw({'m', 'e', 0, 80}));
         serve_after_socks(peer);
       },
       [](ScriptedConnection& peer) {
         peer.receive_bytes(3);
         peer.send(raw({5, 0}));
         EXPECT_EQ(peer.receive_bytes(22).substr(3, 1), raw({4}));
         peer.send(raw({5, 0, 0, 4}) + std::string(16, 'x') + raw({0, 80}));
         serve_after_socks(peer);
       }});
  EXPECT_EQ(read_through("http://api.x:6443", proxy, Proxy::Kind::socks5), "");
  EXPECT_EQ(read_through("http://10.1.2.3", proxy, Proxy::Kind::socks5), "");
  EXPECT_EQ(read_through("http://[fd00::1]:443", proxy, Proxy::Kind::socks5), "");
}

// RFC 1929.
TEST(Socks5Proxy, SaysWhoWeAre) {
  const auto login = [](ScriptedConnection& peer, char verdict) {
    EXPECT_EQ(peer.receive_bytes(4), raw({5, 2, 0, 2}));
    peer.send(raw({5, 2}));
    EXPECT_EQ(peer.receive_bytes(9), raw({1, 3}) + "jim" + raw({3}) + "a:b");
    peer.send(raw({1, verdict}));
  };
  ScriptedServer proxy({[&](ScriptedConnection& peer) {
                          login(peer, 0);
                          peer.receive_bytes(8);
                          peer.send(raw({5, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
                          serve_after_socks(peer);
                        },
                        [&](ScriptedConnection& peer) { login(peer, 1); }});
  EXPECT_EQ(read_through("http://h", proxy, Proxy::Kind::socks5, "jim", "a:b"), "");
  EXPECT_THAT(read_through("http://h", proxy, Proxy::Kind::socks5, "jim", "a:b"),
              HasSubstr("the proxy refuses the user or the password"));
}

TEST(Socks5Proxy, SaysWhyItDoesNotWork) {
  struct Case {
    std::string method;
    std::string reply;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"HT", "", "the proxy does not speak SOCKS5"},
      {raw({5, 0xFF}), "", "method of authentication that is not supported"},
      {raw({5, 2}), "", "method of authentication that is not supported"},
      {raw({5, 0}), raw({5, 2, 0, 1, 0}), "the proxy refuses: not allowed by its rules"},
      {raw({5, 0}), raw({5, 99, 0, 1, 0}), "the proxy refuses: code 99"},
      {raw({5, 0}), raw({5, 0, 0, 9, 0}), "the proxy does not speak SOCKS5"},
      {raw({5, 0}), raw({5, 0, 0, 1, 0}), "the proxy has ended the connection"},
  };
  for (const Case& each : cases) {
    ScriptedServer proxy({[&](ScriptedConnection& peer) {
      peer.receive_bytes(3);
      peer.send(each.method);
      if (!each.reply.empty()) {
        peer.receive_bytes(8);
        peer.send(each.reply);
      }
    }});
    EXPECT_THAT(read_through("http://h", proxy, Proxy::Kind::socks5), HasSubstr(each.why));
  }
}

// A proxy behind TLS: takes one connection, says yes to CONNECT, and carries bytes both ways.
class TlsProxy {
 public:
  TlsProxy(const net::CertifiedKey& certified, uint16_t target) {
    auto listening = net::listen_on(endpoint_);
    thread_ = std::thread([this, certified, target, fd = *std::move(listening)] {
      pollfd waits = {fd.get(), POLLIN, 0};
      ::poll(&waits, 1, testing::kPatienceSeconds * 1000);
      const posix::FileDescriptor taken(::accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
      SSL_CTX* context = SSL_CTX_new(TLS_server_method());
      SSL_CTX_use_certificate(context, net::read_certificate(certified.certificate_pem)->get());
      SSL_CTX_use_PrivateKey(context, net::read_key(certified.key_pem)->get());
      SSL* tls = SSL_new(context);
      SSL_set_fd(tls, taken.get());
      if (SSL_accept(tls) == 1) {
        carry(tls, taken.get(), target);
      }
      SSL_free(tls);
      SSL_CTX_free(context);
    });
  }
  ~TlsProxy() { thread_.join(); }
  const net::Endpoint& endpoint() const { return endpoint_; }
  const std::string& asked() const { return asked_; }

 private:
  void carry(SSL* tls, int client, uint16_t target) {
    char buffer[16384];
    while (asked_.find("\r\n\r\n") == std::string::npos) {
      const int got = SSL_read(tls, buffer, sizeof buffer);
      if (got <= 0) {
        return;
      }
      asked_.append(buffer, static_cast<size_t>(got));
    }
    constexpr std::string_view kYes = "HTTP/1.1 200 OK\r\n\r\n";
    SSL_write(tls, kYes.data(), static_cast<int>(kYes.size()));
    net::testing::Client server({"127.0.0.1", target});
    while (true) {
      pollfd waits[] = {{client, POLLIN, 0}, {server.fd(), POLLIN, 0}};
      if (SSL_pending(tls) == 0 && ::poll(waits, 2, testing::kPatienceSeconds * 1000) < 1) {
        return;
      }
      if (SSL_pending(tls) > 0 || waits[0].revents != 0) {
        const int got = SSL_read(tls, buffer, sizeof buffer);
        if (got <= 0) {
          return;
        }
        ::send(server.fd(), buffer, static_cast<size_t>(got), MSG_NOSIGNAL);
      } else {
        const ssize_t got = ::recv(server.fd(), buffer, sizeof buffer, 0);
        if (got <= 0) {
          return;
        }
        SSL_write(tls, buffer, static_cast<int>(got));
      }
    }
  }

  net::Endpoint endpoint_;
  std::string asked_;
  std::thread thread_;
};

TEST(HttpsProxy, CarriesTlsInsideOfTls) {
  posix::PosixClock clock;
  const auto authority = *net::make_authority("ca", clock.now());
  const auto certified = *net::issue_server(authority, {"127.0.0.1"}, clock.now());
  net::ServerOptions options;
  options.tls = *net::TlsContext::make(
      {certified.certificate_pem, certified.key_pem, authority.certificate_pem});
  net::testing::LambdaHandler handler;
  handler.on_core = [](const http::Request&, const net::testing::ExchangePtr& exchange) {
    // More than a record, so that it comes in pieces.
    exchange->respond({200,
                       {{"Content-Type", "application/json"}},
                       R"({"kind":"ConfigMap","apiVersion":"v1","data":{"a":")" +
                           std::string(300'000, 'x') + "\"}}"});
  };
  net::testing::TestServer server(std::move(options), std::move(handler));
  for (const bool trusted : {true, false}) {
    const auto other = *net::make_authority("other", clock.now());
    const auto of_proxy =
        *net::issue_server(trusted ? authority : other, {"127.0.0.1"}, clock.now());
    std::string said;
    {
      TlsProxy proxy(of_proxy, server.server->endpoint().port);
      ClusterAccess access;
      access.server = {true, "127.0.0.1", server.server->endpoint().port, ""};
      access.authority_pem = authority.certificate_pem;
      access.proxy = Proxy{
          Proxy::Kind::https, {true, proxy.endpoint().address, proxy.endpoint().port, ""}, "", ""};
      {
        TestClient caller(access);
        const auto got = caller.get(config_ref());
        said = got ? std::to_string(
                         static_cast<const api::core::v1::ConfigMap&>(**got).data().at("a").size())
                   : got.error().message;
      }
      if (trusted) {
        EXPECT_THAT(proxy.asked(), ::testing::StartsWith("CONNECT 127.0.0.1:"));
      }
    }
    EXPECT_THAT(said, trusted ? HasSubstr("300000") : HasSubstr("connect to proxy 127.0.0.1:"));
  }
}

TEST(ProxyUrl, TakesAUserAndRefusesWhatItCannotDo) {
  const auto proxy = parse_proxy_url("http://u:p%40@proxy:3128");
  ASSERT_TRUE(proxy.has_value()) << proxy.error().message;
  EXPECT_EQ(proxy->server.authority(), "proxy:3128");
  EXPECT_EQ(proxy->user, "u");
  EXPECT_EQ(proxy->password, "p@");
  EXPECT_EQ(parse_proxy_url("http://[::1]:8080/")->server.authority(), "[::1]:8080");
  EXPECT_EQ(parse_proxy_url("https://p")->server.authority(), "p:443");
  EXPECT_EQ(parse_proxy_url("https://p")->kind, Proxy::Kind::https);
  EXPECT_EQ(parse_proxy_url("socks5://p")->server.authority(), "p:1080");
  EXPECT_EQ(parse_proxy_url("socks5h://p:99/")->server.authority(), "p:99");
  EXPECT_EQ(parse_proxy_url("socks5://[::1]")->server.authority(), "[::1]:1080");
  EXPECT_EQ(parse_proxy_url("socks5://[::1]")->kind, Proxy::Kind::socks5);
  for (const char* bad : {"ftp://p", "socks4://p", "http://", "http://CANARY:x@p/path", "p:80",
                          "http://CANARY%zz@p"}) {
    const auto refused = parse_proxy_url(bad);
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_EQ(refused.error().message.find("CANARY"), std::string::npos);
  }
  EXPECT_FALSE(parse_proxy_url("socks5://" + std::string(256, 'u') + "@p").has_value());
}

TEST(EnvironmentProxy, IsTheOneForTheServersScheme) {
  const ProxyEnvironment environment{"https://secure:1", "plain:2", ""};
  const auto found = [&](const char* server) {
    const auto proxy = *proxy_from_environment(*parse_server_url(server), environment);
    return proxy ? proxy->server.authority() : "";
  };
  EXPECT_EQ(found("https://a:6443"), "secure:1");
  EXPECT_EQ(found("http://a"), "plain:2");
  for (const char* own : {"https://localhost:6443", "https://127.0.0.1", "https://[::1]:6443",
                          "http://127.9.9.9", "https://LOCALHOST"}) {
    EXPECT_EQ(found(own), "") << own;
  }
  EXPECT_FALSE(proxy_from_environment(*parse_server_url("https://a"), {"ftp://x", "", ""}));
  EXPECT_FALSE((*proxy_from_environment(*parse_server_url("https://a"), {})).has_value());
}

TEST(EnvironmentProxy, ExceptionsAreReadAsGoReadsThem) {
  struct Case {
    const char* server;
    const char* no_proxy;
    bool excepted;
  };
  for (const Case& each : std::vector<Case>{
           {"https://api.example.com:6443", "*", true},
           {"https://api.example.com:6443", "", false},
           {"https://api.example.com:6443", "example.com", true},
           {"https://example.com:6443", "example.com", true},
           {"https://notexample.com:6443", "example.com", false},
           {"https://example.com:6443", ".example.com", false},
           {"https://api.example.com:6443", ".example.com", true},
           {"https://example.com:6443", "*.example.com", false},
           {"https://api.example.com:6443", "*.example.com", true},
           {"https://API.Example.com:6443", " other , EXAMPLE.com ", true},
           {"https://api.example.com:6443", "example.com:6443", true},
           {"https://api.example.com:6443", "example.com:443", false},
           {"https://10.1.2.3:6443", "10.0.0.0/8", true},
           {"https://11.1.2.3:6443", "10.0.0.0/8", false},
           {"https://10.1.2.3:6443", "10.1.2.2/31", true},
           {"https://10.1.2.3:6443", "10.1.2.3", true},
           {"https://10.1.2.3:6443", "10.1.2.3:6443", true},
           {"https://10.1.2.3:6443", "10.1.2.3:1", false},
           {"https://10.1.2.3:6443", "10.1.2.4", false},
           {"https://[fd00::1]:6443", "fd00::/8", true},
           {"https://[fd00::1]:6443", "fd00::1", true},
           {"https://[fd00::1]:6443", "[fd00::1]:6443", true},
           {"https://[fd00::1]:6443", "[fd00::1]:1", false},
           {"https://[fd00::1]:6443", "10.0.0.0/8,,:,", false},
           {"https://10.1.2.3:6443", "10.0.0.0/99", false},
       }) {
    EXPECT_EQ(is_excepted(*parse_server_url(each.server), each.no_proxy), each.excepted)
        << each.server << " " << each.no_proxy;
  }
}

}  // namespace
}  // namespace windlass::remote
