// The memory that one request takes of the server's limits while it is read and answered. Gives all
// of it back at its end. Moves from the I/O thread to the core with its request.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "net/admission/request_limiter.h"

namespace windlass::net {

// Of a request, as far as it counts.
struct RequestBytes {
  size_t head = 0;
  size_t body = 0;
};

class RequestMemory {
 public:
  explicit RequestMemory(std::shared_ptr<RequestLimiter> limiter) : limiter_(std::move(limiter)) {}
  RequestMemory(RequestMemory&& other) noexcept
      : limiter_(other.limiter_),
        bytes_(std::exchange(other.bytes_, {})),
        user_(std::move(other.user_)),
        reserve_(other.reserve_) {}
  RequestMemory& operator=(RequestMemory&&) = delete;
  ~RequestMemory() { shrink({}); }

  // Bodies count to this caller's share from now on. Before it is known, they count to all alone:
  // that is what comes with the head, one read at most.
  void charge(const http::Caller& caller) {
    user_ = limiter_->share_of_user(caller, kBodyShare);
    reserve_ = limiter_->reserve_from(caller.rank, limiter_->body_bytes.limit());
  }
  // False when that is too much; then some of it may be counted.
  bool grow(const RequestBytes& to) {
    if (to.head > bytes_.head) {
      if (!limiter_->head_bytes.try_add(to.head - bytes_.head)) {
        return false;
      }
      bytes_.head = to.head;
    }
    return to.body <= bytes_.body || grow_body(to.body - bytes_.body);
  }
  // All but so many bytes, which are charged to no user any more: they are the next request's.
  void shrink(const RequestBytes& to) {
    user_ = ShareHold();
    reserve_ = 0;
    shrink(limiter_->head_bytes, bytes_.head, to.head);
    shrink(limiter_->body_bytes, bytes_.body, to.body);
  }

 private:
  bool grow_body(size_t by) {
    Gauge& all = limiter_->body_bytes;
    const size_t of_user = user_.amount();
    if (!user_.grow(by, limiter_->user_share_of(all.limit()))) {
      return false;
    }
    if (!all.try_add(by, reserve_)) {
      user_.shrink_to(of_user);
      return false;
    }
    bytes_.body += by;
    return true;
  }
  static void shrink(Gauge& gauge, size_t& counted, size_t to) {
    if (to < counted) {
      gauge.remove(counted - to);
      counted = to;
    }
  }

  const std::shared_ptr<RequestLimiter> limiter_;
  RequestBytes bytes_;
  ShareHold user_;
  size_t reserve_ = 0;
};

}  // namespace windlass::net
