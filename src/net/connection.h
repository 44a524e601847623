// One client: reads requests, hands them on one after the other, and writes the answers in order.
// Holds back: nothing is read while a request is being answered or an answer waits to be taken, so
// what a client can make it hold is bounded by the limits. Lives on its I/O thread, which keeps it
// until close().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/request_parser.h"
#include "http/response_head.h"
#include "net/exchange_link.h"
#include "net/output_queue.h"
#include "net/server_state.h"
#include "net/stream.h"
#include "posix/event_loop.h"

namespace windlass::net {

class IoThread;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(uint64_t id, IoThread& io, ServerState& state, std::unique_ptr<Stream> stream);

  void start();
  // A step of the answer to the present request. The caller calls advance() when it has no more.
  void take_step(AnswerStep step);
  // Reads, answers and writes as far as it goes without waiting.
  void advance();
  // The server stops: ends now, or after the answer under way.
  void wind_down();
  // Cuts it. Nothing happens on it any more.
  void close();

 private:
  enum class Phase { handshake, reading, answering, closing, lingering, closed };
  // What the connection waits for; each has its time.
  enum class Wait { nothing, handshake, idle, head, body, answer, send, linger };
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
  bool continue_handshake();
  // Each false when there is nothing more to do now.
  bool flush();
  bool read_input();
  bool discard_input();

  void parse(std::string_view bytes);
  void account_for_input();
  void dispatch();
  void refuse(const Status& status);
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
  Wait waits_for() const;
  Duration timeout_of(Wait wait) const;
  void schedule_timer();
  void on_timer();
  void on_timeout();

  const uint64_t id_;
  IoThread& io_;
  ServerState& state_;
  std::unique_ptr<Stream> stream_;
  http::Peer peer_;

  Phase phase_ = Phase::handshake;
  http::RequestParser parser_;
  std::string input_;  // of the requests after the present one
  OutputQueue output_;
  bool stopped_sending_ = false;  // the other side
  bool may_read_ = true;          // worth a try; false until the socket says that there is more
  Io blocked_on_ = Io::want_read;
  size_t discarded_ = 0;

  Current current_;
  std::shared_ptr<ExchangeLink> link_;
  std::shared_ptr<ExchangeLink> sending_link_;  // whose chunks are in output_
  Gauge* slot_ = nullptr;
  size_t accounted_bytes_ = 0;

  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t watched_events_ = 0;
  Wait wait_ = Wait::nothing;
  bool fresh_ = true;  // no request has been answered yet
  MonotonicTime deadline_ = {};
  env::TimerId timer_ = env::TimerId::none;
  MonotonicTime timer_due_ = {};
};

}  // namespace windlass::net
