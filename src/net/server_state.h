// What all I/O threads of one server share: where requests go, the limits, and the counts that the
// limits are held against. Owned by the Server, which outlives its threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "env/clock.h"
#include "env/log.h"
#include "http/handler.h"
#include "http/request_class.h"
#include "net/limits.h"
#include "net/shares.h"
#include "posix/event_loop.h"

namespace windlass::net {

// A count with a limit. Any thread.
class Gauge {
 public:
  explicit Gauge(size_t limit) : limit_(limit) {}

  // False, and nothing taken, when it would be too much, or leave less than is to be kept.
  bool try_add(size_t amount, size_t kept = 0) {
    if (value_.fetch_add(amount) + amount <= limit_ - kept) {
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

// Of a request, as far as it counts.
struct RequestBytes {
  size_t head = 0;
  size_t body = 0;
};

// What requests being read and answered may take together.
struct Load {
  explicit Load(const Limits& limits)
      : head_bytes(limits.buffered_head_bytes),
        body_bytes(limits.buffered_body_bytes),
        in_flight{Gauge(limits.reads_in_flight), Gauge(limits.writes_in_flight),
                  Gauge(limits.long_running)},
        limits_(limits) {}

  // False when that is too much.
  bool grow(RequestBytes& counted, const RequestBytes& to) {
    return grow(head_bytes, counted.head, to.head) && grow(body_bytes, counted.body, to.body);
  }
  void shrink(RequestBytes& counted, const RequestBytes& to) {
    shrink(head_bytes, counted.head, to.head);
    shrink(body_bytes, counted.body, to.body);
  }

  // A place among the requests being answered, and in the caller's own share of them. Gives both
  // back at its end.
  class Slot {
   public:
    Slot(Gauge& gauge, UserShares* shares, std::string user, size_t share)
        : gauge_(gauge), shares_(shares), user_(std::move(user)), share_(share) {}
    ~Slot() {
      gauge_.remove(1);
      if (shares_ != nullptr) {
        shares_->remove(user_, share_);
      }
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    Gauge& gauge_;
    UserShares* shares_;  // null for an admin
    const std::string user_;
    const size_t share_;
  };
  // Null when all are taken that this caller may have. The load outlives it.
  std::unique_ptr<Slot> try_take(http::RequestClass request_class, const http::Caller& caller) {
    const auto share = static_cast<size_t>(request_class);
    Gauge& gauge = in_flight[share];
    const bool is_admin = caller.rank == http::Caller::Rank::admin;
    if (!is_admin && !users.try_add(caller.user, share, user_share_of(gauge.limit()))) {
      return nullptr;
    }
    if (!gauge.try_add(1, kept_from(caller.rank, gauge.limit()))) {
      if (!is_admin) {
        users.remove(caller.user, share);
      }
      return nullptr;
    }
    return std::make_unique<Slot>(gauge, is_admin ? nullptr : &users, caller.user, share);
  }
  size_t user_share_of(size_t limit) const {
    return std::max<size_t>(limit / limits_.user_share, 1);
  }

  Gauge head_bytes;
  Gauge body_bytes;
  std::array<Gauge, http::kRequestClasses> in_flight;  // indexed by http::RequestClass
  UserShares users;

 private:
  size_t kept_from(http::Caller::Rank rank, size_t limit) const {
    switch (rank) {
      case http::Caller::Rank::admin:
        return 0;
      case http::Caller::Rank::node:
        return limit / limits_.kept_for_admins;
      default:
        return limit / limits_.kept_for_nodes;
    }
  }

  static bool grow(Gauge& gauge, size_t& counted, size_t to) {
    if (to > counted) {
      if (!gauge.try_add(to - counted)) {
        return false;
      }
      counted = to;
    }
    return true;
  }
  static void shrink(Gauge& gauge, size_t& counted, size_t to) {
    if (to < counted) {
      gauge.remove(counted - to);
      counted = to;
    }
  }

  const Limits limits_;
};

// What one request that has gone to the core takes, until nobody needs it any more: its client may
// be gone while the call still waits for its turn. May outlive the server.
class Place {
 public:
  Place(std::shared_ptr<Load> load, std::unique_ptr<Load::Slot> slot, const RequestBytes& bytes)
      : load_(std::move(load)), slot_(std::move(slot)), bytes_(bytes) {}
  ~Place() { load_->shrink(bytes_, {}); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  const std::shared_ptr<Load> load_;
  const std::unique_ptr<Load::Slot> slot_;  // after load_: it goes first
  RequestBytes bytes_;
};

struct ServerState {
  const http::Handler& handler;
  posix::EventLoop& core;
  env::Clock& clock;
  env::Log& log;
  const Limits limits;

  // Connections that are accepted, of which some may be on their way to their I/O thread.
  static constexpr size_t kConnectionSlack = 256;
  Gauge connections{limits.connections + kConnectionSlack};
  std::atomic<size_t> adopted{0};  // those that have arrived there
  const std::shared_ptr<Load> load = std::make_shared<Load>(limits);
  // Since the start.
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> throttled{0};    // 429
  std::atomic<uint64_t> refused{0};      // framing, limits, time: 4xx and the end
  std::atomic<uint64_t> cut_off{0};      // slow takers of answers
  std::atomic<uint64_t> turned_away{0};  // connections above the limit
  std::atomic<uint64_t> displaced{0};    // connections that made room for others
};

}  // namespace windlass::net
