#include "cli/certificate_renewal.h"

#include <utility>

namespace windlass::cli {
namespace {

constexpr Duration kRenewalPeriod = hours(24);

}  // namespace

CertificateRenewal::CertificateRenewal(env::Env env, std::string directory,
                                       std::vector<std::string> further,
                                       const Credentials& credentials, OnRenewed on_renewed)
    : env_(env),
      directory_(std::move(directory)),
      further_(std::move(further)),
      authority_(credentials.authority),
      server_(credentials.server),
      on_renewed_(std::move(on_renewed)) {
  wait();
}

void CertificateRenewal::wait() {
  env_.executor.schedule(kRenewalPeriod, [this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) {
      return;
    }
    // Tried again tomorrow: there is a month for it.
    if (const Result<void> looked = look(); !looked) {
      env_.log.warning("the server's certificate cannot be renewed",
                       {{"error", looked.error().message}});
    }
    wait();
  });
}

Result<void> CertificateRenewal::look() {
  const CredentialSource source{env_.files, env_.random, env_.clock.now(), directory_};
  TRY(const bool renewed, renew_server(source, further_, authority_, server_));
  if (!renewed) {
    return {};
  }
  env_.log.info("the server has another certificate", {});
  return on_renewed_({server_.certificate_pem, server_.key_pem, authority_.certificate_pem});
}

}  // namespace windlass::cli
