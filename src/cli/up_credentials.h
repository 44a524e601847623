// What clients and server of one data directory prove themselves with: a certificate authority, the
// server's certificate, and a token for each user. Kept in files of the directory, made when they
// are missing, renewed before they run out. Of tokens only digests stay on the server's side; the
// token itself is in the user's kubeconfig alone.
//
// Files: ca.crt ca.key server.crt server.key tokens kubeconfig viewer.kubeconfig
#pragma once

#include <string>
#include <vector>

#include "apiserver/auth/authenticator.h"
#include "base/result.h"
#include "base/time.h"
#include "env/files.h"
#include "env/random.h"
#include "net/certificates.h"

namespace windlass::cli {

struct UserToken {
  std::string user;
  std::string token;
};

struct Credentials {
  net::CertifiedKey authority;
  bool authority_replaced = false;  // what an older one has signed means nothing any more
  net::CertifiedKey server;
  std::vector<apiserver::TokenEntry> tokens;
  std::vector<UserToken> user_tokens;  // those that go into kubeconfigs
};

struct CredentialSource {
  env::Files& files;
  env::Random& random;
  Time now;
  std::string directory;  // there, and held
};

// `further` are names that the server's certificate is good for, beside those that this machine has
// for itself.
Result<Credentials> open_credentials(const CredentialSource& source,
                                     const std::vector<std::string>& further);

// Gives the server another certificate, and writes it down, where this one runs out soon or is not
// good for those names. True when it did; after a failure the server keeps what it has.
Result<bool> renew_server(const CredentialSource& source, const std::vector<std::string>& further,
                          const net::CertifiedKey& authority, net::CertifiedKey& server);

// DIRECTORY/kubeconfig for admin, DIRECTORY/viewer.kubeconfig for viewer. One that says all this
// already stays as it is, so that a full disk is no reason not to start.
Result<void> write_kubeconfigs(env::Files& files, const std::string& directory,
                               const std::string& server_url, const Credentials& credentials);

// One line per token, `SHA256 USER GROUP,GROUP`; lines that begin with # say nothing.
Result<std::vector<apiserver::TokenEntry>> parse_tokens(std::string_view text);
std::string tokens_text(const std::vector<apiserver::TokenEntry>& tokens);

}  // namespace windlass::cli
