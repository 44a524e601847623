#include "net/http2_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "http/request_class.h"
#include "http/response_head.h"
#include "http/status_response.h"
#include "net/dispatch.h"
#include "net/io_thread.h"

namespace windlass::net {
namespace {

constexpr int kUnauthorized = 401;

}  // namespace

Http2Connection::Http2Connection(uint64_t id, IoThread& io, ServerState& state,
                                 std::unique_ptr<Stream> stream, http::Peer peer)
    : id_(id),
      io_(io),
      state_(state),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      session_({.request = state.limits.request,
                .streams = state.limits.streams,
                .flood = {.refused_head_bytes = state.limits.refused_head_bytes,
                          .plain_head_bytes = state.limits.plain_head_bytes},
                .head_bytes_per_feed = state.limits.head_bytes_per_turn}),
      heads_(state),
      standing_(state) {}

void Http2Connection::start() {
  watched_events_ = EPOLLIN;
  watch_ =
      io_.loop().watch(stream_->fd(), watched_events_,
                       [this, self = shared_from_this()](uint32_t events) { on_events(events); });
  advance();
}

void Http2Connection::on_events(uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    return close();
  }
  advance();
}

void Http2Connection::advance() {
  if (turn_comes_) {
    return;
  }
  const auto self = shared_from_this();
  int steps = 0;
  // What answers say goes out first, together: then there is room for more questions.
  bool more = true;
  while (phase_ == Phase::open && more) {
    more = flush();
    more = (phase_ == Phase::open && read_input()) || more;
    if ((++steps == kMaxStepsPerTurn || !input_.empty()) && more) {
      turn_comes_ = true;
      io_.loop().post([this, self] {
        turn_comes_ = false;
        advance();
      });
      break;
    }
  }
  if (phase_ == Phase::open && !write_blocked_ && session_.output().empty() &&
      (session_.finished() || (going_away_ && session_.open_streams() == 0))) {
    begin_closing();
  }
  while (phase_ == Phase::lingering && discard_input()) {
  }
  if (phase_ != Phase::closed) {
    update_interest();
    update_own_deadline();
  }
}

bool Http2Connection::flush() {
  const std::string_view bytes = session_.output();
  account_for_output();
  if (bytes.empty() || phase_ != Phase::open) {
    write_blocked_ = false;
    return false;
  }
  const Transfer sent = stream_->write({&bytes, 1});
  write_blocked_ = sent.result == Io::want_write;
  if (sent.result == Io::done) {
    session_.written(sent.bytes);
    sent_in_time_ += sent.bytes;
    return true;
  }
  if (sent.result != Io::want_read && sent.result != Io::want_write) {
    close();
  }
  return false;
}

bool Http2Connection::read_input() {
  if (!input_.empty()) {
    const std::string bytes = std::exchange(input_, {});
    feed(bytes);
    return phase_ == Phase::open;
  }
  const std::span<char> scratch = io_.scratch();
  const Transfer got = stream_->read(scratch);
  if (got.result == Io::done) {
    feed({scratch.data(), got.bytes});
    return phase_ == Phase::open;
  }
  if (got.result == Io::want_write) {
    write_blocked_ = true;
  } else if (got.result != Io::want_read) {
    close();  // who has finished sending reads no answers either
  }
  return false;
}

void Http2Connection::feed(std::string_view bytes) {
  const size_t used = session_.feed(bytes);
  for (const Session::News& news : session_.take_news()) {
    look_at(news);
  }
  count_heads();
  if (!session_.problem().empty() && phase_ == Phase::open) {
    state_.refused.fetch_add(1);
    state_.log.info("a client breaks HTTP/2",
                    {{"peer", peer_.address}, {"why", session_.problem()}});
    close();
  }
  if (phase_ == Phase::open) {
    input_ = bytes.substr(used);
  }
}

// All that is said has been written. The other side may still have something to say, which must
// not keep it from reading that.
void Http2Connection::begin_closing() {
  stream_->finish_writing();
  phase_ = Phase::lingering;
}

bool Http2Connection::discard_input() {
  const std::span<char> scratch = io_.scratch();
  const ssize_t got = ::recv(stream_->fd(), scratch.data(), scratch.size(), 0);
  if (got > 0) {
    discarded_ += static_cast<size_t>(got);
  }
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
      discarded_ > kMaxDiscardedBytes) {
    close();
  }
  return got > 0 && phase_ != Phase::closed;
}

Http2Connection::Exchange* Http2Connection::find(StreamId id) {
  const auto found = exchanges_.find(id);
  return found == exchanges_.end() ? nullptr : &found->second;
}

