#include "net/tls/handshake.h"

#include <utility>

#include "net/io_thread.h"
#include "net/stream/endpoint.h"

namespace windlass::net {

Handshake::Handshake(uint64_t id, IoThread& io, ServerState& state,
                     std::unique_ptr<ByteStream> stream)
    : id_(id),
      io_(io),
      state_(state),
      pump_(io.loop(), *this, std::move(stream)),
      timer_(io.loop(), state.clock, [this] { close(); }) {
  peer_.address = peer_address(pump_.stream().fd());
  peer_.reached = own_address(pump_.stream().fd());
}

void Handshake::start() {
  timer_.set(state_.clock.monotonic() + state_.limits.handshake_timeout);
  advance();
}

void Handshake::advance() {
  if (pump_.closed()) {
    return;
  }
  const auto self = shared_from_this();
  switch (pump_.handshake(peer_)) {
    case Io::done:
      timer_.cancel();
      return io_.greet(id_, pump_.release(), std::move(peer_));
    case Io::want_read:
    case Io::want_write:
      return;
    default:
      return close();
  }
}

void Handshake::close() {
  if (pump_.closed()) {
    return;
  }
  const auto self = shared_from_this();
  timer_.cancel();
  pump_.close();
  io_.forget(id_);
}

}  // namespace windlass::net
