// What one request takes of the server's limits: memory for what has come of it, and a place among
// those being answered. At first by itself, then together with its call on the core. Gives
// everything back at its end. Lives on an I/O thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/admission/request_memory.h"
#include "net/server_state.h"

namespace windlass::net {

// What a request that has gone to the core holds until neither end needs it: its client may be gone
// while the call still waits for its turn. May outlive the server.
struct AdmittedRequest {
  RequestMemory memory;  // keeps the limiter, which the slot is in
  std::unique_ptr<RequestLimiter::Slot> slot;
};

class RequestHold {
 public:
  explicit RequestHold(ServerState& state) : state_(&state), memory_(state.limiter) {}
  RequestHold(const RequestHold&) = delete;
  RequestHold& operator=(const RequestHold&) = delete;

  // Once the caller is known: at the head if the body is still to come.
  void charge(const http::Caller& caller) {
    if (!caller_) {
      caller_ = caller;
      memory_.charge(*caller_);
    }
  }
  // False when that is too much.
  bool grow(const RequestBytes& to) {
    if (memory_.grow(to)) {
      return true;
    }
    state_->throttled.fetch_add(1);
    return false;
  }
  // After charge(). False when all places are taken, or all that this caller may have.
  bool take_place(http::RequestClass request_class, const std::string& network) {
    slot_ = state_->limiter->try_take(request_class, *caller_, network);
    if (slot_ == nullptr) {
      state_->throttled.fetch_add(1);
      return false;
    }
    return true;
  }
  // After take_place().
  std::shared_ptr<AdmittedRequest> share() {
    admitted_ =
        std::make_shared<AdmittedRequest>(AdmittedRequest{std::move(memory_), std::move(slot_)});
    return admitted_;
  }
  // All but so many bytes, of the request that comes next.
  void release(const RequestBytes& but = {}) {
    admitted_ = nullptr;
    slot_ = nullptr;
    caller_.reset();
    memory_.shrink(but);
  }

 private:
  ServerState* state_;
  std::optional<http::Caller> caller_;
  RequestMemory memory_;  // keeps the limiter, which the slot is in
  std::unique_ptr<RequestLimiter::Slot> slot_;
  std::shared_ptr<AdmittedRequest> admitted_;
};

// What the server knows of the client behind a connection: its address at first; from the first
// request with good credentials on, the user whose connection it is. One that has not proven who it
// is, is the first to go when there is no room. Lives on an I/O thread, inside its connection.
class ConnectionIdentity {
 public:
  ConnectionIdentity(ServerState& state, std::string network)
      : state_(state), network_(std::move(network)) {}

  // False when the user has too many connections already; this one then stays unproven.
  bool admit(const http::Caller& caller) {
    if (proven_ || caller.rank == http::Caller::Rank::unknown) {
      return true;
    }
    RequestLimiter& limiter = *state_.limiter;
    user_ = limiter.share_of_user(caller, kConnectionShare);
    proven_ = user_.grow(1, limiter.user_share_of(state_.limits.connections));
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