Http2Connection::Exchange& Http2Connection::exchange_of(StreamId id) {
  fresh_ = false;
  return exchanges_.try_emplace(id, state_).first->second;
}

void Http2Connection::look_at(const Session::News& news) {
  const StreamId id = news.stream;
  if (news.step == Session::Step::taken_back || news.step == Session::Step::over) {
    return forget(id);
  }
  if (!session_.is_open(id)) {
    return;  // and the end of it is among the news that follow
  }
  Exchange& exchange = exchange_of(id);
  switch (news.step) {
    case Session::Step::head:
      on_head(id);
      break;
    case Session::Step::body:
      count_body(id, exchange);
      break;
    case Session::Step::complete:
      count_body(id, exchange);
      answer_request(id, exchange);
      break;
    default: {
      const http::Refusal& refusal = session_.refusal(id);
      refuse(id, exchange, {refusal.status, std::string(refusal.reason), refusal.message, {}});
      break;
    }
  }
  if (Exchange* still = find(id)) {
    update_wait(id, *still);
  }
}

void Http2Connection::on_head(StreamId id) {
  Exchange& exchange = exchange_of(id);
  exchange.method = session_.request(id).method;
  if (auto refusal = state_.handler.screen(session_.request(id), peer_)) {
    return refuse_with(id, exchange, *std::move(refusal));
  }
  session_.welcome_body(id);
}

// The newest ones have to go when that is too much; what is left then is one that is still coming.
void Http2Connection::count_heads() {
  const size_t plain = state_.limits.plain_head_bytes;
  const auto to_count = [&] {
    const size_t waiting = session_.waiting_head_bytes();
    return RequestBytes{waiting - std::min(waiting, plain), 0};
  };
  heads_.release(to_count());
  for (auto exchange = exchanges_.rbegin(); exchange != exchanges_.rend(); ++exchange) {
    if (heads_.grow(to_count())) {
      return;
    }
    if (!exchange->second.answered && exchange->second.link == nullptr) {
      refuse_for_memory(exchange->first, exchange->second);
      update_wait(exchange->first, exchange->second);
    }
  }
  if (!heads_.grow(to_count())) {
    close();
  }
}

void Http2Connection::count_body(StreamId id, Exchange& exchange) {
  if (!exchange.answered && !exchange.hold.grow({0, session_.request(id).body.size()})) {
    refuse_for_memory(id, exchange);
  }
}

void Http2Connection::refuse_for_memory(StreamId id, Exchange& exchange) {
  refuse(id, exchange,
         http::too_many_requests("the server holds too much of other requests, try again later"));
}

void Http2Connection::answer_request(StreamId id, Exchange& exchange) {
  if (exchange.answered) {
    return;
  }
  const size_t head = session_.head_bytes(id);
  http::Request request = session_.take(id);
  exchange.method = request.method;
  if (!exchange.hold.grow(
          {head - std::min(head, state_.limits.plain_head_bytes), request.body.size()})) {
    return refuse_for_memory(id, exchange);
  }
  request.peer = peer_;
  const http::RequestClass request_class = http::classify(request);
  exchange.long_running = request_class == http::RequestClass::long_running;
  exchange.link = std::make_shared<ExchangeLink>(state_.core, io_.mailbox(), this, id);
  auto response =
      dispatch(state_, std::move(request), request_class, standing_, exchange.hold, exchange.link);
  if (standing_.is_proven()) {
    io_.vouch_for(id_);
  }
  if (response) {
    answer(id, exchange, *std::move(response));
  }
}

void Http2Connection::take_step(ExchangeLink& link, AnswerStep step) {
  Exchange* exchange = find(link.stream);
  if (exchange == nullptr || exchange->link.get() != &link) {
    return;
  }
  const StreamId id = link.stream;
  if (auto* chunk = std::get_if<http::Chunk>(&step)) {
    write_chunk(id, *exchange, std::move(*chunk));
  } else if (auto* response = std::get_if<http::Response>(&step)) {
    answer(id, *exchange, std::move(*response));
  } else if (auto* start = std::get_if<StartAnswer>(&step)) {
    begin_stream(id, *exchange, *start);
  } else if (std::holds_alternative<FinishAnswer>(step)) {
    session_.finish(id);
    end_answer(*exchange);
  } else {
    abort_answer(id, *exchange);
  }
  if (Exchange* still = find(id)) {
    update_wait(id, *still);
  }
}

