#include "net/tls/certificates.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>

#include "net/tls/openssl_handles.h"

namespace windlass::net {
namespace {

// A clock a little behind ours still finds the certificate valid.
constexpr Duration kBackdated = minutes(5);
constexpr int kSerialBytes = 16;

bool is_address(const std::string& name) {
  std::array<unsigned char, 16> bytes;
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += text.empty() ? "" : ",";
    text += (is_address(name) ? "IP:" : "DNS:") + name;
  }
  return text;
}

bool add_subject(X509_NAME* subject, const char* attribute, std::string_view value) {
  return X509_NAME_add_entry_by_txt(subject, attribute, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, kSerialBytes> bytes;
  if (RAND_bytes(bytes.data(), kSerialBytes) != 1) {
    return false;
  }
  bytes[0] &= 0x7F;  // positive, as RFC 5280 wants it
  BIGNUM* number = BN_bin2bn(bytes.data(), kSerialBytes, nullptr);
  const bool set = number != nullptr &&
                   BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  return set;
}

bool set_validity(X509* certificate, Time now, Duration lifetime) {
  const auto from = static_cast<time_t>(unix_seconds(now - kBackdated));
  const auto until = static_cast<time_t>(unix_seconds(now + lifetime));
  return ASN1_TIME_set(X509_getm_notBefore(certificate), from) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), until) != nullptr;
}

struct Wanted {
  std::string common_name;
  std::vector<std::string> organizations = {};
  Duration lifetime = kCertificateLifetime;
  std::vector<std::pair<int, std::string>> extensions = {};
};

// Signed by `issuer`, or by itself when there is none.
Result<CertifiedKey> make_certificate(const Wanted& wanted, const CertifiedKey* issuer, Time now) {
  ERR_clear_error();
  const KeyHandle key(EVP_EC_gen("P-256"));
  const X509Handle made(X509_new());
  if (key == nullptr || made == nullptr) {
    return fail(openssl_error("make a key"));
  }
  X509Handle issuer_certificate;
  KeyHandle issuer_key;
  if (issuer != nullptr) {
    TRY(issuer_certificate, read_certificate(issuer->certificate_pem));
    TRY(issuer_key, read_key(issuer->key_pem));
  }
  X509* signer = issuer == nullptr ? made.get() : issuer_certificate.get();
  X509_NAME* subject = X509_get_subject_name(made.get());
  bool good = X509_set_version(made.get(), X509_VERSION_3) == 1 && set_serial(made.get()) &&
              set_validity(made.get(), now, wanted.lifetime) &&
              X509_set_pubkey(made.get(), key.get()) == 1;
  for (const std::string& organization : wanted.organizations) {
    good = good && add_subject(subject, "O", organization);
  }
  good = good && add_subject(subject, "CN", wanted.common_name) &&
         X509_set_issuer_name(made.get(), X509_get_subject_name(signer)) == 1;
  for (const auto& [id, value] : wanted.extensions) {
    good = good && add_extension(made.get(), signer, id, value);
  }
  good = good &&
         X509_sign(made.get(), issuer == nullptr ? key.get() : issuer_key.get(), EVP_sha256()) > 0;
  if (!good) {
    return fail(openssl_error("make a certificate"));
  }
  return CertifiedKey{certificate_pem(made.get()), key_pem(key.get())};
}

bool is_valid_for_long(const X509* certificate, Time now) {
  time_t first = static_cast<time_t>(unix_seconds(now));
  time_t last = static_cast<time_t>(unix_seconds(now + kRenewBefore));
  return X509_cmp_time(X509_get0_notBefore(certificate), &first) < 0 &&
         X509_cmp_time(X509_get0_notAfter(certificate), &last) > 0;
}

bool is_good_for(X509* certificate, const std::string& name) {
  return is_address(name) ? X509_check_ip_asc(certificate, name.c_str(), 0) == 1
                          : X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
}

}  // namespace

Result<CertifiedKey> make_authority(std::string_view common_name, Time now) {
  Wanted wanted;
  wanted.common_name = common_name;
  wanted.lifetime = kAuthorityLifetime;
  wanted.extensions = {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                       {NID_key_usage, "critical,keyCertSign,cRLSign"},
                       {NID_subject_key_identifier, "hash"}};
  return make_certificate(wanted, nullptr, now);
}

Result<CertifiedKey> issue_server(const CertifiedKey& authority,
                                  const std::vector<std::string>& names, Time now) {
  Wanted wanted;
  wanted.common_name = "windlass-apiserver";
  wanted.extensions = {{NID_basic_constraints, "critical,CA:FALSE"},
                       {NID_key_usage, "critical,digitalSignature"},
                       {NID_ext_key_usage, "serverAuth"},
                       {NID_authority_key_identifier, "keyid"},
                       {NID_subject_alt_name, alternative_names(names)}};
  return make_certificate(wanted, &authority, now);
}

Result<CertifiedKey> issue_client(const CertifiedKey& authority, const std::string& common_name,
                                  const std::vector<std::string>& organizations, Time now) {
  Wanted wanted;
  wanted.common_name = common_name;
  wanted.organizations = organizations;
  wanted.extensions = {{NID_basic_constraints, "critical,CA:FALSE"},
                       {NID_key_usage, "critical,digitalSignature"},
                       {NID_ext_key_usage, "clientAuth"},
                       {NID_authority_key_identifier, "keyid"}};
  return make_certificate(wanted, &authority, now);
}

bool is_usable_authority(const CertifiedKey& authority, Time now) {
  const auto certificate = read_certificate(authority.certificate_pem);
  const auto key = read_key(authority.key_pem);
  return certificate && key && X509_check_private_key(certificate->get(), key->get()) == 1 &&
         X509_check_ca(certificate->get()) == 1 && is_valid_for_long(certificate->get(), now);
}

bool is_usable(const CertifiedKey& certified, const CertifiedKey& authority,
               const std::vector<std::string>& names, Time now) {
  const auto certificate = read_certificate(certified.certificate_pem);
  const auto key = read_key(certified.key_pem);
  const auto signer = read_certificate(authority.certificate_pem);
  if (!certificate || !key || !signer ||
      X509_check_private_key(certificate->get(), key->get()) != 1 ||
      X509_verify(certificate->get(), X509_get0_pubkey(signer->get())) != 1 ||
      !is_valid_for_long(certificate->get(), now)) {
    ERR_clear_error();
    return false;
  }
  for (const std::string& name : names) {
    if (!is_good_for(certificate->get(), name)) {
      return false;
    }
  }
  return true;
}

bool is_certified_for(const std::string& certificate_pem, const std::string& name) {
  const auto certificate = read_certificate(certificate_pem);
  const bool good = certificate && is_good_for(certificate->get(), name);
  ERR_clear_error();
  return good;
}

}  // namespace windlass::net
