// What the server knows of who is behind a connection: nothing at first; from the first request
// with good credentials on it counts to that user. One that has not proven who it is, is the first
// to go when there is no room. Lives on an I/O thread, inside its connection.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "net/server_state.h"

namespace windlass::net {

class Standing {
 public:
  explicit Standing(ServerState& state) : load_(state.load) {}
  ~Standing() {
    if (counted_) {
      load_->users.remove(user_, kConnectionShare);
    }
  }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

  // False when the user has too many connections already; this one then stays unproven.
  bool admit(const http::Caller& caller, size_t most_connections) {
    if (proven_ || caller.rank == http::Caller::Rank::unknown) {
      return true;
    }
    if (caller.rank != http::Caller::Rank::admin) {
      if (!load_->users.try_add(caller.user, kConnectionShare,
                                load_->user_share_of(most_connections))) {
        return false;
      }
      counted_ = true;
      user_ = caller.user;
    }
    proven_ = true;
    return true;
  }
  bool is_proven() const { return proven_; }

 private:
  const std::shared_ptr<Load> load_;
  std::string user_;
  bool counted_ = false;
  bool proven_ = false;
};

}  // namespace windlass::net
