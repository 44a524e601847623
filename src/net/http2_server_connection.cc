#include "net/http2_server_connection.h"

#include <utility>

#include "net/io_thread.h"

namespace windlass::net {

Http2ServerConnection::Http2ServerConnection(uint64_t id, IoThread& io, ServerState& state,
                                             std::unique_ptr<ByteStream> stream, http::Peer peer)
    : id_(id),
      io_(io),
      state_(state),
      peer_(std::move(peer)),
      pump_(io.loop(), *this, std::move(stream)),
      session_({.request = state.limits.request,
                .streams = state.limits.streams,
                .flood = {.refused_head_bytes = state.limits.refused_head_bytes,
                          .plain_head_bytes = state.limits.plain_head_bytes},
                .head_bytes_per_feed = state.limits.head_bytes_per_turn}),
      timer_(io.loop(), state.clock,
             [this] {
               const auto self = shared_from_this();
               on_due();
             }),
      exchanges_({id, *this, io, state, peer_, session_, pump_, timer_}) {}

void Http2ServerConnection::start() {
  pump_.start(0);
  advance();
}

void Http2ServerConnection::on_ready(uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    return close();
  }
  advance();
}

void Http2ServerConnection::advance() {
  if (phase_ == Phase::closed || pump_.resumes()) {
    return;
  }
  const auto self = shared_from_this();
  pump_.run(io_.scratch());
  if (phase_ == Phase::open && !pump_.write_blocked() && session_.output().empty() &&
      (session_.finished() || (going_away_ && session_.open_streams() == 0))) {
    // All is written. The other side may still send, which must not keep it from reading that.
    phase_ = Phase::lingering;
    pump_.linger();
    pump_.run(io_.scratch());
  }
  if (phase_ != Phase::closed) {
    update_deadline();
  }
}

size_t Http2ServerConnection::output(std::span<std::string_view> parts) {
  parts[0] = session_.output();
  exchanges_.on_output();
  return parts[0].empty() || phase_ != Phase::open ? 0 : 1;
}

void Http2ServerConnection::on_sent(size_t bytes) {
  session_.written(bytes);
  sent_in_time_ += bytes;
}

size_t Http2ServerConnection::on_received(std::string_view bytes) {
  const size_t used = session_.feed(bytes);
  const bool fits = exchanges_.on_fed();
  if (!session_.problem().empty() && phase_ == Phase::open) {
    state_.refused.fetch_add(1);
    state_.log.info("a client breaks HTTP/2",
                    {{"peer", peer_.address}, {"why", session_.problem()}});
    close();
  } else if (!fits) {
    close();
  }
  if (used < bytes.size()) {
    pump_.yield();  // heads are costly
  }
  return used;
}

void Http2ServerConnection::take_step(ExchangeLink& link, AnswerStep step) {
  exchanges_.take_step(link, std::move(step));
}

void Http2ServerConnection::wind_down() {
  if (phase_ != Phase::open) {
    return;
  }
  going_away_ = true;
  session_.go_away();
  exchanges_.end_long_running();
  advance();
}

void Http2ServerConnection::close() {
  if (phase_ == Phase::closed) {
    return;
  }
  const auto self = shared_from_this();
  phase_ = Phase::closed;
  timer_.cancel();
  exchanges_.close();
  pump_.close();
  io_.forget(id_);
}

Http2ServerConnection::Wait Http2ServerConnection::waits_for() const {
  if (phase_ == Phase::lingering) {
    return Wait::linger;
  }
  if (pump_.write_blocked()) {
    return Wait::send;
  }
  if (!exchanges_.empty()) {
    return Wait::nothing;
  }
  return exchanges_.fresh() ? Wait::first : Wait::idle;
}

Duration Http2ServerConnection::timeout_of(Wait wait) const {
  switch (wait) {
    case Wait::first:
      return state_.limits.head_timeout;
    case Wait::idle:
      return state_.limits.idle_timeout;
    case Wait::linger:
      return state_.limits.linger_timeout;
    default:
      return state_.limits.send_timeout;
  }
}

void Http2ServerConnection::update_deadline() {
  const Wait wait = waits_for();
  const bool anew = wait == Wait::send && sent_in_time_ >= state_.limits.least_sent_bytes;
  if (wait == wait_ && !anew) {
    return;
  }
  wait_ = wait;
  sent_in_time_ = 0;
  if (wait != Wait::nothing) {
    deadline_ = state_.clock.monotonic() + timeout_of(wait);
    timer_.set_earlier(deadline_);
  }
}

void Http2ServerConnection::on_due() {
  const MonotonicTime now = state_.clock.monotonic();
  if (wait_ != Wait::nothing && deadline_ <= now) {
    if (wait_ == Wait::idle && !going_away_) {
      wait_ = Wait::nothing;  // so that it has the same time again to go
      return wind_down();
    }
    if (wait_ == Wait::send) {
      state_.cut_off.fetch_add(1);
    }
    return close();
  }
  if (wait_ != Wait::nothing) {
    timer_.set_earlier(deadline_);
  }
  exchanges_.expire(now);
  advance();
}

}  // namespace windlass::net
