// From a request to the user who sent it: a bearer token, or the client certificate that the
// transport has verified. Only digests of tokens are kept, and all are compared in constant time.
// Immutable once made; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "apiserver/auth/user.h"
#include "base/result.h"
#include "http/message.h"

namespace windlass::apiserver {

// Longer ones are refused unread.
inline constexpr size_t kMaxTokenBytes = 4096;
inline constexpr size_t kMaxTokens = 1024;

using TokenDigest = std::array<uint8_t, 32>;  // SHA-256

TokenDigest digest_of_token(std::string_view token);

struct TokenEntry {
  TokenDigest digest;
  User user;
};

class Authenticator {
 public:
  explicit Authenticator(std::vector<TokenEntry> tokens);

  // A token, right or wrong, decides before a certificate does: it is the more particular of the
  // two. Without either the user is anonymous. Fails (401) for credentials that are not good.
  Result<User> authenticate(const http::Headers& headers, const http::Peer& peer) const;

 private:
  Result<User> user_of_token(std::string_view token) const;

  std::vector<TokenEntry> tokens_;
};

}  // namespace windlass::apiserver
