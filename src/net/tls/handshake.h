// A client that has connected and not said yet what it speaks: TLS agrees on keys and on HTTP/2 or
// HTTP/1.1. Then its I/O thread replaces it by the connection that speaks it.
#pragma once

#include <cstdint>
#include <memory>

#include "net/deadline_timer.h"
#include "net/server_connection.h"
#include "net/server_state.h"
#include "net/stream/stream_pump.h"

namespace windlass::net {

class IoThread;

class Handshake final : public ServerConnection, private StreamUser {
 public:
  Handshake(uint64_t id, IoThread& io, ServerState& state, std::unique_ptr<ByteStream> stream);

  void start() override;
  void take_step(ExchangeLink&, AnswerStep) override {}  // there is no request yet
  void advance() override;
  void wind_down() override { close(); }
  void close() override;
  bool is_busy() const override { return false; }

 private:
  void on_ready(uint32_t /*events*/) override { advance(); }

  const uint64_t id_;
  IoThread& io_;
  ServerState& state_;
  http::Peer peer_;
  StreamPump pump_;
  DeadlineTimer timer_;
};

}  // namespace windlass::net
