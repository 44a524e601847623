// Owners of OpenSSL's objects, and how they come from PEM text. For this folder's .cc files.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/status.h"

struct x509_st;
struct evp_pkey_st;

namespace windlass::net {

// `read certificate: bad end line`: the oldest error of OpenSSL's queue on this thread, which is
// empty afterwards.
Status openssl_error(std::string_view operation);

struct FreeX509 {
  void operator()(x509_st* certificate) const;
};
struct FreeKey {
  void operator()(evp_pkey_st* key) const;
};
using X509Handle = std::unique_ptr<x509_st, FreeX509>;
using KeyHandle = std::unique_ptr<evp_pkey_st, FreeKey>;

// The first certificate, or the key, of a PEM text. Errors never quote the text.
Result<X509Handle> read_certificate(const std::string& pem);
// All of them, at least one, at most kMaxCertificates.
inline constexpr size_t kMaxCertificates = 1000;
Result<std::vector<X509Handle>> read_certificates(const std::string& pem);
Result<KeyHandle> read_key(const std::string& pem);

std::string certificate_pem(const x509_st* certificate);
std::string key_pem(const evp_pkey_st* key);  // PKCS #8

}  // namespace windlass::net
