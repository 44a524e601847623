// What an HTTP/2 connection waits for: events of its socket, and the time that each wait of a
// request, and of the connection itself, may take.
#include <sys/epoll.h>

#include <algorithm>

#include "http/status_response.h"
#include "net/http2_connection.h"
#include "net/io_thread.h"

namespace windlass::net {

// It reads also while it cannot write: a client that waits for us to read may be the one who does
// not read. What it makes us hold by that is counted elsewhere.
void Http2Connection::update_interest() {
  const uint32_t wanted = EPOLLIN | (write_blocked_ ? uint32_t{EPOLLOUT} : 0U);
  if (wanted != watched_events_) {
    watched_events_ = wanted;
    io_.loop().change(watch_, wanted);
  }
}

Http2Connection::Wait Http2Connection::waits_for(StreamId id, const Exchange& exchange) const {
  if (exchange.answered || exchange.streaming) {
    const bool taken = exchange.streaming && !exchange.answered && session_.unsent(id) == 0;
    return taken ? Wait::nothing : Wait::send;
  }
  if (exchange.link != nullptr) {
    return exchange.long_running ? Wait::nothing : Wait::answer;
  }
  return Wait::body;
}

Duration Http2Connection::timeout_of(Wait wait) const {
  switch (wait) {
    case Wait::body:
      return state_.limits.body_timeout;
    case Wait::answer:
      return state_.limits.request_timeout;
    default:
      return state_.limits.send_timeout;
  }
}

// The clock runs from the beginning of a wait, and anew where there is progress that counts.
void Http2Connection::update_wait(StreamId id, Exchange& exchange) {
  const Wait wait = waits_for(id, exchange);
  const bool anew = wait == Wait::send && exchange.sent_in_time >= state_.limits.least_sent_bytes;
  if (wait == exchange.wait && !anew) {
    return;
  }
  exchange.wait = wait;
  exchange.sent_in_time = 0;
  if (wait != Wait::nothing) {
    exchange.deadline = state_.clock.monotonic() + timeout_of(wait);
    wake_at(exchange.deadline);
  }
}

void Http2Connection::update_own_deadline() {
  OwnWait wait = OwnWait::nothing;
  Duration time = {};
  if (phase_ == Phase::lingering) {
    wait = OwnWait::linger;
    time = state_.limits.linger_timeout;
  } else if (write_blocked_) {
    wait = OwnWait::send;
    time = state_.limits.send_timeout;
  } else if (exchanges_.empty()) {
    wait = fresh_ ? OwnWait::first : OwnWait::idle;
    time = fresh_ ? state_.limits.head_timeout : state_.limits.idle_timeout;
  }
  const bool anew = wait == OwnWait::send && sent_in_time_ >= state_.limits.least_sent_bytes;
  if (wait == own_wait_ && !anew) {
    return;
  }
  own_wait_ = wait;
  sent_in_time_ = 0;
  own_deadline_.reset();
  if (wait != OwnWait::nothing) {
    own_deadline_ = state_.clock.monotonic() + time;
    wake_at(*own_deadline_);
  }
}

// A timer that comes too early looks at the deadlines and goes on; so mostly none is set here.
void Http2Connection::wake_at(MonotonicTime deadline) {
  if (timer_ != env::TimerId::none && timer_due_ <= deadline) {
    return;
  }
  io_.loop().cancel(timer_);
  timer_due_ = deadline;
  timer_ = io_.loop().schedule(deadline - state_.clock.monotonic(),
                               [this, self = shared_from_this()] { on_timer(); });
}

void Http2Connection::on_timer() {
  timer_ = env::TimerId::none;
  if (phase_ == Phase::closed) {
    return;
  }
  const MonotonicTime now = state_.clock.monotonic();
  if (own_deadline_ && *own_deadline_ <= now) {
    if (own_wait_ == OwnWait::idle && !going_away_) {
      own_wait_ = OwnWait::nothing;  // so that it has the same time again to go
      own_deadline_.reset();
      return wind_down();
    }
    if (own_wait_ == OwnWait::send) {
      state_.cut_off.fetch_add(1);
    }
    return close();
  }
  std::optional<MonotonicTime> next = own_deadline_;
  std::vector<StreamId> late;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.wait == Wait::nothing) {
      continue;
    }
    if (exchange.deadline <= now) {
      late.push_back(id);
    } else if (!next || exchange.deadline < *next) {
      next = exchange.deadline;
    }
  }
  if (next) {
    wake_at(*next);
  }
  for (const StreamId id : late) {
    if (Exchange* exchange = find(id)) {
      on_timeout(id, *exchange);
    }
  }
  advance();
}

void Http2Connection::on_timeout(StreamId id, Exchange& exchange) {
  switch (exchange.wait) {
    case Wait::body:
      refuse(id, exchange, {408, "RequestTimeout", "the request did not arrive in time", {}});
      break;
    case Wait::answer:
      std::exchange(exchange.link, nullptr)->on_closed();
      refuse(
          id, exchange,
          http::request_timeout("Timeout: request did not complete within the allotted timeout"));
      break;
    default:
      cut_off(id, exchange);
      exchange.wait = Wait::nothing;  // only its end is still to come
      return;
  }
  update_wait(id, exchange);
}

}  // namespace windlass::net
