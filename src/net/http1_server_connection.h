// A client that speaks HTTP/1.1: reads requests, hands them on one after the other, and writes the
// answers in order.
// Holds back: nothing is read while a request is being answered or an answer waits to be taken, so
// what a client can make it hold is bounded by the limits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/request_parser.h"
#include "net/admission/request_hold.h"
#include "net/deadline_timer.h"
#include "net/http1_answer_writer.h"
#include "net/server_connection.h"
#include "net/server_state.h"
#include "net/stream/stream_pump.h"

namespace windlass::net {

class IoThread;

class Http1ServerConnection final : public ServerConnection, private StreamUser {
 public:
  Http1ServerConnection(uint64_t id, IoThread& io, ServerState& state,
                        std::unique_ptr<ByteStream> stream, http::Peer peer);

  void start() override;
  void take_step(ExchangeLink& link, AnswerStep step) override;
  void advance() override;
  void wind_down() override;
  void close() override;
  bool is_busy() const override { return phase_ == Phase::answering || !writer_.output().empty(); }

 private:
  enum class Phase { reading, answering, closing, lingering, closed };
  // What the connection waits for; each has its time.
  enum class Wait { nothing, idle, head, body, answer, send, stream, linger };

  void on_ready(uint32_t events) override;
  size_t output(std::span<std::string_view> parts) override {
    return writer_.output().front(parts);
  }
  void on_sent(size_t bytes) override;
  bool reads() const override {
    return awaits_stream_bytes_ || (phase_ == Phase::reading && writer_.output().empty());
  }
  size_t on_received(std::string_view bytes) override;
  void on_ended(Io, const std::string&) override { close(); }
  void on_peer_finished();
  // What follows once all that is to be sent is sent.
  void settle();

  size_t parse(std::string_view bytes);
  RequestBytes bytes_to_count() const;
  void account_for_input();
  void answer_request();
  void refuse(const Status& status);
  void refuse_with(http::Response response);
  void answer(http::Response response);
  void write_chunk(http::Chunk chunk);
  void upgrade(const UpgradeAnswer& upgrade);
  void abort_answer();
  // Nothing more will be said to the present request.
  void end_answer();
  void release_request();

  void update_deadline();
  bool begins_anew(Wait wait) const;
  Wait waits_for() const;
  Duration timeout_of(Wait wait) const;
  void on_timeout();

  const uint64_t id_;
  IoThread& io_;
  ServerState& state_;
  const http::Peer peer_;
  StreamPump pump_;

  Phase phase_ = Phase::reading;
  http::RequestParser parser_;
  std::shared_ptr<http::RequestContext> context_;  // of a request whose body is coming
  Http1AnswerWriter writer_;
  bool long_running_ = false;         // the request being answered
  bool answered_ = false;             // and its answer not sent to its end
  bool awaits_stream_bytes_ = false;  // upgraded, and the other end asked for what comes next
  bool can_upgrade_ = false;
  std::shared_ptr<ExchangeLink> link_;
  std::shared_ptr<ExchangeLink> sending_link_;  // whose chunks are being sent
  RequestHold hold_;                            // of the present request
  ConnectionIdentity identity_;

  DeadlineTimer timer_;
  Wait wait_ = Wait::nothing;
  bool fresh_ = true;             // no request has been answered yet
  bool moved_this_turn_ = false;  // something was sent, or came for the other end of a stream
  size_t sent_in_time_ = 0;       // since the clock of Wait::send began
};

}  // namespace windlass::net
