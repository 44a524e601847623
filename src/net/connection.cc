#include "net/connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "http/request_class.h"
#include "http/status_response.h"
#include "net/endpoint.h"
#include "net/io_thread.h"

namespace windlass::net {
namespace {

// Steps that one connection may take before others have their turn.
constexpr int kMaxStepsPerTurn = 32;
// Of a refused request, read and dropped so that the client gets to read the refusal.
constexpr size_t kMaxDiscardedBytes = size_t{8} * 1024 * 1024;

}  // namespace

Connection::Connection(uint64_t id, IoThread& io, ServerState& state,
                       std::unique_ptr<Stream> stream)
    : id_(id), io_(io), state_(state), stream_(std::move(stream)), parser_(state.limits.request) {
  peer_.address = peer_address(stream_->fd());
  peer_.reached = own_address(stream_->fd());
}

void Connection::start() {
  watched_events_ = EPOLLIN | EPOLLRDHUP;
  watch_ =
      io_.loop().watch(stream_->fd(), watched_events_,
                       [self = shared_from_this()](uint32_t events) { self->on_events(events); });
  advance();
}

void Connection::on_events(uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    return close();
  }
  may_read_ = true;
  if ((events & EPOLLRDHUP) != 0 && (phase_ == Phase::answering || !output_.empty())) {
    on_peer_finished();
  }
  if (phase_ == Phase::closed) {
    return;
  }
  // Interest is only ever taken back here, when it turns out to be too much: a request and its
  // answer mostly need none of it changed.
  if (const uint32_t wanted = wanted_events(); (events & ~wanted) != 0) {
    watched_events_ = wanted;
    io_.loop().change(watch_, wanted);
  }
  advance();
}

// It may only have finished sending (a request from a pipe), so a plain answer is still given. Who
// follows a stream and closes is gone.
void Connection::on_peer_finished() {
  stopped_sending_ = true;
  if (phase_ != Phase::answering) {
    return;  // what is left of an answer still goes out; then reading meets the end
  }
  current_.keep_alive = false;
  if (current_.streaming || current_.long_running) {
    close();
  }
}

void Connection::advance() {
  const auto self = shared_from_this();
  bool progress = false;
  int steps = 0;
  while (phase_ != Phase::closed) {
    if (++steps > kMaxStepsPerTurn) {
      io_.loop().post([self] { self->advance(); });
      break;
    }
    if (phase_ == Phase::handshake) {
      if (!continue_handshake()) {
        break;
      }
    } else if (!output_.empty()) {
      if (!flush()) {
        break;
      }
      progress = true;
    } else if (phase_ == Phase::reading) {
      release_request();
      if (!read_input()) {
        break;
      }
    } else if (phase_ == Phase::closing) {
      release_request();
      stream_->finish_writing();
      phase_ = Phase::lingering;
    } else if (phase_ != Phase::lingering || !discard_input()) {
      break;
    }
  }
  if (phase_ != Phase::closed) {
    update_interest();
    update_deadline(progress);
  }
}

bool Connection::continue_handshake() {
  blocked_on_ = stream_->handshake(peer_);
  if (blocked_on_ == Io::done) {
    blocked_on_ = Io::want_read;
    phase_ = io_.stopping() ? Phase::closing : Phase::reading;
    return true;
  }
  if (blocked_on_ != Io::want_read && blocked_on_ != Io::want_write) {
    close();
  }
  return false;
}

bool Connection::flush() {
  std::array<std::string_view, Stream::kMaxParts> parts;
  const size_t count = output_.front(parts);
  const Transfer sent = stream_->write({parts.data(), count});
  if (sent.result == Io::done) {
    const size_t of_chunks = output_.consume(sent.bytes);
    if (sending_link_ != nullptr) {
      sending_link_->on_sent(of_chunks);
    }
    return true;
  }
  blocked_on_ = sent.result;
  if (sent.result != Io::want_read && sent.result != Io::want_write) {
    close();
  }
  return false;
}