void Http2Connection::answer(StreamId id, Exchange& exchange, http::Response response) {
  http::Chunk body = response.shared ? std::move(response.shared)
                                     : std::make_shared<const std::string>(response.take_body());
  const size_t bytes = body->size();
  if (response.status == kUnauthorized) {
    session_.mark_refused(id);
  }
  session_.set_date(io_.date());
  session_.respond(id, response.status, response.headers, std::move(body));
  end_answer(exchange);
  // Else clients without credentials could hold every place by asking and not reading.
  if (small_bytes_ + bytes <= state_.limits.small_answer_bytes) {
    exchange.small_bytes = bytes;
    small_bytes_ += bytes;
    exchange.hold.release();
  }
}

void Http2Connection::begin_stream(StreamId id, Exchange& exchange, const StartAnswer& start) {
  exchange.streaming = true;
  exchange.has_body = http::may_have_body(exchange.method, start.status);
  session_.set_date(io_.date());
  session_.start(id, start.status, start.headers, exchange.has_body);
}

void Http2Connection::write_chunk(StreamId id, Exchange& exchange, http::Chunk chunk) {
  if (!exchange.has_body) {
    exchange.link->on_sent(chunk->size());
    return;
  }
  if (exchange.link->unsent() > state_.limits.unsent_stream_bytes) {
    return cut_off(id, exchange);
  }
  session_.write(id, std::move(chunk));
}

void Http2Connection::abort_answer(StreamId id, Exchange& exchange) {
  if (!exchange.streaming) {
    return answer(id, exchange,
                  http::status_response(internal_error("the request was not answered")));
  }
  end_answer(exchange);
  // What was said before the cut still goes out, as far as the client takes it at once.
  while (flush() && session_.unsent(id) > 0) {
  }
  session_.cut(id);
}

// Who does not take the answer. Nobody hears of this request any more.
void Http2Connection::cut_off(StreamId id, Exchange& exchange) {
  state_.cut_off.fetch_add(1);
  state_.log.info("a slow client is cut off", {{"peer", peer_.address}});
  if (exchange.link != nullptr) {
    std::exchange(exchange.link, nullptr)->on_closed();
  }
  exchange.answered = true;
  session_.cut(id);
}

void Http2Connection::end_answer(Exchange& exchange) {
  exchange.answered = true;
  if (exchange.link != nullptr && !exchange.streaming) {
    exchange.link->connection = nullptr;
    exchange.link = nullptr;
  } else if (exchange.link != nullptr) {
    exchange.link->connection = nullptr;  // kept to hear what is sent
  }
}

void Http2Connection::refuse(StreamId id, Exchange& exchange, const Status& status) {
  refuse_with(id, exchange, http::status_response(status));
}

void Http2Connection::refuse_with(StreamId id, Exchange& exchange, http::Response response) {
  state_.refused.fetch_add(1);
  if (!exchange.answered) {
    answer(id, exchange, std::move(response));
  }
}

// Its answer is on its way, or nobody wants it any more.
void Http2Connection::forget(StreamId id) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) {
    return;
  }
  Exchange& exchange = found->second;
  if (exchange.link != nullptr && exchange.link->connection != nullptr) {
    exchange.link->on_closed();
  }
  small_bytes_ -= exchange.small_bytes;
  exchanges_.erase(found);
}

void Http2Connection::account_for_output() {
  for (const Session::Sent& sent : session_.take_sent()) {
    if (Exchange* exchange = find(sent.stream)) {
      exchange->sent_in_time += sent.bytes;
      if (exchange->streaming && exchange->link != nullptr) {
        exchange->link->on_sent(sent.bytes);
      }
      update_wait(sent.stream, *exchange);
    }
  }
  // Ends of answers.
  for (const Session::News& news : session_.take_news()) {
    look_at(news);
  }
}

void Http2Connection::wind_down() {
  if (phase_ != Phase::open) {
    return;
  }
  going_away_ = true;
  session_.go_away();
  for (auto& [id, exchange] : exchanges_) {
    if (!exchange.long_running || exchange.answered) {
      continue;
    }
    // A watch that ends is nothing unusual; its client begins another one elsewhere.
    if (exchange.streaming) {
      session_.finish(id);
    } else {
      session_.cut(id);
    }
    if (exchange.link != nullptr) {
      std::exchange(exchange.link, nullptr)->on_closed();
    }
    exchange.answered = true;
  }
  advance();
}

void Http2Connection::close() {
  if (phase_ == Phase::closed) {
    return;
  }
  const auto self = shared_from_this();
  phase_ = Phase::closed;
  io_.loop().cancel(timer_);
  io_.loop().unwatch(watch_);
  for (auto& [id, exchange] : exchanges_) {
    if (exchange.link != nullptr && exchange.link->connection != nullptr) {
      exchange.link->on_closed();
    }
  }
  exchanges_.clear();
  heads_.release();
  stream_ = nullptr;
  io_.forget(id_);
}

}  // namespace windlass::net
