// What the server knows of the client behind a connection: its address at first; from the first
// request with good credentials on, the user whose connection it is. One that has not proven who it
// is, is the first to go when there is no room. Lives on an I/O thread, inside its connection.
#pragma once

#include <string>
#include <utility>

#include "net/server_state.h"

namespace windlass::net {

class ConnectionIdentity {
 public:
  ConnectionIdentity(ServerState& state, std::string network)
      : state_(state), network_(std::move(network)) {}

  // False when the user has too many connections already; this one then stays unproven.
  bool admit(const http::Caller& caller) {
    if (proven_ || caller.rank == http::Caller::Rank::unknown) {
      return true;
    }
    Admission& admission = *state_.admission;
    user_ = admission.share_of_user(caller, kConnectionShare);
    proven_ = user_.grow(1, admission.user_share_of(state_.limits.connections));
    return proven_;
  }
  bool is_proven() const { return proven_; }
  // Where it comes from (endpoint.h).
  const std::string& network() const { return network_; }

 private:
  ServerState& state_;
  const std::string network_;
  ShareHold user_;
  bool proven_ = false;
};

}  // namespace windlass::net
