// The credentials of one data directory: a certificate authority, the server's certificate, and a
// token for each user. Kept in files of the directory, created when they are missing, renewed
// before they expire. The server keeps digests of tokens; the token itself is in the user's
// kubeconfig alone.
//
// Files: ca.crt ca.key server.crt server.key tokens kubeconfig viewer.kubeconfig
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apiserver/auth/authenticator.h"
#include "base/result.h"
#include "base/time.h"
#include "base/weak_self.h"
#include "env/env.h"
#include "env/files.h"
#include "env/random.h"
#include "net/tls/certificates.h"
#include "net/tls/tls_context.h"

namespace windlass::plane {

struct UserToken {
  std::string user;
  std::string token;
};

struct ServerCredentials {
  net::CertifiedKey authority;
  bool authority_replaced = false;  // certificates of the old one are invalid
  net::CertifiedKey server;
  std::vector<apiserver::TokenEntry> tokens;
  std::vector<UserToken> user_tokens;  // for the kubeconfigs
};

struct CredentialSource {
  env::Files& files;
  env::Random& random;
  Time now;
  std::string directory;  // exists and is locked
};

// `further` are names that the server's certificate has in addition to those of the loopback.
Result<ServerCredentials> open_credentials(const CredentialSource& source,
                                           const std::vector<std::string>& further);

// The same in memory alone, and new.
Result<ServerCredentials> make_credentials(env::Random& random, Time now,
                                           const std::vector<std::string>& further);

// Issues and stores a new certificate if the present one expires soon or lacks one of the names.
// True when it did; after an error `server` is unchanged.
Result<bool> renew_server(const CredentialSource& source, const std::vector<std::string>& further,
                          const net::CertifiedKey& authority, net::CertifiedKey& server);

// DIRECTORY/kubeconfig for admin, DIRECTORY/viewer.kubeconfig for viewer. Does not write a file
// that is up to date, so that a full disk does not prevent a start. Files for a while are not
// synced.
enum class KubeconfigLife { lasting, for_a_while };
Result<void> write_kubeconfigs(env::Files& files, const std::string& directory,
                               const std::string& server_url, const ServerCredentials& credentials,
                               KubeconfigLife life = KubeconfigLife::lasting);

// One line per token, `SHA256 USER GROUP,GROUP`; lines that begin with # are comments.
Result<std::vector<apiserver::TokenEntry>> parse_tokens(std::string_view text);
std::string tokens_text(const std::vector<apiserver::TokenEntry>& tokens);

// Checks the server's certificate once a day and renews it before it expires, so that a server can
// run for longer than a certificate. Lives on env.executor.
class CertificateRenewal {
 public:
  // Makes the server use the new certificate.
  using OnRenewed = std::function<Result<void>(const net::TlsFiles&)>;

  // `further`: as of open_credentials().
  CertificateRenewal(env::Env env, std::string directory, std::vector<std::string> further,
                     const ServerCredentials& credentials, OnRenewed on_renewed);
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
