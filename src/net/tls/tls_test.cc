// TLS over real sockets, with OpenSSL's own client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/tls/certificates.h"
#include "net/tls/tls_testing.h"

namespace windlass::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;

struct Authority {
  Time now = posix::PosixClock().now();
  CertifiedKey authority = *make_authority("windlass-ca", now);
  CertifiedKey server = *issue_server(authority, {"127.0.0.1", "localhost"}, now);
};

LambdaHandler tells_who_asks() {
  LambdaHandler lambdas;
  lambdas.on_core = [](const http::Request& request, const ExchangePtr& exchange) {
    std::string text = "user=" + request.peer.common_name;
    for (const auto& organization : request.peer.organizations) {
      text += " group=" + organization;
    }
    exchange->respond({200, {}, text + " end"});
  };
  return lambdas;
}

ServerOptions with_tls(const Authority& own) {
  ServerOptions options;
  options.tls = *TlsContext::make(
      {own.server.certificate_pem, own.server.key_pem, own.authority.certificate_pem});
  return options;
}

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(Tls, ServesClientsThatTrustTheAuthority) {
  const Authority own;
  TestServer server(with_tls(own), tells_who_asks());
  TlsClient client(server.server->endpoint(), own.authority.certificate_pem,
                   {{}, TLS1_3_VERSION, "\x08http/1.1"});
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.version(), TLS1_3_VERSION);
  EXPECT_EQ(client.protocol(), "http/1.1");
  for (int i = 0; i < 3; ++i) {
    client.send(kGet);
    EXPECT_THAT(client.receive_until("end"), HasSubstr("\r\n\r\nuser= end"));
  }
}

TEST(Tls, AnotherCertificateIsForNewConnections) {
  const Authority own;
  const Authority other;
  TestServer server(with_tls(own), tells_who_asks());
  TlsClient before(server.server->endpoint(), own.authority.certificate_pem);
  ASSERT_TRUE(before.connected());
  server.server->use(with_tls(other).tls);
  for (int i = 0; i < 4; ++i) {  // whichever thread has them
    TlsClient after(server.server->endpoint(), other.authority.certificate_pem);
    ASSERT_TRUE(after.connected());
    after.send(kGet);
    EXPECT_THAT(after.receive_until("end"), HasSubstr("\r\n\r\nuser= end"));
  }
  before.send(kGet);
  EXPECT_THAT(before.receive_until("end"), HasSubstr("\r\n\r\nuser= end"));
}

TEST(Tls, AClientWithoutTlsIsToldSo) {
  const Authority own;
  TestServer server(with_tls(own), tells_who_asks());
  Client client(server.server->endpoint());
  client.send(kGet);
  const std::string answer = client.receive_rest();
  EXPECT_THAT(answer, HasSubstr("HTTP/1.0 400 Bad Request\r\n"));
  EXPECT_THAT(answer, HasSubstr("Client sent an HTTP request to an HTTPS server."));
}

TEST(Tls, ClientsOfAnotherAuthorityDoNotTrustUs) {
  const Authority own;
  const Authority other;
  TestServer server(with_tls(own), tells_who_asks());
  TlsClient client(server.server->endpoint(), other.authority.certificate_pem);
  EXPECT_FALSE(client.connected());
}

TEST(Tls, Tls12IsTheOldest) {
  const Authority own;
  TestServer server(with_tls(own), tells_who_asks());
  TlsClient tls12(server.server->endpoint(), own.authority.certificate_pem,
                  {{}, TLS1_2_VERSION, ""});
  EXPECT_TRUE(tls12.connected());
  TlsClient tls11(server.server->endpoint(), own.authority.certificate_pem,
                  {{}, TLS1_1_VERSION, ""});
  EXPECT_FALSE(tls11.connected());
}

