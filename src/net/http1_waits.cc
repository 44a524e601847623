// What a connection waits for: events of its socket, and the time that each wait may take.
#include <sys/epoll.h>

#include "http/status_response.h"
#include "net/http1_connection.h"
#include "net/io_thread.h"

namespace windlass::net {

uint32_t Http1Connection::wanted_events() const {
  const uint32_t peer_end = stopped_sending_ ? 0 : uint32_t{EPOLLRDHUP};
  if (phase_ == Phase::answering && output_.empty()) {
    return peer_end;
  }
  const bool must_write = blocked_on_ == Io::want_write && !output_.empty();
  return (must_write ? uint32_t{EPOLLOUT} : uint32_t{EPOLLIN}) | peer_end;
}

void Http1Connection::update_interest() {
  const uint32_t wanted = wanted_events();
  if ((wanted & ~watched_events_) != 0) {
    watched_events_ = wanted;
    io_.loop().change(watch_, wanted);
  }
}

Http1Connection::Wait Http1Connection::waits_for() const {
  if (phase_ == Phase::lingering) {
    return Wait::linger;
  }
  if (!output_.empty()) {
    return Wait::send;
  }
  if (phase_ == Phase::answering) {
    return current_.long_running || current_.streaming ? Wait::nothing : Wait::answer;
  }
  if (parser_.state() == http::RequestParser::State::body) {
    return Wait::body;
  }
  return parser_.idle() && !fresh_ ? Wait::idle : Wait::head;
}

Duration Http1Connection::timeout_of(Wait wait) const {
  const Limits& limits = state_.limits;
  switch (wait) {
    case Wait::idle:
      return limits.idle_timeout;
    case Wait::head:
      return limits.head_timeout;
    case Wait::body:
      return limits.body_timeout;
    case Wait::answer:
      return limits.request_timeout;
    case Wait::send:
      return limits.send_timeout;
    case Wait::linger:
      return limits.linger_timeout;
    case Wait::nothing:
      break;
  }
  return Duration::zero();
}

// For a client that takes what waits for it, and not next to nothing of it.
bool Http1Connection::begins_anew(Wait wait) const {
  return wait == Wait::idle ||
         (wait == Wait::send && sent_in_time_ >= state_.limits.least_sent_bytes);
}

// The clock runs from the beginning of a wait, and anew where there is progress that counts.
void Http1Connection::update_deadline(bool progress) {
  const Wait wait = waits_for();
  if (wait == wait_ && !(progress && begins_anew(wait))) {
    return;
  }
  wait_ = wait;
  sent_in_time_ = 0;
  if (wait == Wait::nothing) {
    return;
  }
  deadline_ = state_.clock.monotonic() + timeout_of(wait);
  // A timer that comes too early looks at the deadline and goes on; so mostly none is set here.
  if (timer_ == env::TimerId::none || timer_due_ > deadline_) {
    schedule_timer();
  }
}

void Http1Connection::schedule_timer() {
  io_.loop().cancel(timer_);
  timer_due_ = deadline_;
  timer_ = io_.loop().schedule(deadline_ - state_.clock.monotonic(),
                               [this, self = shared_from_this()] { on_timer(); });
}

void Http1Connection::on_timer() {
  timer_ = env::TimerId::none;
  if (phase_ == Phase::closed || wait_ == Wait::nothing) {
    return;
  }
  if (state_.clock.monotonic() < deadline_) {
    schedule_timer();
    return;
  }
  on_timeout();
}

void Http1Connection::on_timeout() {
  switch (wait_) {
    case Wait::head:
      if (parser_.idle()) {
        return close();  // it never asked for anything
      }
      [[fallthrough]];
    case Wait::body:
      refuse({408, "RequestTimeout", "the request did not arrive in time", {}});
      break;
    case Wait::answer:
      if (link_ != nullptr) {
        link_->on_closed();
        link_ = nullptr;
      }
      refuse(
          http::request_timeout("Timeout: request did not complete within the allotted timeout"));
      break;
    case Wait::send:
      state_.cut_off.fetch_add(1);
      return close();
    default:
      return close();
  }
  advance();
}

}  // namespace windlass::net
