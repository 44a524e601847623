#include "plane/certificate_renewal.h"

#include <utility>

namespace windlass::plane {
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
  schedule_check();
}

void CertificateRenewal::schedule_check() {
  env_.executor.schedule(kRenewalPeriod, self_.bind([](CertificateRenewal& renewal) {
    // The next try is tomorrow; there is a month for it.
    if (const Result<void> checked = renewal.check(); !checked) {
      renewal.env_.log.warning("cannot renew the server's certificate; trying again tomorrow",
                               {{"error", checked.error().message}});
    }
    renewal.schedule_check();
  }));
}

Result<void> CertificateRenewal::check() {
  const CredentialSource source{env_.files, env_.random, env_.clock.now(), directory_};
  TRY(const bool renewed, renew_server(source, further_, authority_, server_));
  if (!renewed) {
    return {};
  }
  env_.log.info("renewed the server's certificate", {});
  return on_renewed_({server_.certificate_pem, server_.key_pem, authority_.certificate_pem});
}

}  // namespace windlass::plane