TEST(Tls, Http2WhereTheClientSpeaksItToo) {
  const Authority own;
  TestServer server(with_tls(own), tells_who_asks());
  for (const auto& [offered, chosen] :
       std::map<std::string, std::string>{{"\x02h2", "h2"},
                                          {"\x08http/1.1\x02h2", "h2"},
                                          {"\x08http/1.1", "http/1.1"},
                                          {"", ""}}) {
    TlsClient client(server.server->endpoint(), own.authority.certificate_pem,
                     {{}, TLS1_3_VERSION, offered});
    EXPECT_TRUE(client.connected());
    EXPECT_EQ(client.protocol(), chosen);
  }
  TlsClient other(server.server->endpoint(), own.authority.certificate_pem,
                  {{}, TLS1_3_VERSION, "\x06spdy/3"});
  EXPECT_FALSE(other.connected());
}

TEST(Tls, AClientCertificateNamesItsUserAndGroups) {
  const Authority own;
  TestServer server(with_tls(own), tells_who_asks());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const CertifiedKey certificate =
        *issue_client(own.authority, "system:node:n1", {"system:nodes", "b"}, own.now);
    TlsClient client(server.server->endpoint(), own.authority.certificate_pem,
                     {certificate, version, ""});
    ASSERT_TRUE(client.connected());
    client.send(kGet);
    EXPECT_THAT(client.receive_until("end"),
                HasSubstr("user=system:node:n1 group=system:nodes group=b end"));
  }
}

// TLS 1.3 clients learn of it only when they read.
bool is_served(TlsClient& client) {
  if (!client.connected()) {
    return false;
  }
  client.send(kGet);
  return client.receive_until("end").find("200 OK") != std::string::npos;
}

TEST(Tls, BadClientCertificatesAreRefused) {
  const Authority own;
  const Authority other;
  TestServer server(with_tls(own), tells_who_asks());
  const Time long_ago = own.now - kCertificateLifetime - hours(1);
  const CertifiedKey bad[] = {
      *issue_client(other.authority, "admin", {"system:masters"}, own.now),  // not our authority
      *issue_client(own.authority, "admin", {"system:masters"}, long_ago),   // expired
      *issue_client(own.authority, "admin", {}, own.now + hours(1)),         // not valid yet
      own.server,                                                            // not for clients
      *issue_client(own.authority, "a\tb", {}, own.now),                     // names no user
  };
  for (const CertifiedKey& certificate : bad) {
    TlsClient client(server.server->endpoint(), own.authority.certificate_pem,
                     {certificate, TLS1_3_VERSION, ""});
    EXPECT_FALSE(is_served(client));
  }
  EXPECT_EQ(server.server->statistics().requests, 0u);
}

TEST(Tls, LargeAnswersAndStreamsComeWhole) {
  const Authority own;
  LambdaHandler lambdas;
  lambdas.on_core = [](const http::Request&, const ExchangePtr& exchange) {
    exchange->start(200, {});
    const auto piece = std::make_shared<const std::string>(100'000, 'x');
    for (int i = 0; i < 50; ++i) {
      exchange->write(piece);
      exchange->write(std::make_shared<const std::string>("small"));
    }
    exchange->finish();
  };
  lambdas.at_once["/big"] = {200, {}, std::string(5'000'000, 'y') + "end"};
  TestServer server(with_tls(own), lambdas);
  TlsClient client(server.server->endpoint(), own.authority.certificate_pem);
  ASSERT_TRUE(client.connected());
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string stream = client.receive_until("0\r\n\r\n");
  EXPECT_EQ(std::count(stream.begin(), stream.end(), 'x'), 5'000'000);
  client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_GT(client.receive_until("yend").size(), 5'000'000u);
}

TEST(Tls, AHandshakeThatDoesNotComeEnds) {
  const Authority own;
  ServerOptions options = with_tls(own);
  options.limits.handshake_timeout = milliseconds(20);
  TestServer server(options, tells_who_asks());
  Client silent(*server.server);
  EXPECT_EQ(silent.receive_rest(), "");
  Client plain(*server.server);
  plain.send(kGet);
  plain.receive_rest();  // an alert, or nothing
  EXPECT_EQ(server.server->statistics().requests, 0u);
}

}  // namespace
}  // namespace windlass::net
