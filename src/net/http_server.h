// An HTTP server (1.1, and 2 where TLS agrees on it): listens, reads requests within limits, hands
// them to a Handler, and writes what it answers (see http/handler.h for who runs where). Made and
// used on the core executor's thread; owns its I/O threads and everything on them. Handler,
// executor, clock and log outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "env/clock.h"
#include "env/log.h"
#include "http/handler.h"
#include "net/server_limits.h"
#include "net/stream/endpoint.h"
#include "net/tls/tls_context.h"
#include "posix/event_loop.h"

namespace windlass::net {

// For a server that shares this machine with the core's thread and with its clients: on two
// processors a second I/O thread is one more to wake.
size_t fitting_io_threads();

struct ServerOptions {
  Endpoint endpoint = {};
  std::shared_ptr<const TlsContext> tls = {};  // null for plain TCP
  size_t io_threads = 2;
  ServerLimits limits = {};
};

struct ServerEnv {
  posix::EventLoop& core;
  env::Clock& clock;
  env::Log& log;
};

// Counts at one moment; those that only grow are since the start.
struct ServerStatistics {
  size_t connections = 0;
  size_t reads_in_flight = 0;
  size_t writes_in_flight = 0;
  size_t long_running = 0;
  size_t buffered_request_bytes = 0;
  uint64_t requests = 0;
  uint64_t throttled = 0;
  uint64_t refused = 0;
  uint64_t cut_off = 0;
  uint64_t turned_away = 0;
  uint64_t displaced = 0;
};

class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> start(ServerEnv env, const http::Handler& handler,
                                                   ServerOptions options);
  // Cuts what is still there.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  const Endpoint& endpoint() const;
  // From any thread.
  ServerStatistics statistics() const;

  // Another certificate, for the connections that come from now on.
  void use(const std::shared_ptr<const TlsContext>& tls);

  // No new connections; long-running answers end, others may complete within the grace period.
  // `on_stopped` runs on the core executor.
  void stop(std::function<void()> on_stopped);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::net
