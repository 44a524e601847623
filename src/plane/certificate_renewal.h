// Checks the server's certificate once a day and renews it before it expires, so that a server can
// run for longer than a certificate. Lives on env.executor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/weak_self.h"
#include "env/env.h"
#include "net/tls/certificates.h"
#include "net/tls/tls_context.h"
#include "plane/credentials.h"

namespace windlass::plane {

class CertificateRenewal {
 public:
  // Makes the server use the new certificate.
  using OnRenewed = std::function<Result<void>(const net::TlsFiles&)>;

  // `further`: as of open_credentials().
  CertificateRenewal(env::Env env, std::string directory, std::vector<std::string> further,
                     const Credentials& credentials, OnRenewed on_renewed);
  CertificateRenewal(const CertificateRenewal&) = delete;
  CertificateRenewal& operator=(const CertificateRenewal&) = delete;

 private:
  void schedule_check();
  Result<void> check();

  env::Env env_;
  const std::string directory_;
  const std::vector<std::string> further_;
  const net::CertifiedKey authority_;
  net::CertifiedKey server_;
  const OnRenewed on_renewed_;
  WeakSelf<CertificateRenewal> self_{this};  // last, so that it is the first member to go
};

}  // namespace windlass::plane
