// The requests of one HTTP/2 connection, from their heads to the end of their answers: asks for
// answers, counts what each holds, and gives each its time. Speaks through the session; sends
// nothing itself. Lives on an I/O thread, inside its connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "http/http2_server_session.h"
#include "net/admission/request_hold.h"
#include "net/deadline_timer.h"
#include "net/server_connection.h"
#include "net/server_state.h"
#include "net/stream/stream_pump.h"

namespace windlass::net {

class IoThread;

class Http2Exchanges {
 public:
  using Session = http::Http2ServerSession;

  // Of the connection, which outlives this.
  struct Host {
    uint64_t id;
    ServerConnection& connection;
    IoThread& io;
    ServerState& state;
    const http::Peer& peer;
    Session& session;
    StreamPump& pump;
    DeadlineTimer& timer;
  };
  explicit Http2Exchanges(const Host& host);
  ~Http2Exchanges() { close(); }
  Http2Exchanges(const Http2Exchanges&) = delete;
  Http2Exchanges& operator=(const Http2Exchanges&) = delete;

  bool empty() const { return exchanges_.empty(); }
  // No request has come yet.
  bool fresh() const { return fresh_; }

  // What the session has to tell after it was fed. False when it holds too much of heads and no
  // request can be refused for it.
  bool on_fed();
  // After the session was asked for its output.
  void on_output();
  void take_step(ExchangeLink& link, AnswerStep step);
  // The server stops: ends watches; the others complete.
  void end_long_running();
  // Ends those whose time is over.
  void expire(MonotonicTime now);
  // Nothing happens to any of them any more.
  void close();

 private:
  using StreamId = Session::StreamId;
  // What a request waits for; each has its time.
  enum class Wait { nothing, body, answer, send };

  struct Exchange {
    explicit Exchange(ServerState& state) : hold(state) {}

    RequestHold hold;
    std::shared_ptr<ExchangeLink> link = {};             // while its answer is not complete
    std::shared_ptr<http::RequestContext> context = {};  // of a request whose body is coming
    std::string method = {};
    bool long_running = false;
    bool streaming = false;
    bool has_body = true;    // of the streamed answer
    bool answered = false;   // nothing more will be added to the answer
    size_t small_bytes = 0;  // of an answer that keeps no place
    Wait wait = Wait::nothing;
    MonotonicTime deadline = {};
    size_t sent_in_time = 0;  // since the clock of Wait::send began
  };

  void on_news(const Session::News& news);
  void on_head(StreamId id, Exchange& exchange);
  bool count_heads();
  void count_body(StreamId id, Exchange& exchange);
  void refuse_for_memory(StreamId id, Exchange& exchange);
  void answer_request(StreamId id, Exchange& exchange);
  void answer(StreamId id, Exchange& exchange, http::Response response);
  void refuse(StreamId id, Exchange& exchange, const Status& status);
  void refuse_with(StreamId id, Exchange& exchange, http::Response response);
  void begin_stream(StreamId id, Exchange& exchange, const StartAnswer& start);
  void write_chunk(StreamId id, Exchange& exchange, http::Chunk chunk);
  void abort_answer(StreamId id, Exchange& exchange);
  void cut_off(StreamId id, Exchange& exchange);
  static void end_answer(Exchange& exchange);
  void forget(StreamId id);
  Exchange* find(StreamId id);

  void update_wait(StreamId id, Exchange& exchange);
  Wait waits_for(StreamId id, const Exchange& exchange) const;
  Duration timeout_of(Wait wait) const;
  void on_timeout(StreamId id, Exchange& exchange);

  const Host host_;
  Session& session_;
  ServerState& state_;
  std::map<StreamId, Exchange> exchanges_;
  // What waits of heads: one connection may have a plain one for nothing, as over HTTP/1.1, so that
  // a plain request gets in whatever others send.
  RequestHold heads_;
  ConnectionIdentity identity_;
  size_t small_bytes_ = 0;  // of all answers that keep no place
  bool fresh_ = true;
};

}  // namespace windlass::net
