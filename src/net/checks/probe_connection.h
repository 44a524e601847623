// One question to a port: connects, perhaps with TLS, lets an exchange send and receive what it
// wants, and tells how that ended. For probes (endpoint_checks.h).
//
// Lives on the event loop. Its owner may drop it at any time: that ends the connection, and nothing
// is called any more.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/stream/endpoint.h"
#include "net/stream/stream_pump.h"
#include "net/tls/tls_client_context.h"

namespace windlass::net {

// What is said over the connection: bytes in, bytes out, no I/O.
class ProbeExchange {
 public:
  virtual ~ProbeExchange() = default;

  // What is to be sent now; "" for nothing. Valid until the next call.
  virtual std::string_view output() = 0;
  virtual void sent(size_t bytes) = 0;
  // True once everything is known.
  virtual Result<bool> received(std::string_view bytes) = 0;
};

struct ProbeEnd {
  bool connected = false;
  bool timed_out = false;
  Result<void> result = {};
};

class ProbeConnection final : private StreamUser,
                              public std::enable_shared_from_this<ProbeConnection> {
 public:
  using OnEnd = std::function<void(const ProbeEnd&)>;

  ProbeConnection(posix::EventLoop& loop, OnEnd on_end) : loop_(loop), on_end_(std::move(on_end)) {}
  ~ProbeConnection() { loop_.cancel(timer_); }
  ProbeConnection(const ProbeConnection&) = delete;
  ProbeConnection& operator=(const ProbeConnection&) = delete;

  // `exchange` is null where only the connection counts, `tls` for plain TCP.
  void begin(const std::string& address, uint16_t port, Duration timeout,
             std::unique_ptr<ProbeExchange> exchange, std::shared_ptr<const TlsClientContext> tls);
  // Instead: it cannot even be tried.
  void fail_later(Status why);

 private:
  enum class Phase { connecting, handshake, exchange, over };

  void on_ready(uint32_t events) override;
  size_t output(std::span<std::string_view> parts) override;
  void on_sent(size_t bytes) override { exchange_->sent(bytes); }
  bool reads() const override { return phase_ == Phase::exchange; }
  size_t on_received(std::string_view bytes) override;
  void on_ended(Io how, const std::string& why) override;

  void on_connected();
  void handshake();
  void run_exchange();
  void finish(Result<void> result);

  posix::EventLoop& loop_;
  OnEnd on_end_;
  Phase phase_ = Phase::connecting;
  std::unique_ptr<ProbeExchange> exchange_;
  std::shared_ptr<const TlsClientContext> tls_;
  Endpoint endpoint_;
  std::optional<StreamPump> pump_;
  ProbeEnd end_;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<ProbeConnection> self_{this};
};

}  // namespace windlass::net
