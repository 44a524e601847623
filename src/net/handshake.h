// A client that has connected and not said yet what it speaks: TLS agrees on keys and on HTTP/2 or
// HTTP/1.1. Then its I/O thread puts the connection in its place that speaks it.
#pragma once

#include <cstdint>
#include <memory>

#include "net/connection.h"
#include "net/server_state.h"
#include "net/stream.h"
#include "posix/event_loop.h"

namespace windlass::net {

class IoThread;

class Handshake final : public Connection {
 public:
  Handshake(uint64_t id, IoThread& io, ServerState& state, std::unique_ptr<Stream> stream);

  void start() override;
  void take_step(ExchangeLink&, AnswerStep) override {}  // nobody has asked anything
  void advance() override;
  void wind_down() override { close(); }
  void close() override;
  bool is_busy() const override { return false; }

 private:
  void let_go();

  const uint64_t id_;
  IoThread& io_;
  ServerState& state_;
  std::unique_ptr<Stream> stream_;  // nullptr once it is over
  http::Peer peer_;
  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t watched_events_ = 0;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::net
