#include "net/tls/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/tls/tls_context.h"

namespace windlass::net {
namespace {

using ::testing::StartsWith;

const Time kNow = time_from_unix(1'750'000'000);
const std::vector<std::string> kNames = {"127.0.0.1", "::1", "localhost", "kubernetes.default.svc"};

TEST(Certificates, AnAuthorityLastsTenYears) {
  const CertifiedKey authority = *make_authority("windlass-ca", kNow);
  EXPECT_THAT(authority.certificate_pem, StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_THAT(authority.key_pem, StartsWith("-----BEGIN PRIVATE KEY-----"));
  EXPECT_TRUE(is_usable_authority(authority, kNow));
  EXPECT_TRUE(is_usable_authority(authority, kNow + hours(24 * 365 * 9)));
  EXPECT_FALSE(is_usable_authority(authority, kNow + kAuthorityLifetime - hours(24)));
  EXPECT_FALSE(is_usable_authority(authority, kNow - hours(24)));
}

TEST(Certificates, AServersIsGoodForItsNamesOnly) {
  const CertifiedKey authority = *make_authority("windlass-ca", kNow);
  const CertifiedKey server = *issue_server(authority, kNames, kNow);
  EXPECT_TRUE(is_usable(server, authority, kNames, kNow));
  EXPECT_TRUE(is_usable(server, authority, {"localhost"}, kNow));
  EXPECT_FALSE(is_usable(server, authority, {"192.0.2.1"}, kNow));
  EXPECT_FALSE(is_usable(server, authority, {"example.com"}, kNow));
  EXPECT_TRUE(is_certified_for(server.certificate_pem, "::1"));
  EXPECT_TRUE(is_certified_for(server.certificate_pem, "localhost"));
  EXPECT_FALSE(is_certified_for(server.certificate_pem, "192.0.2.1"));
  EXPECT_FALSE(is_certified_for(server.certificate_pem, "example.com"));
  EXPECT_FALSE(is_certified_for("", "localhost"));
  // A certificate is no authority.
  EXPECT_FALSE(is_usable_authority(server, kNow));
}

TEST(Certificates, AreRenewedBeforeTheyRunOut) {
  const CertifiedKey authority = *make_authority("windlass-ca", kNow);
  const CertifiedKey client = *issue_client(authority, "admin", {"system:masters"}, kNow);
  EXPECT_TRUE(
      is_usable(client, authority, {}, kNow + kCertificateLifetime - kRenewBefore - hours(1)));
  EXPECT_FALSE(is_usable(client, authority, {}, kNow + kCertificateLifetime - kRenewBefore));
  EXPECT_FALSE(is_usable(client, authority, {}, kNow + kCertificateLifetime + hours(1)));
}

TEST(Certificates, ThoseOfAnotherAuthorityOrAnotherKeyAreNotUsable) {
  const CertifiedKey authority = *make_authority("windlass-ca", kNow);
  const CertifiedKey other = *make_authority("windlass-ca", kNow);
  const CertifiedKey client = *issue_client(authority, "admin", {}, kNow);
  EXPECT_FALSE(is_usable(client, other, {}, kNow));
  EXPECT_FALSE(is_usable({client.certificate_pem, other.key_pem}, authority, {}, kNow));
  EXPECT_FALSE(is_usable({"", ""}, authority, {}, kNow));
  EXPECT_FALSE(is_usable({client.certificate_pem, "garbage"}, authority, {}, kNow));
  EXPECT_FALSE(is_usable_authority({authority.certificate_pem, other.key_pem}, kNow));
}

TEST(Certificates, ErrorsDoNotQuoteTheKey) {
  const CertifiedKey authority = *make_authority("windlass-ca", kNow);
  const CertifiedKey server = *issue_server(authority, kNames, kNow);
  const auto context =
      TlsContext::make({server.certificate_pem, "CANARY", authority.certificate_pem});
  ASSERT_FALSE(context.has_value());
  EXPECT_EQ(context.error().message.find("CANARY"), std::string::npos) << context.error().message;
  const auto mixed =
      TlsContext::make({server.certificate_pem, authority.key_pem, authority.certificate_pem});
  ASSERT_FALSE(mixed.has_value());
}

}  // namespace
}  // namespace windlass::net
