// One question to a port: connects, perhaps with TLS, lets an exchange say and hear what it wants,
// and tells how that ended. For probes (endpoint_checks.h).
//
// Lives on the event loop. Belongs to whoever asked: dropping it ends the connection, and nothing
// is called any more.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/endpoint.h"
#include "net/stream.h"
#include "net/tls_client_context.h"
#include "posix/event_loop.h"

namespace windlass::net {

// What is said over the connection: bytes in, bytes out, no I/O.
class CheckExchange {
 public:
  virtual ~CheckExchange() = default;

  // What is to be sent now; "" for nothing. Valid until the next call.
  virtual std::string_view output() = 0;
  virtual void sent(size_t bytes) = 0;
  // True once everything is known.
  virtual Result<bool> received(std::string_view bytes) = 0;
};

struct CheckEnd {
  bool connected = false;
  bool timed_out = false;
  Result<void> result = {};
};

class Check : public std::enable_shared_from_this<Check> {
 public:
  using OnEnd = std::function<void(const CheckEnd&)>;

  Check(posix::EventLoop& loop, OnEnd on_end) : loop_(loop), on_end_(std::move(on_end)) {}
  ~Check() { stop(); }
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  // `exchange` is null where only the connection counts, `tls` for plain TCP.
  void begin(const std::string& address, uint16_t port, Duration timeout,
             std::unique_ptr<CheckExchange> exchange, std::shared_ptr<const TlsClientContext> tls);
  // Instead: it cannot even be tried.
  void fail_later(Status why);

 private:
  void on_connected();
  void shake_hands();
  void go_on();
  void go_on_later();
  void wait_or_fail(Io result, void (Check::*step)());
  void watch(int fd, uint32_t events, void (Check::*step)());
  void stop();
  void finish(Result<void> result);

  posix::EventLoop& loop_;
  OnEnd on_end_;
  std::unique_ptr<CheckExchange> exchange_;
  std::shared_ptr<const TlsClientContext> tls_;
  Endpoint endpoint_;
  posix::FileDescriptor fd_;
  std::unique_ptr<Stream> stream_;
  CheckEnd end_;
  posix::WatchId watch_ = posix::WatchId::none;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::net
