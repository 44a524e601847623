#include "remote/transport/http2_client_connection.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/check.h"

namespace windlass::remote {
namespace {

http::Http2Limits limits_of(const Http2ClientConnection::Options& options) {
  http::Http2Limits limits;
  limits.streams = options.streams;
  return limits;
}

}  // namespace

Http2ClientConnection::Http2ClientConnection(posix::EventLoop& loop, env::Clock& clock,
                                             std::unique_ptr<net::ByteStream> stream,
                                             const Options& options)
    : loop_(loop),
      clock_(clock),
      options_(options),
      pump_(loop, *this, std::move(stream), net::StreamPump::AfterFailedWrite::read),
      session_(limits_of(options)),
      last_read_(clock.monotonic()),
      last_used_(last_read_) {}

void Http2ClientConnection::start() {
  pump_.start(0);
  look_after(std::min(options_.read_idle, options_.idle_timeout));
  pump_.resume_later();
}

void Http2ClientConnection::close() {
  loop_.cancel(std::exchange(timer_, env::TimerId::none));
  pump_.close();
  sinks_.clear();
}

void Http2ClientConnection::send(const RequestHead& head, std::string body, AnswerSink& sink) {
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
  pump_.resume_later();  // what is asked in one turn of the loop goes out together
}

bool Http2ClientConnection::cancel(AnswerSink& sink) {
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
  pump_.resume_later();
  return may_be_applied;
}

void Http2ClientConnection::on_ready(uint32_t /*events*/) {
  if (closed()) {
    return;
  }
  const auto self = shared_from_this();
  if (std::exchange(ping_waits_, false)) {
    pinged_at_ = clock_.monotonic();
  }
  std::array<char, net::StreamPump::kReadBytes> buffer;
  pump_.run(buffer);
  // Some end because of what was to be written: those that are reset.
  if (closed() || !deliver()) {
    return;
  }
  if (session_.finished()) {
    return lose_all(session_.problem());
  }
  tell_if_changed();
}

size_t Http2ClientConnection::on_received(std::string_view bytes) {
  last_read_ = clock_.monotonic();
  session_.feed(bytes);
  deliver();
  return bytes.size();
}

void Http2ClientConnection::on_ended(net::Io /*how*/, const std::string& why) {
  lose_all(why);
}

bool Http2ClientConnection::deliver() {
  for (const auto id : session_.take_news()) {
    if (!deliver(id)) {
      return false;
    }
  }
  return !closed();
}

bool Http2ClientConnection::deliver(http::Http2Session::StreamId id) {
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
void Http2ClientConnection::lose_all(const std::string& why) {
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

// Senders know that their requests have ended. That the server takes some again, or no more at all,
// is known only here.
void Http2ClientConnection::tell_if_changed() {
  const bool room_now = room() > 0;
  const bool usable_now = usable();
  const bool had_room = std::exchange(told_room_, room_now);
  if (usable_now != std::exchange(told_usable_, usable_now) || (room_now && !had_room)) {
    tell_changed();
  }
}

void Http2ClientConnection::look_after(Duration delay) {
  loop_.cancel(timer_);
  timer_ = loop_.schedule(delay, [this] {
    const auto self = shared_from_this();
    timer_ = env::TimerId::none;
    look();
  });
}

void Http2ClientConnection::check_health() {
  if (!pinged_ && !closed()) {
    session_.ping();
    pinged_ = true;
    ping_waits_ = true;
    pinged_at_ = clock_.monotonic();
    look_after(options_.ping_timeout);
    pump_.resume_later();
  }
}

// One timer for all that time brings: each look says when the next is due.
void Http2ClientConnection::look() {
  if (pinged_) {
    // The loop may have been busy with others all the time: what has come counts before the clock.
    pump_.expect_input();
    on_ready(0);
    if (closed()) {
      return;
    }
  }
  const MonotonicTime now = clock_.monotonic();
  if (pinged_ && last_read_ >= pinged_at_) {
    pinged_ = false;  // whatever it said, it is there
  }
  if (pinged_ && now - pinged_at_ >= options_.ping_timeout) {
    return lose_all("the server no longer answers, not even a ping");
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
