// Logins to the page. A one-time token, which a user with API credentials was given, becomes a
// session: a secret for a cookie, which scripts cannot read, and a key for a header, which belongs
// to one origin. Every request needs both, so that neither another site nor another port of the
// same host can use the session. Only digests are kept.
//
// offer() and open() run on the core executor; the rest on any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "dashboard/viewer.h"
#include "env/clock.h"
#include "env/random.h"

namespace windlass::dashboard {

class Sessions {
 public:
  static constexpr Duration kTokenLife = minutes(5);
  static constexpr Duration kIdleLife = hours(1);
  static constexpr Duration kLongestLife = hours(12);
  // One more takes the place of the oldest.
  static constexpr size_t kMaxTokens = 64;
  static constexpr size_t kMaxSessions = 256;

  Sessions(env::Clock& clock, env::Random& random) : clock_(clock), random_(random) {}

  struct Opened {
    std::string cookie;
    std::string key;
    ViewerPtr viewer;
  };

  // A token that opens one session.
  std::string offer(ViewerPtr viewer);
  // Nothing for a token that is wrong, used or too old.
  std::optional<Opened> open(std::string_view token);
  // Whose session that is; null for none. Counts as use.
  ViewerPtr find(std::string_view cookie, std::string_view key);
  void close(std::string_view cookie);

 private:
  using Digest = std::array<uint8_t, 32>;
  struct Token {
    ViewerPtr viewer;
    MonotonicTime made;
  };
  struct Session {
    Digest key;
    ViewerPtr viewer;
    MonotonicTime made;
    MonotonicTime used;
  };

  static Digest digest_of(std::string_view secret);
  std::string make_secret();
  bool is_over(const Session& session) const;
  void make_room();

  env::Clock& clock_;
  env::Random& random_;
  std::mutex mutex_;
  std::map<Digest, Token> tokens_;
  std::map<Digest, Session> sessions_;
};

}  // namespace windlass::dashboard
