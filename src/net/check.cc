#include "net/check.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "net/plain_stream.h"

namespace windlass::net {
namespace {

constexpr size_t kCheckReadBytes = 4096;
constexpr int kCheckReadsPerTurn = 16;  // so that others get their turn, whatever a server sends

// Whoever asked knows where to: `connect: connection refused`.
Status without_place(const Status& error, const Endpoint& endpoint) {
  const std::string place = "connect to " + endpoint.text();
  return error.message.starts_with(place)
             ? plain_error("connect" + error.message.substr(place.size()))
             : error;
}

}  // namespace

void Check::begin(const std::string& address, uint16_t port, Duration timeout,
                  std::unique_ptr<CheckExchange> exchange,
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
  fd_ = *std::move(fd);
  timer_ = loop_.schedule(timeout, [this] {
    end_.timed_out = true;
    finish(fail(plain_error("no answer in time")));
  });
  watch(fd_.get(), EPOLLOUT, &Check::on_connected);
}

void Check::fail_later(Status why) {
  loop_.post([weak = weak_from_this(), why = std::move(why)] {
    if (const auto self = weak.lock()) {
      self->finish(fail(why));
    }
  });
}

void Check::on_connected() {
  if (const auto connected = connect_result(fd_.get(), endpoint_); !connected) {
    return finish(fail(without_place(connected.error(), endpoint_)));
  }
  end_.connected = true;
  if (exchange_ == nullptr) {
    return finish({});
  }
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  stream_ = tls_ == nullptr
                ? std::make_unique<PlainStream>(std::move(fd_))
                : tls_->connect(std::make_unique<PlainStream>(std::move(fd_)), endpoint_.address);
  if (stream_ == nullptr) {
    return finish(fail(plain_error("TLS cannot be set up")));
  }
  shake_hands();
}

void Check::shake_hands() {
  http::Peer ignored;
  const Io result = stream_->handshake(ignored);
  result == Io::done ? go_on() : wait_or_fail(result, &Check::shake_hands);
}

void Check::go_on() {
  std::array<char, kCheckReadBytes> buffer;
  for (int reads = 0; reads < kCheckReadsPerTurn; ++reads) {
    for (std::string_view out = exchange_->output(); !out.empty(); out = exchange_->output()) {
      const Transfer transfer = stream_->write(std::span(&out, 1));
      if (transfer.result != Io::done) {
        return wait_or_fail(transfer.result, &Check::go_on);
      }
      exchange_->sent(transfer.bytes);
    }
    const Transfer transfer = stream_->read(buffer);
    if (transfer.result != Io::done) {
      return wait_or_fail(transfer.result, &Check::go_on);
    }
    const Result<bool> over = exchange_->received({buffer.data(), transfer.bytes});
    if (!over || *over) {
      return finish(over ? Result<void>() : fail(over.error()));
    }
  }
  go_on_later();
}

void Check::go_on_later() {
  // The socket may have nothing more to tell although TLS has, so it is not waited for.
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  loop_.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self != nullptr && self->stream_ != nullptr) {
      self->go_on();
    }
  });
}

void Check::wait_or_fail(Io result, void (Check::*step)()) {
  switch (result) {
    case Io::want_read:
      return watch(stream_->fd(), EPOLLIN, step);
    case Io::want_write:
      return watch(stream_->fd(), EPOLLOUT, step);
    default:
      return finish(fail(plain_error(stream_->failure().empty() ? "the connection was ended: EOF"
                                                                : stream_->failure())));
  }
}

void Check::watch(int fd, uint32_t events, void (Check::*step)()) {
  loop_.unwatch(watch_);
  watch_ = loop_.watch(fd, events, [this, step](uint32_t) {
    const auto self = shared_from_this();
    (this->*step)();
  });
}

void Check::stop() {
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  loop_.cancel(std::exchange(timer_, env::TimerId::none));
  stream_.reset();
  fd_.reset();
}

void Check::finish(Result<void> result) {
  const auto self = shared_from_this();
  stop();
  end_.result = std::move(result);
  if (const OnEnd on_end = std::exchange(on_end_, nullptr)) {
    on_end(end_);
  }
}

}  // namespace windlass::net