bool Connection::read_input() {
  if (!input_.empty()) {
    const std::string bytes = std::exchange(input_, {});
    parse(bytes);
    return true;
  }
  if (parser_.idle() && io_.stopping()) {
    phase_ = Phase::closing;
    return true;
  }
  if (!may_read_ && !stream_->has_received()) {
    blocked_on_ = Io::want_read;
    return false;
  }
  const std::span<char> scratch = io_.scratch();
  const Transfer got = stream_->read(scratch);
  if (got.result == Io::done) {
    parse({scratch.data(), got.bytes});
    return true;
  }
  blocked_on_ = got.result;
  if (got.result != Io::want_read && got.result != Io::want_write) {
    close();
  }
  return false;
}

bool Connection::discard_input() {
  const std::span<char> scratch = io_.scratch();
  const ssize_t got = ::recv(stream_->fd(), scratch.data(), scratch.size(), 0);
  if (got > 0) {
    discarded_ += static_cast<size_t>(got);
  }
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
      discarded_ > kMaxDiscardedBytes) {
    close();
  }
  return got > 0;
}

void Connection::parse(std::string_view bytes) {
  const size_t used = parser_.feed(bytes);
  switch (parser_.state()) {
    case http::RequestParser::State::complete:
      input_ = bytes.substr(used);
      account_for_input();
      if (phase_ == Phase::reading) {
        dispatch();
      }
      break;
    case http::RequestParser::State::refused: {
      const http::Refusal& refusal = parser_.refusal();
      refuse({refusal.status, std::string(refusal.reason), refusal.message, {}});
      break;
    }
    default:
      account_for_input();
      if (phase_ == Phase::reading && parser_.expects_continue()) {
        output_.add("HTTP/1.1 100 Continue\r\n\r\n");
      }
      break;
  }
}

void Connection::account_for_input() {
  const size_t held = parser_.buffered_bytes();
  if (held <= accounted_bytes_) {
    return;
  }
  if (!state_.buffered_bytes.try_add(held - accounted_bytes_)) {
    state_.throttled.fetch_add(1);
    refuse(http::too_many_requests("the server holds too much of other requests, try again later"));
    return;
  }
  accounted_bytes_ = held;
}

void Connection::dispatch() {
  state_.requests.fetch_add(1, std::memory_order_relaxed);
  current_ = {};
  current_.http_1_0 = parser_.is_http_1_0();
  current_.keep_alive = parser_.keep_alive() && !io_.stopping();
  http::Request request = parser_.take();
  current_.method = request.method;
  const http::RequestClass request_class = http::classify(request);
  current_.long_running = request_class == http::RequestClass::long_running;
  phase_ = Phase::answering;

  Gauge& gauge = state_.in_flight[static_cast<size_t>(request_class)];
  if (!gauge.try_add(1)) {
    state_.throttled.fetch_add(1);
    return answer(http::status_response(
        http::too_many_requests("Too many requests, please try again later.")));
  }
  slot_ = &gauge;
  request.peer = peer_;
  auto prepared = state_.handler.prepare(std::move(request));
  if (auto* response = std::get_if<http::Response>(&prepared)) {
    return answer(std::move(*response));
  }
  link_ = std::make_shared<ExchangeLink>(state_.core, io_.mailbox(), this);
  std::shared_ptr<http::Call> call = std::get<std::unique_ptr<http::Call>>(std::move(prepared));
  const bool quick = call->is_quick();
  env::Task run = [call = std::move(call),
                   exchange = std::make_shared<CoreExchange>(link_)]() mutable {
    // Both go where the call keeps them: an exchange that nobody keeps is answered.
    const auto running = std::move(call);
    running->run(std::move(exchange));
  };
  if (!quick || !state_.core.try_run(run)) {
    state_.core.post(std::move(run));
  }
}

void Connection::take_step(AnswerStep step) {
  if (phase_ != Phase::answering) {
    return;
  }
  if (auto* chunk = std::get_if<http::Chunk>(&step)) {
    write_chunk(std::move(*chunk));
  } else if (auto* response = std::get_if<http::Response>(&step)) {
    answer(std::move(*response));
  } else if (auto* start = std::get_if<StartAnswer>(&step)) {
    begin_stream(*start);
  } else if (std::holds_alternative<FinishAnswer>(step)) {
    if (current_.has_body && !current_.http_1_0) {
      output_.add_last_chunk();
    }
    end_answer();
  } else {
    abort_answer();
  }
}

