#include "plane/server_credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <utility>

#include "http/characters.h"
#include "plane/kubeconfig_text.h"
#include "posix/files/private_file.h"

namespace windlass::plane {

namespace {

constexpr size_t kMaxFileBytes = size_t{256} * 1024;
constexpr size_t kTokenBytes = 32;  // 256 bits

struct KnownUser {
  const char* name;
  std::string_view group;
  const char* kubeconfig;
};
constexpr KnownUser kUsers[] = {{"admin", apiserver::kAdminGroup, "kubeconfig"},
                                {"viewer", apiserver::kViewerGroup, "viewer.kubeconfig"}};

// "" for a missing file. One that cannot be read is an error: it must not be replaced.
Result<std::string> read_if_there(const CredentialSource& source, const std::string& name) {
  TRY(const std::vector<std::string> names, source.files.list(source.directory));
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return "";
  }
  return source.files.read(source.directory + '/' + name, kMaxFileBytes);
}

Result<net::CertifiedKey> read_pair(const CredentialSource& source, const std::string& name) {
  net::CertifiedKey pair;
  TRY(pair.certificate_pem, read_if_there(source, name + ".crt"));
  TRY(pair.key_pem, read_if_there(source, name + ".key"));
  return pair;
}

// The key first: a key without its certificate is replaced at the next start, so a crash in between
// is safe.
Result<void> write_pair(const CredentialSource& source, const std::string& name,
                        const net::CertifiedKey& pair) {
  TRY_VOID(posix::write_private_file(source.directory + '/' + name + ".key", pair.key_pem));
  return posix::write_private_file(source.directory + '/' + name + ".crt", pair.certificate_pem);
}

Result<void> open_authority(const CredentialSource& source, ServerCredentials& credentials) {
  net::CertifiedKey& authority = credentials.authority;
  TRY(authority, read_pair(source, "ca"));
  if (net::is_usable_authority(authority, source.now)) {
    return {};
  }
  credentials.authority_replaced = !authority.certificate_pem.empty();
  TRY(authority, net::make_authority("windlass-ca", source.now));
  return write_pair(source, "ca", authority);
}

std::vector<std::string> server_names(const std::vector<std::string>& further) {
  std::vector<std::string> names = {"127.0.0.1",
                                    "::1",
                                    "localhost",
                                    "kubernetes",
                                    "kubernetes.default",
                                    "kubernetes.default.svc",
                                    "kubernetes.default.svc.cluster.local"};
  for (const std::string& name : further) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::string new_token(env::Random& random) {
  std::array<std::byte, kTokenBytes> bytes;
  random.fill(bytes);
  return hex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

apiserver::TokenEntry token_entry(const KnownUser& user, const std::string& token) {
  return {apiserver::digest_of_token(token),
          apiserver::authenticated_user(user.name, {std::string(user.group)})};
}

// The user's token, if the kubeconfig has a valid one; otherwise a new one, which replaces the old.
Result<std::string> ensure_token(const CredentialSource& source, const KnownUser& user,
                                 std::vector<apiserver::TokenEntry>& tokens, bool& changed) {
  TRY(const std::string kubeconfig, read_if_there(source, user.kubeconfig));
  if (const auto present = token_of_kubeconfig(kubeconfig)) {
    const apiserver::TokenDigest digest = apiserver::digest_of_token(*present);
    for (const apiserver::TokenEntry& entry : tokens) {
      if (entry.digest == digest && entry.user.name == user.name) {
        return *present;
      }
    }
  }
  std::erase_if(tokens, [&](const auto& entry) { return entry.user.name == user.name; });
  std::string token = new_token(source.random);
  tokens.push_back(token_entry(user, token));
  changed = true;
  return token;
}

}  // namespace

Result<std::vector<apiserver::TokenEntry>> parse_tokens(std::string_view text) {
  std::vector<apiserver::TokenEntry> tokens;
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    std::istringstream words(line);
    std::string digest;
    std::string user;
    std::string groups;
    words >> digest >> user >> groups;
    apiserver::TokenEntry entry;
    if (digest.size() != 2 * entry.digest.size() || !http::all(digest, http::is_hex_digit) ||
        user.empty() || tokens.size() == apiserver::kMaxTokens) {
      return fail(plain_error(fmt::format("line {}: must be SHA256 USER GROUP,GROUP", number)));
    }
    for (size_t i = 0; i < entry.digest.size(); ++i) {
      entry.digest[i] = static_cast<uint8_t>(http::hex_value(digest[2 * i]) * 16 +
                                             http::hex_value(digest[2 * i + 1]));
    }
    std::vector<std::string> names;
    std::istringstream list(groups);
    for (std::string name; std::getline(list, name, ',');) {
      names.push_back(name);
    }
    entry.user = apiserver::authenticated_user(user, std::move(names));
    tokens.push_back(std::move(entry));
  }
  return tokens;
}

std::string tokens_text(const std::vector<apiserver::TokenEntry>& tokens) {
  std::string text = "# SHA-256 of each token, its user, the user's groups.\n";
  for (const apiserver::TokenEntry& entry : tokens) {
    std::string groups;
    for (const std::string& group : entry.user.groups) {
      if (group != apiserver::kAuthenticatedGroup) {
        groups += (groups.empty() ? "" : ",") + group;
      }
    }
    text += fmt::format("{} {} {}\n", hex(entry.digest), entry.user.name, groups);
  }
  return text;
}

Result<bool> renew_server(const CredentialSource& source, const std::vector<std::string>& further,
                          const net::CertifiedKey& authority, net::CertifiedKey& server) {
  const std::vector<std::string> names = server_names(further);
  if (net::is_usable(server, authority, names, source.now)) {
    return false;
  }
  TRY(net::CertifiedKey renewed, net::issue_server(authority, names, source.now));
  TRY_VOID(write_pair(source, "server", renewed));
  server = std::move(renewed);
  return true;
}

Result<ServerCredentials> open_credentials(const CredentialSource& source,
                                           const std::vector<std::string>& further) {
  ServerCredentials credentials;
  TRY_VOID(open_authority(source, credentials));
  TRY(credentials.server, read_pair(source, "server"));
  TRY_VOID(renew_server(source, further, credentials.authority, credentials.server));

  TRY(const std::string kept, read_if_there(source, "tokens"));
  auto tokens = parse_tokens(kept);
  if (!tokens) {
    return fail(
        plain_error(fmt::format("{}/tokens: {}", source.directory, tokens.error().message)));
  }
  credentials.tokens = *std::move(tokens);
  bool changed = false;
  for (const KnownUser& user : kUsers) {
    TRY(std::string token, ensure_token(source, user, credentials.tokens, changed));
    credentials.user_tokens.push_back({user.name, std::move(token)});
  }
  if (changed) {
    TRY_VOID(
        posix::write_private_file(source.directory + "/tokens", tokens_text(credentials.tokens)));
  }
  return credentials;
}

Result<ServerCredentials> make_credentials(env::Random& random, Time now,
                                           const std::vector<std::string>& further) {
  ServerCredentials credentials;
  TRY(credentials.authority, net::make_authority("windlass-ca", now));
  TRY(credentials.server, net::issue_server(credentials.authority, server_names(further), now));
  for (const KnownUser& user : kUsers) {
    std::string token = new_token(random);
    credentials.tokens.push_back(token_entry(user, token));
    credentials.user_tokens.push_back({user.name, std::move(token)});
  }
  return credentials;
}

Result<void> write_kubeconfigs(env::Files& files, const std::string& directory,
                               const std::string& server_url, const ServerCredentials& credentials,
                               KubeconfigLife life) {
  for (const KnownUser& user : kUsers) {
    for (const UserToken& own : credentials.user_tokens) {
      if (own.user == user.name) {
        const std::string path = directory + '/' + user.kubeconfig;
        const std::string text = kubeconfig_text(
            {server_url, credentials.authority.certificate_pem, own.user, own.token});
        if (files.read(path, kMaxFileBytes).value_or("") != text) {
          TRY_VOID(life == KubeconfigLife::lasting ? posix::write_private_file(path, text)
                                                   : files.write(path, text, 0600));
        }
      }
    }
  }
  return {};
}

namespace {

constexpr Duration kRenewalPeriod = hours(24);

}  // namespace

CertificateRenewal::CertificateRenewal(env::Env env, std::string directory,
                                       std::vector<std::string> further,
                                       const ServerCredentials& credentials, OnRenewed on_renewed)
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
