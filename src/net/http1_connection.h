// A client that speaks HTTP/1.1: reads requests, hands them on one after the other, and writes the
// answers in order.
// Holds back: nothing is read while a request is being answered or an answer waits to be taken, so
// what a client can make it hold is bounded by the limits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/request_parser.h"
#include "http/response_head.h"
#include "net/connection.h"
#include "net/output_queue.h"
#include "net/request_hold.h"
#include "net/server_state.h"
#include "net/standing.h"
#include "net/stream.h"
#include "posix/event_loop.h"

namespace windlass::net {

class IoThread;

class Http1Connection final : public Connection {
 public:
  Http1Connection(uint64_t id, IoThread& io, ServerState& state, std::unique_ptr<Stream> stream,
                  http::Peer peer);

  void start() override;
  void take_step(ExchangeLink& link, AnswerStep step) override;
  void advance() override;
  void wind_down() override;
  void close() override;
  bool is_busy() const override { return phase_ == Phase::answering || !output_.empty(); }

 private:
  enum class Phase { reading, answering, closing, lingering, closed };
  // What the connection waits for; each has its time.
  enum class Wait { nothing, idle, head, body, answer, send, linger };
  // The request being answered.
  struct Current {
    std::string method;
    bool http_1_0 = false;
    bool keep_alive = true;
    bool long_running = false;
    bool streaming = false;
    bool has_body = true;  // of the streamed answer
  };

  void on_events(uint32_t events);
  void on_peer_finished();
  // Each false when there is nothing more to do now.
  bool flush();
  bool read_input();
  bool discard_input();

  void parse(std::string_view bytes);
  RequestBytes bytes_to_count() const;
  void account_for_input();
  void answer_request();
  void refuse(const Status& status);
  void refuse_with(http::Response response);
  void answer(http::Response response);
  void begin_stream(const StartAnswer& start);
  void write_chunk(http::Chunk chunk);
  void abort_answer();
  // Nothing more will be said to the present request.
  void end_answer();
  void release_request();

  void update_interest();
  uint32_t wanted_events() const;
  void update_deadline(bool progress);
  bool begins_anew(Wait wait) const;
  Wait waits_for() const;
  Duration timeout_of(Wait wait) const;
  void schedule_timer();
  void on_timer();
  void on_timeout();

  const uint64_t id_;
  IoThread& io_;
  ServerState& state_;
  std::unique_ptr<Stream> stream_;
  const http::Peer peer_;

  Phase phase_ = Phase::reading;
  http::RequestParser parser_;
  std::string input_;  // of the requests after the present one
  OutputQueue output_;
  bool stopped_sending_ = false;  // the other side
  bool may_read_ = true;          // worth a try; false until the socket says that there is more
  bool turn_comes_ = false;       // the next one: it has one in each round of the loop, not more
  Io blocked_on_ = Io::want_read;
  size_t discarded_ = 0;

  Current current_;
  std::shared_ptr<ExchangeLink> link_;
  std::shared_ptr<ExchangeLink> sending_link_;  // whose chunks are in output_
  RequestHold hold_;                            // of the present request
  Standing standing_;

  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t watched_events_ = 0;
  Wait wait_ = Wait::nothing;
  bool fresh_ = true;  // no request has been answered yet
  MonotonicTime deadline_ = {};
  size_t sent_in_time_ = 0;  // since the clock of Wait::send began
  env::TimerId timer_ = env::TimerId::none;
  MonotonicTime timer_due_ = {};
};

}  // namespace windlass::net
