#include "net/handshake.h"

#include <sys/epoll.h>

#include <utility>

#include "net/endpoint.h"
#include "net/io_thread.h"

namespace windlass::net {

Handshake::Handshake(uint64_t id, IoThread& io, ServerState& state, std::unique_ptr<Stream> stream)
    : id_(id), io_(io), state_(state), stream_(std::move(stream)) {
  peer_.address = peer_address(stream_->fd());
  peer_.reached = own_address(stream_->fd());
}

void Handshake::start() {
  timer_ = io_.loop().schedule(state_.limits.handshake_timeout, [this, self = shared_from_this()] {
    timer_ = env::TimerId::none;
    close();
  });
  advance();
}

void Handshake::advance() {
  if (stream_ == nullptr) {
    return;
  }
  const Io result = stream_->handshake(peer_);
  if (result == Io::done) {
    std::unique_ptr<Stream> stream = std::move(stream_);
    let_go();
    return io_.greet(id_, std::move(stream), std::move(peer_));
  }
  if (result != Io::want_read && result != Io::want_write) {
    return close();
  }
  const uint32_t wanted = result == Io::want_read ? uint32_t{EPOLLIN} : uint32_t{EPOLLOUT};
  if (watch_ == posix::WatchId::none) {
    watch_ = io_.loop().watch(stream_->fd(), wanted,
                              [this, self = shared_from_this()](uint32_t) { advance(); });
  } else if (wanted != watched_events_) {
    io_.loop().change(watch_, wanted);
  }
  watched_events_ = wanted;
}

void Handshake::let_go() {
  io_.loop().cancel(std::exchange(timer_, env::TimerId::none));
  io_.loop().unwatch(std::exchange(watch_, posix::WatchId::none));
}

void Handshake::close() {
  if (stream_ == nullptr) {
    return;
  }
  const auto self = shared_from_this();
  let_go();
  stream_ = nullptr;
  io_.forget(id_);
}

}  // namespace windlass::net
