// What all I/O threads of one server share: where requests go, the limits, and the counts against
// which the limits are held. Owned by the Server, which outlives its threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "env/clock.h"
#include "env/log.h"
#include "http/handler.h"
#include "net/admission/request_limiter.h"
#include "net/server_limits.h"
#include "posix/event_loop.h"

namespace windlass::net {

struct ServerState {
  const http::Handler& handler;
  posix::EventLoop& core;
  env::Clock& clock;
  env::Log& log;
  const ServerLimits limits;
  const size_t io_threads;

  // Connections that are accepted, of which some may be on their way to their I/O thread.
  static constexpr size_t kConnectionSlack = 256;
  Gauge connections{limits.connections + kConnectionSlack};
  std::atomic<size_t> adopted{0};  // those that have arrived there
  const std::shared_ptr<RequestLimiter> limiter = std::make_shared<RequestLimiter>(limits);
  // Since the start.
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> throttled{0};    // 429
  std::atomic<uint64_t> refused{0};      // framing, limits, time: 4xx and the end
  std::atomic<uint64_t> cut_off{0};      // slow takers of answers
  std::atomic<uint64_t> turned_away{0};  // connections above the limit
  std::atomic<uint64_t> displaced{0};    // connections that made room for others
};

}  // namespace windlass::net
