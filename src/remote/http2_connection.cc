#include "remote/http2_connection.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/check.h"

namespace windlass::remote {
namespace {

http::Http2Limits limits_of(const Http2Connection::Options& options) {
  http::Http2Limits limits;
  limits.streams = options.streams;
  return limits;
}

}  // namespace

Http2Connection::Http2Connection(posix::EventLoop& loop, env::Clock& clock,
                                 std::unique_ptr<net::Stream> stream, const Options& options)
    : loop_(loop),
      clock_(clock),
      options_(options),
      stream_(std::move(stream)),
      session_(limits_of(options)),
      last_read_(clock.monotonic()),
      last_used_(last_read_) {}

void Http2Connection::start() {
  watched_ = EPOLLIN;
  watch_ = loop_.watch(stream_->fd(), watched_, [this](uint32_t) {
    const auto self = shared_from_this();
    on_ready();
  });
  look_after(std::min(options_.read_idle, options_.idle_timeout));
  go_on_later();
}

void Http2Connection::close() {
  loop_.cancel(std::exchange(timer_, env::TimerId::none));
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  stream_.reset();
  sinks_.clear();
}

void Http2Connection::send(const RequestHead& head, std::string body, AnswerSink& sink) {
  CHECK(room() > 0, "no more requests than are allowed");
  const std::string length = std::to_string(body.size());
  std::array<http::Http2Session::Field, 9> fields = {{{":method", head.method},
                                                      {":scheme", head.tls ? "https" : "http"},
                                                      {":authority", head.authority},
                                                      {":path", head.path},
                                                      {"user-agent", head.user_agent},
                                                      {"accept", head.accept}}};
  size_t count = 6;
  if (!head.authorization.empty()) {
    fields[count++] = {"authorization", head.authorization};
  }
  if (head.has_body) {
    fields[count++] = {"content-type", head.content_type};
    fields[count++] = {"content-length", length};
  }
  ++requests_;
  sinks_[session_.open(std::span(fields.data(), count), std::move(body))] = &sink;
  go_on_later();  // what is asked in one turn of the loop goes out together
}

bool Http2Connection::cancel(AnswerSink& sink) {
  const auto found = std::find_if(sinks_.begin(), sinks_.end(),
                                  [&sink](const auto& each) { return each.second == &sink; });
  if (found == sinks_.end()) {
    return true;
  }
  const bool may_be_applied = session_.cancel(found->first);
  sinks_.erase(found);
  last_used_ = clock_.monotonic();
  // Perhaps it was not the request that the server does not answer, but nothing at all.
  check_health();
  go_on_later();
  return may_be_applied;
}

void Http2Connection::go_on_later() {
  if (std::exchange(going_on_, true)) {
    return;
  }
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->going_on_ = false;
      self->on_ready();
    }
  });
}

void Http2Connection::on_ready() {
  if (closed()) {
    return;
  }
  if (std::exchange(ping_waits_, false)) {
    pinged_at_ = clock_.monotonic();
  }
  if (!write_some()) {
    return;
  }
  int reads = 0;
  while (reads < kReadsPerTurn && read_some()) {
    ++reads;
  }
  // What was read may want an answer: windows, acknowledgements.
  if (closed() || !write_some()) {
    return;
  }
  if (session_.finished()) {
    return lose_all(session_.problem());
  }
  tell_if_changed();
  if (reads == kReadsPerTurn && !closed()) {
    go_on_later();  // the socket may have nothing more to tell although TLS has
  }
}

// False when it is over.
bool Http2Connection::write_some() {
  for (std::string_view bytes; !(bytes = session_.output()).empty();) {
    const net::Transfer sent = stream_->write(std::span(&bytes, 1));
    switch (sent.result) {
      case net::Io::done:
        session_.written(sent.bytes);
        continue;
      case net::Io::want_write:
        watch_for(EPOLLIN | EPOLLOUT);
        return deliver();  // answers may be there to read
      case net::Io::want_read:
        watch_for(EPOLLIN);
        return deliver();
      default:
        break;
    }
    // A server that hangs up may have said before which requests it has looked at.
    while (read_some()) {
    }
    if (!closed()) {
      lose_all(stream_->failure().empty() ? "the connection was ended" : stream_->failure());
    }
    return false;
  }
  watch_for(EPOLLIN);
  return deliver();  // some end because of what was to be written: those that are reset
}

