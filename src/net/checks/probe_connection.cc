#include "net/checks/probe_connection.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "net/stream/byte_stream.h"

namespace windlass::net {
namespace {

// The caller knows the place: `connect: connection refused`.
Status without_place(const Status& error, const Endpoint& endpoint) {
  const std::string place = "connect to " + endpoint.text();
  return error.message.starts_with(place)
             ? plain_error("connect" + error.message.substr(place.size()))
             : error;
}

}  // namespace

void ProbeConnection::begin(const std::string& address, uint16_t port, Duration timeout,
                            std::unique_ptr<ProbeExchange> exchange,
                            std::shared_ptr<const TlsClientContext> tls) {
  exchange_ = std::move(exchange);
  tls_ = std::move(tls);
  auto endpoint = parse_endpoint(Endpoint{address, port}.text());
  if (!endpoint) {
    return fail_later(plain_error(
        fmt::format("{}: only addresses can be probed, names are not looked up", address)));
  }
  endpoint_ = *std::move(endpoint);
  auto fd = begin_connect(endpoint_);
  if (!fd) {
    return fail_later(without_place(fd.error(), endpoint_));
  }
  timer_ = loop_.schedule(timeout, [this] {
    end_.timed_out = true;
    finish(fail(plain_error("no answer in time")));
  });
  pump_.emplace(loop_, static_cast<StreamUser&>(*this),
                std::make_unique<PlainStream>(*std::move(fd)));
  pump_->wait_for(Io::want_write);
}

void ProbeConnection::fail_later(Status why) {
  loop_.post(self_.bind([why = std::move(why)](ProbeConnection& self) { self.finish(fail(why)); }));
}

void ProbeConnection::on_ready(uint32_t /*events*/) {
  const auto self = shared_from_this();
  switch (phase_) {
    case Phase::connecting:
      return on_connected();
    case Phase::handshake:
      return handshake();
    case Phase::exchange:
      return run_exchange();
    case Phase::over:
      return;
  }
}

void ProbeConnection::on_connected() {
  if (const auto connected = connect_result(pump_->stream().fd(), endpoint_); !connected) {
    return finish(fail(without_place(connected.error(), endpoint_)));
  }
  end_.connected = true;
  if (exchange_ == nullptr) {
    return finish({});
  }
  if (tls_ != nullptr) {
    pump_->wrap([this](std::unique_ptr<ByteStream> below) {
      return tls_->connect(std::move(below), endpoint_.address);
    });
  }
  if (pump_->closed()) {
    return finish(fail(plain_error("TLS cannot be set up")));
  }
  phase_ = Phase::handshake;
  handshake();
}

void ProbeConnection::handshake() {
  http::Peer ignored;
  switch (const Io result = pump_->handshake(ignored)) {
    case Io::done:
      phase_ = Phase::exchange;
      pump_->watch_always(0);
      return run_exchange();
    case Io::want_read:
    case Io::want_write:
      return;
    default:
      return on_ended(result, "");
  }
}

void ProbeConnection::run_exchange() {
  std::array<char, StreamPump::kReadBytes> buffer;
  pump_->run(buffer);
}

size_t ProbeConnection::output(std::span<std::string_view> parts) {
  parts[0] = phase_ == Phase::exchange ? exchange_->output() : std::string_view();
  return parts[0].empty() ? 0 : 1;
}

size_t ProbeConnection::on_received(std::string_view bytes) {
  if (const Result<bool> over = exchange_->received(bytes); !over || *over) {
    finish(over ? Result<void>() : fail(over.error()));
  }
  return bytes.size();
}

void ProbeConnection::on_ended(Io /*how*/, const std::string& /*why*/) {
  const std::string failure = pump_->stream().failure();
  finish(fail(plain_error(failure.empty() ? "the connection was ended: EOF" : failure)));
}

void ProbeConnection::finish(Result<void> result) {
  const auto self = shared_from_this();
  phase_ = Phase::over;
  loop_.cancel(std::exchange(timer_, env::TimerId::none));
  if (pump_) {
    pump_->close();
  }
  end_.result = std::move(result);
  if (const OnEnd on_end = std::exchange(on_end_, nullptr)) {
    on_end(end_);
  }
}

}  // namespace windlass::net
