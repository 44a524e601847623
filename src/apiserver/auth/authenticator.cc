#include "apiserver/auth/authenticator.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <optional>
#include <utility>

#include "base/check.h"
#include "http/characters.h"

namespace windlass::apiserver {
namespace {

// What follows `Bearer `; nothing for another scheme.
std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() <= kScheme.size() ||
      !http::same_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  std::string_view token = authorization.substr(kScheme.size());
  while (token.starts_with(' ')) {
    token.remove_prefix(1);
  }
  return token;
}

}  // namespace

TokenDigest digest_of_token(std::string_view token) {
  // Looked up once, for good: OpenSSL would otherwise do it for every request, at 2 us.
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  TokenDigest digest;
  unsigned int length = 0;
  CHECK(sha256 != nullptr &&
            EVP_Digest(token.data(), token.size(), digest.data(), &length, sha256, nullptr) == 1 &&
            length == digest.size(),
        "SHA-256 is always there");
  return digest;
}

Authenticator::Authenticator(std::vector<TokenEntry> tokens) : tokens_(std::move(tokens)) {
  CHECK(tokens_.size() <= kMaxTokens, "more tokens than are looked through for each request");
}

Result<User> Authenticator::authenticate(const http::Headers& headers,
                                         const http::Peer& peer) const {
  std::optional<std::string_view> authorization;
  for (const http::Header& header : headers) {
    if (http::same_ignoring_case(header.name, "authorization")) {
      if (authorization) {
        return fail(unauthorized());  // two of them are ambiguous
      }
      authorization = header.value;
    }
  }
  if (authorization) {
    const auto token = bearer_token(*authorization);
    return token ? user_of_token(*token) : fail(unauthorized());
  }
  if (!peer.common_name.empty()) {
    return authenticated_user(peer.common_name, peer.organizations);
  }
  return anonymous_user();
}

Result<User> Authenticator::user_of_token(std::string_view token) const {
  if (token.empty() || token.size() > kMaxTokenBytes) {
    return fail(unauthorized());
  }
  const TokenDigest digest = digest_of_token(token);
  const TokenEntry* found = nullptr;
  // All of them, always: how long it takes tells nothing about which one matched.
  for (const TokenEntry& entry : tokens_) {
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) {
      found = &entry;
    }
  }
  if (found == nullptr) {
    return fail(unauthorized());
  }
  return found->user;
}

}  // namespace windlass::apiserver