// False when there is nothing more to read now, or it is over.
bool Http2Connection::read_some() {
  if (closed() || session_.finished()) {
    return false;
  }
  std::array<char, kReadBytes> buffer;
  const net::Transfer got = stream_->read(buffer);
  switch (got.result) {
    case net::Io::done:
      last_read_ = clock_.monotonic();
      session_.feed({buffer.data(), got.bytes});
      return deliver();
    case net::Io::want_read:
      return false;
    case net::Io::want_write:
      watch_for(EPOLLIN | EPOLLOUT);
      return false;
    case net::Io::closed:
      lose_all("the connection was ended");
      return false;
    default:
      lose_all(stream_->failure().empty() ? "the connection was cut" : stream_->failure());
      return false;
  }
}

// Tells what has come. False when the connection is closed since then.
bool Http2Connection::deliver() {
  for (const auto id : session_.take_news()) {
    if (!deliver(id)) {
      return false;
    }
  }
  return !closed();
}

bool Http2Connection::deliver(http::Http2Session::StreamId id) {
  using State = http::Http2Session::State;
  const auto found = sinks_.find(id);
  http::Http2Session::Answer* news = session_.find(id);
  if (found == sinks_.end() || news == nullptr) {
    return !closed();
  }
  AnswerSink& sink = *found->second;
  if (news->state != State::lost) {
    HttpAnswer answer{news->status, std::move(news->headers), std::move(news->body)};
    const bool wanted = sink.on_more(answer);
    // It may have cancelled itself, or closed all of this.
    if (closed() || !sinks_.contains(id)) {
      return !closed();
    }
    if (!wanted) {
      cancel(sink);
      return true;
    }
    if (news->state == State::open) {
      news->headers = std::move(answer.headers);
      news->body = std::move(answer.body);
      return true;
    }
    session_.forget(id);
    sinks_.erase(id);
    last_used_ = last_read_;
    sink.on_complete(std::move(answer));
    return !closed();
  }
  const Loss loss{news->problem, !session_.certainly_not_applied(id), news->has_head,
                  news->refused};
  session_.forget(id);
  sinks_.erase(id);
  last_used_ = last_read_;
  sink.on_lost(loss);
  return !closed();
}

// The stream goes first: nothing of what is told can lead to more.
void Http2Connection::lose_all(const std::string& why) {
  const auto self = shared_from_this();
  session_.end(why);
  const auto sinks = std::exchange(sinks_, {});
  close();
  sinks_ = sinks;
  for (const auto& [id, sink] : sinks) {
    if (sinks_.erase(id) == 0) {
      continue;  // cancelled by what was told to another
    }
    const auto* news = session_.find(id);
    sink->on_lost(
        {news->problem, !session_.certainly_not_applied(id), news->has_head, news->refused});
  }
  tell_changed();
}

// That requests have ended, whoever sent them knows; that the server takes some again, or no more
// at all, only we do.
void Http2Connection::tell_if_changed() {
  const bool room_now = room() > 0;
  const bool usable_now = usable();
  const bool had_room = std::exchange(told_room_, room_now);
  if (usable_now != std::exchange(told_usable_, usable_now) || (room_now && !had_room)) {
    tell_changed();
  }
}

void Http2Connection::watch_for(uint32_t events) {
  if (events != watched_ && watch_ != posix::WatchId::none) {
    watched_ = events;
    loop_.change(watch_, events);
  }
}

void Http2Connection::look_after(Duration delay) {
  loop_.cancel(timer_);
  timer_ = loop_.schedule(delay, [this] {
    const auto self = shared_from_this();
    timer_ = env::TimerId::none;
    look();
  });
}

void Http2Connection::check_health() {
  if (!pinged_ && !closed()) {
    session_.ping();
    pinged_ = true;
    ping_waits_ = true;
    pinged_at_ = clock_.monotonic();
    look_after(options_.ping_timeout);
    go_on_later();
  }
}

// One timer for all that time brings: each look says when the next is due.
void Http2Connection::look() {
  if (pinged_) {
    // The loop may have been busy with others all the time: what has come counts before the clock.
    on_ready();
    if (closed()) {
      return;
    }
  }
  const MonotonicTime now = clock_.monotonic();
  if (pinged_ && last_read_ >= pinged_at_) {
    pinged_ = false;  // whatever it said, it is there
  }
  if (pinged_ && now - pinged_at_ >= options_.ping_timeout) {
    return lose_all("the server does not answer any more, not even a ping");
  }
  const bool idle = sinks_.empty();
  if (idle && now - last_used_ >= options_.idle_timeout) {
    close();
    return tell_changed();
  }
  if (!pinged_ && now - last_read_ >= options_.read_idle) {
    return check_health();
  }
  Duration next =
      pinged_ ? pinged_at_ + options_.ping_timeout - now : last_read_ + options_.read_idle - now;
  // What is in use now may be idle right after.
  next = std::min<Duration>(
      next, idle ? last_used_ + options_.idle_timeout - now : options_.idle_timeout);
  look_after(next);
}

}  // namespace windlass::remote
