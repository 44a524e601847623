#include "net/tls/openssl_handles.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/check.h"

namespace windlass::net {

Status openssl_error(std::string_view operation) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return plain_error(fmt::format("{}: {}", operation, reason == nullptr ? "failed" : reason));
}

namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using BioHandle = std::unique_ptr<BIO, FreeBio>;

// Never asks a person for a pass phrase.
int no_pass_phrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*argument*/) {
  return -1;
}

BioHandle reader_of(const std::string& text) {
  BioHandle bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  CHECK(bio != nullptr, "out of memory");
  return bio;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, data + size};
}

}  // namespace

void FreeX509::operator()(x509_st* certificate) const {
  X509_free(certificate);
}

void FreeKey::operator()(evp_pkey_st* key) const {
  EVP_PKEY_free(key);
}

Result<X509Handle> read_certificate(const std::string& pem) {
  ERR_clear_error();
  X509Handle certificate(PEM_read_bio_X509(reader_of(pem).get(), nullptr, no_pass_phrase, nullptr));
  if (certificate == nullptr) {
    return fail(openssl_error("read certificate"));
  }
  return certificate;
}

Result<std::vector<X509Handle>> read_certificates(const std::string& pem) {
  ERR_clear_error();
  const BioHandle bio = reader_of(pem);
  std::vector<X509Handle> certificates;
  while (certificates.size() < kMaxCertificates) {
    X509Handle next(PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr));
    if (next == nullptr) {
      break;
    }
    certificates.push_back(std::move(next));
  }
  // Text without another beginning is the end; anything else is a damaged certificate.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (certificates.empty() || !(at_end || certificates.size() == kMaxCertificates)) {
    return fail(openssl_error("read certificates"));
  }
  ERR_clear_error();
  return certificates;
}

Result<KeyHandle> read_key(const std::string& pem) {
  ERR_clear_error();
  KeyHandle key(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_pass_phrase, nullptr));
  if (key == nullptr) {
    return fail(openssl_error("read private key"));
  }
  return key;
}

std::string certificate_pem(const x509_st* certificate) {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  CHECK(bio != nullptr && PEM_write_bio_X509(bio.get(), certificate) == 1, "out of memory");
  return text_of(bio.get());
}

std::string key_pem(const evp_pkey_st* key) {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  CHECK(bio != nullptr && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0,
                                                        nullptr, nullptr) == 1,
        "out of memory");
  return text_of(bio.get());
}

}  // namespace windlass::net
