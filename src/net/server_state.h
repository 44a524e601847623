// What all I/O threads of one server share: where requests go, the limits, and the counts that the
// limits are held against. Owned by the Server, which outlives its threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "env/clock.h"
#include "env/log.h"
#include "http/handler.h"
#include "http/request_class.h"
#include "net/limits.h"
#include "posix/event_loop.h"

namespace windlass::net {

// A count with a limit. Any thread.
class Gauge {
 public:
  explicit Gauge(size_t limit) : limit_(limit) {}

  // False, and nothing taken, when it would be too much.
  bool try_add(size_t amount) {
    if (value_.fetch_add(amount) + amount <= limit_) {
      return true;
    }
    value_.fetch_sub(amount);
    return false;
  }
  void remove(size_t amount) { value_.fetch_sub(amount); }
  size_t value() const { return value_.load(); }

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
                  Gauge(limits.long_running)} {}

  // False when that is too much.
  bool grow(RequestBytes& counted, const RequestBytes& to) {
    return grow(head_bytes, counted.head, to.head) && grow(body_bytes, counted.body, to.body);
  }
  void shrink(RequestBytes& counted, const RequestBytes& to) {
    shrink(head_bytes, counted.head, to.head);
    shrink(body_bytes, counted.body, to.body);
  }

  Gauge head_bytes;
  Gauge body_bytes;
  std::array<Gauge, http::kRequestClasses> in_flight;  // indexed by http::RequestClass

 private:
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
};

// What one request that has gone to the core takes, until nobody needs it any more: its client may
// be gone while the call still waits for its turn. May outlive the server.
class Place {
 public:
  Place(std::shared_ptr<Load> load, Gauge& slot, const RequestBytes& bytes)
      : load_(std::move(load)), slot_(slot), bytes_(bytes) {}
  ~Place() {
    slot_.remove(1);
    load_->shrink(bytes_, {});
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  const std::shared_ptr<Load> load_;
  Gauge& slot_;  // in load_
  RequestBytes bytes_;
};

struct ServerState {
  const http::Handler& handler;
  posix::EventLoop& core;
  env::Clock& clock;
  env::Log& log;
  const Limits limits;

  Gauge connections{limits.connections};
  const std::shared_ptr<Load> load = std::make_shared<Load>(limits);
  // Since the start.
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> throttled{0};    // 429
  std::atomic<uint64_t> refused{0};      // framing, limits, time: 4xx and the end
  std::atomic<uint64_t> cut_off{0};      // slow takers of answers
  std::atomic<uint64_t> turned_away{0};  // connections above the limit
};

}  // namespace windlass::net
