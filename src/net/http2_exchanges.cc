#include "net/http2_exchanges.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "http/response_head.h"
#include "http/status_response.h"
#include "http/target.h"
#include "net/dispatch.h"
#include "net/io_thread.h"
#include "net/stream/endpoint.h"

namespace windlass::net {
namespace {

constexpr int kUnauthorized = 401;

}  // namespace

Http2Exchanges::Http2Exchanges(const Host& host)
    : host_(host),
      session_(host.session),
      state_(host.state),
      heads_(host.state),
      identity_(host.state, network_of(host.peer.address)) {}

Http2Exchanges::Exchange* Http2Exchanges::find(StreamId id) {
  const auto found = exchanges_.find(id);
  return found == exchanges_.end() ? nullptr : &found->second;
}

bool Http2Exchanges::on_fed() {
  for (const Session::News& news : session_.take_news()) {
    on_news(news);
  }
  return count_heads();
}

void Http2Exchanges::on_output() {
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
    on_news(news);
  }
}

void Http2Exchanges::on_news(const Session::News& news) {
  const StreamId id = news.stream;
  if (news.step == Session::Step::taken_back || news.step == Session::Step::over) {
    return forget(id);
  }
  if (!session_.is_open(id)) {
    return;  // and the end of it is among the news that follow
  }
  fresh_ = false;
  Exchange& exchange = exchanges_.try_emplace(id, state_).first->second;
  switch (news.step) {
    case Session::Step::head:
      on_head(id, exchange);
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

void Http2Exchanges::on_head(StreamId id, Exchange& exchange) {
  exchange.method = session_.request(id).method;
  exchange.context = state_.handler.read_head(session_.request(id), host_.peer);
  if (auto refusal = state_.handler.screen(session_.request(id), *exchange.context)) {
    return refuse_with(id, exchange, *std::move(refusal));
  }
  exchange.hold.charge(exchange.context->caller);
  session_.welcome_body(id);
}

// The newest ones have to go when that is too much; what is left then is one that is still coming.
bool Http2Exchanges::count_heads() {
  const size_t plain = state_.limits.plain_head_bytes;
  const auto to_count = [&] {
    const size_t waiting = session_.waiting_head_bytes();
    return RequestBytes{waiting - std::min(waiting, plain), 0};
  };
  heads_.release(to_count());
  for (auto exchange = exchanges_.rbegin(); exchange != exchanges_.rend(); ++exchange) {
    if (heads_.grow(to_count())) {
      return true;
    }
    if (!exchange->second.answered && exchange->second.link == nullptr) {
      refuse_for_memory(exchange->first, exchange->second);
      update_wait(exchange->first, exchange->second);
    }
  }
  return heads_.grow(to_count());
}

void Http2Exchanges::count_body(StreamId id, Exchange& exchange) {
  if (!exchange.answered && !exchange.hold.grow({0, session_.request(id).body.size()})) {
    refuse_for_memory(id, exchange);
  }
}

void Http2Exchanges::refuse_for_memory(StreamId id, Exchange& exchange) {
  refuse(id, exchange,
         http::too_many_requests("the server holds too much of other requests, try again later"));
}

void Http2Exchanges::answer_request(StreamId id, Exchange& exchange) {
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
  request.peer = host_.peer;
  request.context = std::exchange(exchange.context, nullptr);
  const http::RequestClass request_class = http::classify(request);
  exchange.long_running = request_class == http::RequestClass::long_running;
  exchange.link =
      std::make_shared<ExchangeLink>(state_.core, host_.io.mailbox(), &host_.connection, id);
  auto response =
      dispatch(state_, std::move(request), request_class, identity_, exchange.hold, exchange.link);
  if (identity_.is_proven()) {
    host_.io.vouch_for(host_.id);
  }
  if (response) {
    answer(id, exchange, *std::move(response));
  }
}

void Http2Exchanges::take_step(ExchangeLink& link, AnswerStep step) {
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
  } else {  // also an upgrade, which HTTP/2 does not have
    abort_answer(id, *exchange);
  }
  if (Exchange* still = find(id)) {
    update_wait(id, *still);
  }
}

void Http2Exchanges::answer(StreamId id, Exchange& exchange, http::Response response) {
  http::Chunk body = response.shared ? std::move(response.shared)
                                     : std::make_shared<const std::string>(response.take_body());
  const size_t bytes = body->size();
  if (response.status == kUnauthorized) {
    session_.mark_refused(id);
  }
  session_.set_date(host_.io.date());
  session_.respond(id, response.status, response.headers, std::move(body));
  end_answer(exchange);
  // Else clients without credentials could hold every place by asking and not reading.
  if (small_bytes_ + bytes <= state_.limits.small_answer_bytes) {
    exchange.small_bytes = bytes;
    small_bytes_ += bytes;
    exchange.hold.release();
  }
}

void Http2Exchanges::begin_stream(StreamId id, Exchange& exchange, const StartAnswer& start) {
  exchange.streaming = true;
  exchange.has_body = http::may_have_body(exchange.method, start.status);
  session_.set_date(host_.io.date());
  session_.start(id, start.status, start.headers, exchange.has_body);
}

void Http2Exchanges::write_chunk(StreamId id, Exchange& exchange, http::Chunk chunk) {
  if (!exchange.has_body) {
    exchange.link->on_sent(chunk->size());
    return;
  }
  if (exchange.link->unsent() > state_.limits.unsent_stream_bytes) {
    return cut_off(id, exchange);
  }
  session_.write(id, std::move(chunk));
}

void Http2Exchanges::abort_answer(StreamId id, Exchange& exchange) {
  if (!exchange.streaming) {
    return answer(id, exchange,
                  http::status_response(internal_error("the request was not answered")));
  }
  end_answer(exchange);
  // What was said before the cut still goes out, as far as the client takes it at once.
  host_.pump.flush();
  session_.cut(id);
}

// For a client that does not take the answer. Nothing more is heard of this request.
void Http2Exchanges::cut_off(StreamId id, Exchange& exchange) {
  state_.cut_off.fetch_add(1);
  state_.log.info("a slow client is cut off", {{"peer", host_.peer.address}});
  if (exchange.link != nullptr) {
    std::exchange(exchange.link, nullptr)->on_closed();
  }
  exchange.answered = true;
  session_.cut(id);
}

void Http2Exchanges::end_answer(Exchange& exchange) {
  exchange.answered = true;
  if (exchange.link != nullptr && !exchange.streaming) {
    exchange.link->connection = nullptr;
    exchange.link = nullptr;
  } else if (exchange.link != nullptr) {
    exchange.link->connection = nullptr;  // kept to hear what is sent
  }
}

void Http2Exchanges::refuse(StreamId id, Exchange& exchange, const Status& status) {
  refuse_with(id, exchange, http::status_response(status));
}

void Http2Exchanges::refuse_with(StreamId id, Exchange& exchange, http::Response response) {
  state_.refused.fetch_add(1);
  if (!exchange.answered) {
    answer(id, exchange, std::move(response));
  }
}

// Its answer is on its way, or its client does not want it any more.
void Http2Exchanges::forget(StreamId id) {
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

void Http2Exchanges::end_long_running() {
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
}

void Http2Exchanges::close() {
  for (auto& [id, exchange] : exchanges_) {
    if (exchange.link != nullptr && exchange.link->connection != nullptr) {
      exchange.link->on_closed();
    }
  }
  exchanges_.clear();
  heads_.release();
}

Http2Exchanges::Wait Http2Exchanges::waits_for(StreamId id, const Exchange& exchange) const {
  if (exchange.answered || exchange.streaming) {
    const bool taken = exchange.streaming && !exchange.answered && session_.unsent(id) == 0;
    return taken ? Wait::nothing : Wait::send;
  }
  if (exchange.link != nullptr) {
    return exchange.long_running ? Wait::nothing : Wait::answer;
  }
  return Wait::body;
}

Duration Http2Exchanges::timeout_of(Wait wait) const {
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
void Http2Exchanges::update_wait(StreamId id, Exchange& exchange) {
  const Wait wait = waits_for(id, exchange);
  const bool anew = wait == Wait::send && exchange.sent_in_time >= state_.limits.least_sent_bytes;
  if (wait == exchange.wait && !anew) {
    return;
  }
  exchange.wait = wait;
  exchange.sent_in_time = 0;
  if (wait != Wait::nothing) {
    exchange.deadline = state_.clock.monotonic() + timeout_of(wait);
    host_.timer.set_earlier(exchange.deadline);
  }
}

void Http2Exchanges::expire(MonotonicTime now) {
  std::vector<StreamId> late;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.wait == Wait::nothing) {
      continue;
    }
    if (exchange.deadline <= now) {
      late.push_back(id);
    } else {
      host_.timer.set_earlier(exchange.deadline);
    }
  }
  for (const StreamId id : late) {
    if (Exchange* exchange = find(id)) {
      on_timeout(id, *exchange);
    }
  }
}

void Http2Exchanges::on_timeout(StreamId id, Exchange& exchange) {
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
