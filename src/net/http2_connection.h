// A client that speaks HTTP/2: many requests at a time, each a stream with its own answer, limits
// and clock; what ends one leaves the others alone. What a client can make it hold is bounded as
// over HTTP/1.1: by the places and memory for requests, which larger answers keep until their
// client has taken them, and by the answers that are too small for that, of which it holds one
// connection's worth.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "http/http2_server_session.h"
#include "net/connection.h"
#include "net/request_hold.h"
#include "net/server_state.h"
#include "net/standing.h"
#include "net/stream.h"
#include "posix/event_loop.h"

namespace windlass::net {

class IoThread;

class Http2Connection final : public Connection {
 public:
  Http2Connection(uint64_t id, IoThread& io, ServerState& state, std::unique_ptr<Stream> stream,
                  http::Peer peer);

  void start() override;
  void take_step(ExchangeLink& link, AnswerStep step) override;
  void advance() override;
  void wind_down() override;
  void close() override;
  bool is_busy() const override { return !exchanges_.empty(); }

 private:
  using Session = http::Http2ServerSession;
  using StreamId = Session::StreamId;
  enum class Phase { open, lingering, closed };
  // What a request waits for; each has its time.
  enum class Wait { nothing, body, answer, send };

  struct Exchange {
    explicit Exchange(ServerState& state) : hold(state) {}

    RequestHold hold;
    std::shared_ptr<ExchangeLink> link = {};  // while its answer is not complete
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

  void on_events(uint32_t events);
  // Each false when there is nothing more to do now.
  bool flush();
  bool read_input();
  bool discard_input();
  void feed(std::string_view bytes);
  void begin_closing();

  void look_at(const Session::News& news);
  void on_head(StreamId id);
  void count_heads();
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
  void end_answer(Exchange& exchange);
  void forget(StreamId id);
  void account_for_output();
  Exchange* find(StreamId id);
  Exchange& exchange_of(StreamId id);

  void update_interest();
  void update_wait(StreamId id, Exchange& exchange);
  Wait waits_for(StreamId id, const Exchange& exchange) const;
  Duration timeout_of(Wait wait) const;
  void update_own_deadline();
  void wake_at(MonotonicTime deadline);
  void on_timer();
  void on_timeout(StreamId id, Exchange& exchange);

  const uint64_t id_;
  IoThread& io_;
  ServerState& state_;
  std::unique_ptr<Stream> stream_;
  const http::Peer peer_;
  Session session_;
  std::map<StreamId, Exchange> exchanges_;
  // What waits of heads: one connection may have a plain one for nothing, as over HTTP/1.1, so that
  // a plain request gets in whatever others send.
  RequestHold heads_;
  Standing standing_;

  Phase phase_ = Phase::open;
  bool going_away_ = false;
  bool turn_comes_ = false;  // the next one: it has one in each round of the loop, not more
  bool write_blocked_ = false;
  size_t small_bytes_ = 0;  // of all answers that keep no place
  std::string input_;       // received and not looked at: its turn was over
  size_t discarded_ = 0;

  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t watched_events_ = 0;
  // The connection's own clock: for a first or next request, for the socket to take more, for the
  // other side to end.
  std::optional<MonotonicTime> own_deadline_;
  enum class OwnWait { nothing, first, idle, send, linger } own_wait_ = OwnWait::nothing;
  bool fresh_ = true;        // no request has come yet
  size_t sent_in_time_ = 0;  // by the socket, since the clock of OwnWait::send began
  env::TimerId timer_ = env::TimerId::none;
  MonotonicTime timer_due_ = {};
};

}  // namespace windlass::net
