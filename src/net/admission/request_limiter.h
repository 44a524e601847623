// What clients may take of the server: all of them together, each user, and each address without
// credentials. docs/reference/security.md tells the policy. Any thread; shared by the I/O threads
// and by the calls on the core, which may outlive the server.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "http/handler.h"
#include "http/target.h"
#include "net/admission/share_table.h"
#include "net/server_limits.h"

namespace windlass::net {

// A count with a limit. Any thread.
class Gauge {
 public:
  explicit Gauge(size_t limit) : limit_(limit) {}

  // False, and nothing taken, when it would be too much, or leave less than `reserve`.
  bool try_add(size_t amount, size_t reserve = 0) {
    if (value_.fetch_add(amount) + amount <= limit_ - reserve) {
      return true;
    }
    value_.fetch_sub(amount);
    return false;
  }
  void remove(size_t amount) { value_.fetch_sub(amount); }
  size_t value() const { return value_.load(); }
  size_t limit() const { return limit_; }

 private:
  const size_t limit_;
  std::atomic<size_t> value_{0};
};

class RequestLimiter {
 public:
  explicit RequestLimiter(const ServerLimits& limits)
      : head_bytes(limits.buffered_head_bytes),
        body_bytes(limits.buffered_body_bytes),
        in_flight{Gauge(limits.reads_in_flight), Gauge(limits.writes_in_flight),
                  Gauge(limits.long_running)},
        limits_(limits) {}

  // One request among those being answered, in the shares of its caller. Gives all back at its end.
  class Slot {
   public:
    Slot(Gauge& gauge, ShareHold user, ShareHold address)
        : gauge_(gauge), user_(std::move(user)), address_(std::move(address)) {}
    ~Slot() { gauge_.remove(1); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    Gauge& gauge_;
    const ShareHold user_;
    const ShareHold address_;
  };
  // Null when all are taken that this caller may have. `network` is where it comes from
  // (endpoint.h). The limiter outlives the slot.
  std::unique_ptr<Slot> try_take(http::RequestClass request_class, const http::Caller& caller,
                                 const std::string& network) {
    const auto share = static_cast<size_t>(request_class);
    Gauge& gauge = in_flight[share];
    const size_t of_user = user_share_of(gauge.limit());
    ShareHold user = share_of_user(caller, share);
    ShareHold address;
    if (caller.rank == http::Caller::Rank::unknown) {
      address = ShareHold(addresses, network, share);
    }
    if (!user.grow(1, of_user) || !address.grow(1, address_share_of(of_user)) ||
        !gauge.try_add(1, reserve_from(caller.rank, gauge.limit()))) {
      return nullptr;
    }
    return std::make_unique<Slot>(gauge, std::move(user), std::move(address));
  }

  // Admins have no share: they are trusted, and there may be one of them alone.
  ShareHold share_of_user(const http::Caller& caller, size_t share) {
    return caller.rank == http::Caller::Rank::admin ? ShareHold()
                                                    : ShareHold(users, caller.user, share);
  }
  size_t user_share_of(size_t limit) const {
    return std::max<size_t>(limit / limits_.user_share, 1);
  }
  size_t address_share_of(size_t limit) const {
    return std::max<size_t>(limit / limits_.address_share, 1);
  }
  // What a caller of this rank leaves to others.
  size_t reserve_from(http::Caller::Rank rank, size_t limit) const {
    switch (rank) {
      case http::Caller::Rank::admin:
        return 0;
      case http::Caller::Rank::node:
        return limit / limits_.kept_for_admins;
      default:
        return limit / limits_.kept_for_nodes;
    }
  }

  Gauge head_bytes;
  Gauge body_bytes;
  std::array<Gauge, http::kRequestClasses> in_flight;  // indexed by http::RequestClass
  ShareTable users;
  ShareTable addresses;

 private:
  const ServerLimits limits_;
};

}  // namespace windlass::net
