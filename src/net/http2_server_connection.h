// A client that speaks HTTP/2: many requests at a time, each a stream with its own answer, limits
// and clock (http2_exchanges.h); ending one leaves the others alone. What a client can make it hold
// is bounded as over HTTP/1.1: by the places and memory for requests, which larger answers keep
// until their client has taken them, and by the answers that are too small for that, of which it
// holds one connection's worth.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/http2_exchanges.h"
#include "net/server_connection.h"
#include "net/server_state.h"

namespace windlass::net {

class Http2ServerConnection final : public ServerConnection, private StreamUser {
 public:
  Http2ServerConnection(uint64_t id, IoThread& io, ServerState& state,
                        std::unique_ptr<ByteStream> stream, http::Peer peer);

  void start() override;
  void take_step(ExchangeLink& link, AnswerStep step) override;
  void advance() override;
  void wind_down() override;
  void close() override;
  bool is_busy() const override { return !exchanges_.empty(); }

 private:
  enum class Phase { open, lingering, closed };
  // What the connection itself waits for: a first or next request, the socket to take more, the
  // other side to end.
  enum class Wait { nothing, first, idle, send, linger };

  void on_ready(uint32_t events) override;
  size_t output(std::span<std::string_view> parts) override;
  void on_sent(size_t bytes) override;
  bool reads() const override { return phase_ == Phase::open; }
  size_t on_received(std::string_view bytes) override;
  // A client that has finished sending reads no answers either.
  void on_ended(Io, const std::string&) override { close(); }

  Wait waits_for() const;
  Duration timeout_of(Wait wait) const;
  void update_deadline();
  void on_due();

  const uint64_t id_;
  IoThread& io_;
  ServerState& state_;
  const http::Peer peer_;
  StreamPump pump_;
  http::Http2ServerSession session_;
  DeadlineTimer timer_;  // for the connection and for all its requests
  Http2Exchanges exchanges_;

  Phase phase_ = Phase::open;
  bool going_away_ = false;
  Wait wait_ = Wait::nothing;
  MonotonicTime deadline_ = {};
  size_t sent_in_time_ = 0;  // since the clock of Wait::send began
};

}  // namespace windlass::net