void Connection::answer(http::Response response) {
  if (response.make_body) {
    response.body = response.make_body();
  }
  http::Framing framing;
  framing.date = io_.date();
  framing.close = !current_.keep_alive;
  if (response.status != 204 && response.status != 304) {
    framing.content_length = response.shared ? response.shared->size() : response.body.size();
  }
  output_.add(http::response_head(response.status, response.headers, framing));
  if (http::may_have_body(current_.method, response.status)) {
    if (response.shared) {
      output_.add_chunk(std::move(response.shared), false);
    } else {
      output_.add(std::move(response.body));
    }
  }
  end_answer();
}

void Connection::begin_stream(const StartAnswer& start) {
  current_.streaming = true;
  current_.has_body = http::may_have_body(current_.method, start.status);
  if (current_.http_1_0) {
    current_.keep_alive = false;  // the end of the connection is the end of the answer
  }
  http::Framing framing;
  framing.date = io_.date();
  framing.chunked = current_.has_body && !current_.http_1_0;
  framing.close = !current_.keep_alive;
  output_.add(http::response_head(start.status, start.headers, framing));
  sending_link_ = link_;
}

void Connection::write_chunk(http::Chunk chunk) {
  if (!current_.has_body) {
    link_->on_sent(chunk->size());
    return;
  }
  if (link_->unsent() > state_.limits.unsent_stream_bytes) {
    state_.cut_off.fetch_add(1);
    state_.log.info("a slow client is cut off", {{"peer", peer_.address}});
    return close();
  }
  output_.add_chunk(std::move(chunk), !current_.http_1_0);
}

void Connection::abort_answer() {
  if (current_.streaming) {
    // What was said before the cut still goes out, as far as the client takes it at once.
    while (!output_.empty() && flush()) {
    }
    return close();
  }
  answer(http::status_response(internal_error("the request was not answered")));
}

void Connection::end_answer() {
  if (link_ != nullptr) {
    link_->connection = nullptr;
    link_ = nullptr;
  }
  fresh_ = false;
  may_read_ = false;  // mostly the next request is not there yet
  phase_ = current_.keep_alive && !io_.stopping() ? Phase::reading : Phase::closing;
}

// The slot is kept until the client has taken the answer: answers in memory are bounded, too.
void Connection::release_request() {
  sending_link_ = nullptr;
  if (slot_ != nullptr) {
    slot_->remove(1);
    slot_ = nullptr;
  }
  const size_t held = parser_.buffered_bytes();
  if (accounted_bytes_ > held) {
    state_.buffered_bytes.remove(accounted_bytes_ - held);
    accounted_bytes_ = held;
  }
}

// The request cannot be answered, or not be read to its end, so the connection ends with it.
void Connection::refuse(const Status& status) {
  state_.refused.fetch_add(1);
  if (phase_ != Phase::answering) {
    current_ = {};
  }
  current_.keep_alive = false;
  answer(http::status_response(status));
}

void Connection::wind_down() {
  switch (phase_) {
    case Phase::handshake:
      return close();
    case Phase::reading:
      if (output_.empty() && parser_.idle() && input_.empty()) {
        stream_->finish_writing();
        return close();
      }
      break;
    case Phase::answering:
      current_.keep_alive = false;
      if (current_.long_running && current_.streaming) {
        // A watch that ends is nothing unusual; its client begins another one elsewhere.
        if (current_.has_body && !current_.http_1_0) {
          output_.add_last_chunk();
        }
        link_->on_closed();
        link_ = nullptr;
        phase_ = Phase::closing;
      } else if (current_.long_running) {
        return close();
      }
      break;
    default:
      break;
  }
  advance();
}

void Connection::close() {
  if (phase_ == Phase::closed) {
    return;
  }
  const auto self = shared_from_this();
  phase_ = Phase::closed;
  io_.loop().cancel(timer_);
  io_.loop().unwatch(watch_);
  if (link_ != nullptr) {
    link_->on_closed();
    link_ = nullptr;
  }
  output_.clear();
  release_request();
  state_.buffered_bytes.remove(std::exchange(accounted_bytes_, 0));
  stream_ = nullptr;
  io_.forget(id_);
}

}  // namespace windlass::net
