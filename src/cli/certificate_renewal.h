// Looks once a day whether the server's certificate lasts, and makes another one in time: else it
// would run out under a server that runs. Lives on env.executor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/up_credentials.h"
#include "env/env.h"
#include "net/certificates.h"
#include "net/tls_context.h"

namespace windlass::cli {

class CertificateRenewal {
 public:
  // Makes the server use what is new.
  using OnRenewed = std::function<Result<void>(const net::TlsFiles&)>;

  // `further`: as of open_credentials().
  CertificateRenewal(env::Env env, std::string directory, std::vector<std::string> further,
                     const Credentials& credentials, OnRenewed on_renewed);
  CertificateRenewal(const CertificateRenewal&) = delete;
  CertificateRenewal& operator=(const CertificateRenewal&) = delete;

 private:
  void wait();
  Result<void> look();

  env::Env env_;
  const std::string directory_;
  const std::vector<std::string> further_;
  const net::CertifiedKey authority_;
  net::CertifiedKey server_;
  const OnRenewed on_renewed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // the timer holds it weakly
};

}  // namespace windlass::cli
