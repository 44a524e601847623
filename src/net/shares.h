// How much of the server's limits each user holds, so that none takes the shares of others. Admins
// are not counted: they are trusted, and there may be one of them alone. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "http/request_class.h"

namespace windlass::net {

// What a user has a share of: requests being answered, by their class, and connections.
inline constexpr size_t kConnectionShare = http::kRequestClasses;
inline constexpr size_t kShares = http::kRequestClasses + 1;

class UserShares {
 public:
  // False, and nothing taken, when the user has `most` already.
  bool try_add(const std::string& user, size_t share, size_t most) {
    const std::lock_guard lock(mutex_);
    size_t& held = held_[user][share];
    if (held >= most) {
      return false;
    }
    ++held;
    return true;
  }
  void remove(const std::string& user, size_t share) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(user);
    --found->second[share];
    if (found->second == Held{}) {
      held_.erase(found);
    }
  }

 private:
  using Held = std::array<size_t, kShares>;

  std::mutex mutex_;
  std::map<std::string, Held> held_;  // users who hold something
};

}  // namespace windlass::net
