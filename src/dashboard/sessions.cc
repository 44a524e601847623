#include "dashboard/sessions.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <span>
#include <utility>

namespace windlass::dashboard {
namespace {

constexpr size_t kSecretBytes = 32;

template <class Map, class Age>
void drop_oldest(Map& map, size_t most, Age age) {
  while (map.size() > most) {
    map.erase(std::min_element(map.begin(), map.end(), [&](const auto& a, const auto& b) {
      return age(a.second) < age(b.second);
    }));
  }
}

}  // namespace

// Secrets are random, so that looking a digest up tells nothing about them by its time.
Sessions::Digest Sessions::digest_of(std::string_view secret) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data());
  return digest;
}

std::string Sessions::make_secret() {
  std::array<std::byte, kSecretBytes> bytes{};
  random_.fill(bytes);
  std::string text;
  for (const std::byte each : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned>(each));
  }
  return text;
}

bool Sessions::is_over(const Session& session) const {
  const MonotonicTime now = clock_.monotonic();
  return now - session.used > kIdleLife || now - session.made > kLongestLife;
}

void Sessions::make_room() {
  const MonotonicTime now = clock_.monotonic();
  std::erase_if(tokens_, [&](const auto& each) { return now - each.second.made > kTokenLife; });
  std::erase_if(sessions_, [&](const auto& each) { return is_over(each.second); });
  drop_oldest(tokens_, kMaxTokens, [](const Token& token) { return token.made; });
  drop_oldest(sessions_, kMaxSessions, [](const Session& session) { return session.used; });
}

std::string Sessions::offer(ViewerPtr viewer) {
  std::string token = make_secret();
  const std::lock_guard lock(mutex_);
  tokens_[digest_of(token)] = {std::move(viewer), clock_.monotonic()};
  make_room();
  return token;
}

std::optional<Sessions::Opened> Sessions::open(std::string_view token) {
  Opened opened{make_secret(), make_secret(), nullptr};
  const std::lock_guard lock(mutex_);
  make_room();
  const auto found = tokens_.find(digest_of(token));
  if (found == tokens_.end()) {
    return std::nullopt;
  }
  opened.viewer = std::move(found->second.viewer);
  tokens_.erase(found);
  const MonotonicTime now = clock_.monotonic();
  sessions_[digest_of(opened.cookie)] = {digest_of(opened.key), opened.viewer, now, now};
  make_room();
  return opened;
}

ViewerPtr Sessions::find(std::string_view cookie, std::string_view key) {
  const Digest asked = digest_of(key);
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(digest_of(cookie));
  if (found == sessions_.end() || is_over(found->second) ||
      CRYPTO_memcmp(found->second.key.data(), asked.data(), asked.size()) != 0) {
    return nullptr;
  }
  found->second.used = clock_.monotonic();
  return found->second.viewer;
}

void Sessions::close(std::string_view cookie) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(digest_of(cookie));
}

}  // namespace windlass::dashboard
