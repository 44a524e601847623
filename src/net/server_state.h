// What all I/O threads of one server share: where requests go, the limits, and the counts that the
// limits are held against. Owned by the Server, which outlives its threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "env/clock.h"
#include "env/log.h"
#include "http/handler.h"
#include "http/request_class.h"
#include "net/limits.h"
#include "net/tls_context.h"
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

struct ServerState {
  const http::Handler& handler;
  posix::EventLoop& core;
  env::Clock& clock;
  env::Log& log;
  const Limits limits;
  const std::shared_ptr<const TlsContext> tls;  // null for plain TCP

  Gauge connections{limits.connections};
  Gauge buffered_bytes{limits.buffered_request_bytes};
  // Indexed by http::RequestClass.
  std::array<Gauge, http::kRequestClasses> in_flight{
      Gauge(limits.reads_in_flight), Gauge(limits.writes_in_flight), Gauge(limits.long_running)};
  // Since the start.
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> throttled{0};    // 429
  std::atomic<uint64_t> refused{0};      // framing, limits, time: 4xx and the end
  std::atomic<uint64_t> cut_off{0};      // slow takers of answers
  std::atomic<uint64_t> turned_away{0};  // connections above the limit
};

}  // namespace windlass::net
