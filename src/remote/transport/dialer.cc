#include "remote/transport/dialer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "net/stream/byte_stream.h"
#include "net/stream/endpoint.h"
#include "net/stream/stream_pump.h"
#include "remote/transport/proxy.h"

namespace windlass::remote {

// Its caller holds it; the loop and the resolver do so weakly.
class Dialer::Attempt final : private net::StreamUser,
                              public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(Dialer& dialer, Done done)
      : loop_(dialer.loop_),
        server_(dialer.credentials_.access().server),
        proxy_(dialer.credentials_.access().proxy),
        server_name_(dialer.credentials_.access().tls_server_name),
        http2_(dialer.http2_),
        done_(std::move(done)) {
    if (server_name_.empty()) {
      server_name_ = server_.host;
    }
  }
  ~Attempt() { stop(); }

  void begin(Dialer& dialer) {
    dialer.credentials_.prepare([weak = weak_from_this(), &dialer](const Result<void>& ready) {
      if (const auto self = weak.lock()) {
        ready ? self->connect(dialer) : self->finish_later(fail(ready.error()));
      }
    });
  }

 private:
  void connect(Dialer& dialer) {
    auto tls = dialer.credentials_.tls();
    if (!tls) {
      return finish_later(fail(tls.error()));
    }
    tls_ = *std::move(tls);
    tls_generation_ = dialer.credentials_.tls_generation();
    if (auto address = net::parse_endpoint(first_hop().authority())) {
      addresses_ = {*std::move(address)};
      loop_.post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->try_next();
        }
      });
      return;
    }
    look_up(dialer);
  }

  const ServerUrl& first_hop() const { return proxy_ ? proxy_->server : server_; }

  void look_up(Dialer& dialer) {
    if (dialer.resolver_ == nullptr) {
      dialer.resolver_ = std::make_unique<posix::WorkerThread>(dialer.clock_, "resolver");
    }
    dialer.resolver_->post([&loop = loop_, weak = weak_from_this(), resolve = dialer.resolve_,
                            host = first_hop().host, port = first_hop().port] {
      if (weak.expired()) {
        return;
      }
      auto found = std::make_shared<Result<std::vector<net::Endpoint>>>(resolve(host, port));
      loop.post([weak, found] {
        if (const auto self = weak.lock()) {
          self->on_found(std::move(*found));
        }
      });
    });
  }

  void on_found(Result<std::vector<net::Endpoint>> found) {
    if (!found) {
      return finish(fail(found.error()));
    }
    addresses_ = *std::move(found);
    try_next();
  }

  void try_next() {
    stop();
    if (next_ == addresses_.size()) {
      return finish(fail(std::move(last_failure_)));
    }
    const net::Endpoint& endpoint = addresses_[next_++];
    auto fd = net::begin_connect(endpoint);
    if (!fd) {
      return fail_address(fd.error().message);
    }
    pump_ = std::make_unique<net::StreamPump>(loop_, static_cast<net::StreamUser&>(*this),
                                              std::make_unique<net::PlainStream>(*std::move(fd)));
    arm(next_ == addresses_.size() ? kAddressTimeout : kNextAddressTimeout);
    step_ = &Attempt::on_connected;
    pump_->wait_for(net::Io::want_write);
  }

  void arm(Duration limit) {
    loop_.cancel(timer_);
    timer_ = loop_.schedule(limit, [this] {
      const auto self = shared_from_this();
      fail_address(fmt::format("connect to {}: no answer in time", first_hop().authority()));
    });
  }

  void fail_address(std::string why) {
    last_failure_ = plain_error(std::move(why));
    try_next();
  }

  void on_connected() {
    const net::Endpoint& endpoint = addresses_[next_ - 1];
    if (const auto connected = net::connect_result(pump_->stream().fd(), endpoint); !connected) {
      return fail_address(connected.error().message);
    }
    arm(kAddressTimeout);
    if (!proxy_) {
      return speak();
    }
    tunnel_ = ProxyTunnel::make(*proxy_, server_);
    proxy_->kind == Proxy::Kind::https ? speak_to_proxy() : open_tunnel();
  }

  // The proxy's certificate is judged as the server's is, as client-go does.
  void speak_to_proxy() {
    if (tls_ == nullptr) {
      return fail_address("a proxy at https:// needs a server at https://");
    }
    pump_->wrap([this](std::unique_ptr<net::ByteStream> below) {
      return tls_->connect(std::move(below), proxy_->server.host);
    });
    if (pump_->closed()) {
      return fail_address("set up TLS: the proxy's name cannot be used");
    }
    step_ = &Attempt::handshake_with_proxy;
    handshake_with_proxy();
  }

  void handshake_with_proxy() {
    handshake("proxy " + proxy_->server.authority(), &Attempt::open_tunnel);
  }

  void open_tunnel() {
    step_ = &Attempt::open_tunnel;
    switch (tunnel_->advance(pump_->stream())) {
      case ProxyTunnel::Step::want_write:
        return pump_->wait_for(net::Io::want_write);
      case ProxyTunnel::Step::want_read:
        return pump_->wait_for(net::Io::want_read);
      case ProxyTunnel::Step::open:
        return speak();
      case ProxyTunnel::Step::failed:
        return fail_address(fmt::format("connect to {} through {}: {}", server_.authority(),
                                        first_hop().authority(), tunnel_->failure()));
    }
  }

  void speak() {
    if (tls_ != nullptr) {
      pump_->wrap([this](std::unique_ptr<net::ByteStream> below) {
        return tls_->connect(std::move(below), server_name_, http2_);
      });
    }
    if (pump_->closed()) {
      return fail_address("set up TLS: the server's name cannot be used");
    }
    step_ = &Attempt::handshake_with_server;
    handshake_with_server();
  }

  void handshake_with_server() { handshake(server_.authority(), &Attempt::succeed); }

  void succeed() {
    loop_.cancel(std::exchange(timer_, env::TimerId::none));
    finish(Dialed{pump_->release(), tls_generation_});
  }

  void handshake(const std::string& with, void (Attempt::*then)()) {
    http::Peer ignored;
    switch (pump_->handshake(ignored)) {
      case net::Io::done:
        return (this->*then)();
      case net::Io::want_read:
      case net::Io::want_write:
        return;
      default:
        break;
    }
    const std::string failure = pump_->stream().failure();
    fail_address(fmt::format("connect to {}: {}", with,
                             failure.empty() ? "the connection was ended" : failure));
  }

  void on_ready(uint32_t /*events*/) override {
    const auto self = shared_from_this();
    (this->*step_)();
  }

  void stop() {
    loop_.cancel(std::exchange(timer_, env::TimerId::none));
    pump_ = nullptr;
  }

  void finish(Result<Dialed> result) {
    const Done done = std::exchange(done_, nullptr);
    done(std::move(result));
  }
  void finish_later(Failure failure) {
    loop_.post([weak = weak_from_this(), failure = std::move(failure)] {
      if (const auto self = weak.lock()) {
        self->finish(failure);
      }
    });
  }

  posix::EventLoop& loop_;
  const ServerUrl server_;
  const std::optional<Proxy> proxy_;
  std::string server_name_;
  const bool http2_;
  Done done_;
  std::shared_ptr<const net::TlsClientContext> tls_;
  uint64_t tls_generation_ = 0;
  std::vector<net::Endpoint> addresses_;
  size_t next_ = 0;
  Status last_failure_ = plain_error("no address");
  std::unique_ptr<ProxyTunnel> tunnel_;
  std::unique_ptr<net::StreamPump> pump_;
  void (Attempt::*step_)() = nullptr;  // once the socket is ready
  env::TimerId timer_ = env::TimerId::none;
};

Dialer::Dialer(posix::EventLoop& loop, env::Clock& clock, Credentials& credentials, bool http2,
               Resolve resolve)
    : loop_(loop),
      clock_(clock),
      credentials_(credentials),
      http2_(http2),
      resolve_(std::move(resolve)) {}

Dialer::~Dialer() = default;

std::shared_ptr<void> Dialer::dial(Done done) {
  auto attempt = std::make_shared<Attempt>(*this, std::move(done));
  attempt->begin(*this);
  return attempt;
}

}  // namespace windlass::remote
