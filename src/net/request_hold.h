// What one request takes of the server's limits: memory for what has come of it, and a place among
// those being answered. At first by itself, then as a Place that it shares with its call on the
// core. Gives everything back at its end. Lives on an I/O thread.
#pragma once

#include <memory>
#include <utility>

#include "net/server_state.h"

namespace windlass::net {

class RequestHold {
 public:
  explicit RequestHold(ServerState& state) : state_(&state) {}
  ~RequestHold() { release(); }
  RequestHold(const RequestHold&) = delete;
  RequestHold& operator=(const RequestHold&) = delete;

  // False when that is too much.
  bool grow(const RequestBytes& to) {
    if (state_->load->grow(bytes_, to)) {
      return true;
    }
    state_->throttled.fetch_add(1);
    return false;
  }
  // False when all places are taken, or all that this caller may have.
  bool take_place(http::RequestClass request_class, const http::Caller& caller) {
    slot_ = state_->load->try_take(request_class, caller);
    if (slot_ == nullptr) {
      state_->throttled.fetch_add(1);
      return false;
    }
    return true;
  }
  // After take_place().
  std::shared_ptr<Place> share() {
    place_ = std::make_shared<Place>(state_->load, std::move(slot_), std::exchange(bytes_, {}));
    return place_;
  }
  // All but so many bytes, of the request that comes next.
  void release(const RequestBytes& but = {}) {
    place_ = nullptr;
    slot_ = nullptr;
    state_->load->shrink(bytes_, but);
  }

 private:
  ServerState* state_;
  std::unique_ptr<Load::Slot> slot_;  // in the load, which the state keeps
  RequestBytes bytes_;
  std::shared_ptr<Place> place_;
};

}  // namespace windlass::net
