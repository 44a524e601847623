// env::NetworkChecks over real sockets, one connection per check. Lives on the event loop, which
// outlives it; a check under way belongs to the holder of its handle.
#pragma once

#include <memory>
#include <string>

#include "env/network_checks.h"
#include "net/tls/tls_client_context.h"
#include "posix/event_loop.h"

namespace windlass::net {

class EndpointChecks final : public env::NetworkChecks {
 public:
  explicit EndpointChecks(posix::EventLoop& loop) : loop_(loop) {}

  Handle get(const env::HttpCheck& check, Duration timeout, OnStatus on_status) override;
  Handle connect(const std::string& address, uint16_t port, Duration timeout,
                 OnConnected on_connected) override;
  Handle ask_health(const env::GrpcCheck& check, Duration timeout, OnHealth on_health) override;

 private:
  posix::EventLoop& loop_;
  std::shared_ptr<const TlsClientContext> tls_;  // made when first needed
};

}  // namespace windlass::net
