#include "net/http1_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "http/request_class.h"
#include "http/status_response.h"
#include "net/dispatch.h"
#include "net/io_thread.h"

namespace windlass::net {

Http1Connection::Http1Connection(uint64_t id, IoThread& io, ServerState& state,
                                 std::unique_ptr<Stream> stream, http::Peer peer)
    : id_(id),
      io_(io),
      state_(state),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      parser_(state.limits.request),
      hold_(state),
      standing_(state) {}

void Http1Connection::start() {
  watched_events_ = EPOLLIN | EPOLLRDHUP;
  watch_ =
      io_.loop().watch(stream_->fd(), watched_events_,
                       [this, self = shared_from_this()](uint32_t events) { on_events(events); });
  advance();
}

void Http1Connection::on_events(uint32_t events) {
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
void Http1Connection::on_peer_finished() {
  stopped_sending_ = true;
  if (phase_ != Phase::answering) {
    return;  // what is left of an answer still goes out; then reading meets the end
  }
  current_.keep_alive = false;
  if (current_.streaming || current_.long_running) {
    close();
  }
}

void Http1Connection::advance() {
  if (turn_comes_) {
    return;
  }
  const auto self = shared_from_this();
  bool progress = false;
  int steps = 0;
  while (phase_ != Phase::closed) {
    if (++steps > kMaxStepsPerTurn) {
      turn_comes_ = true;
      io_.loop().post([this, self] {
        turn_comes_ = false;
        advance();
      });
      break;
    }
    if (!output_.empty()) {
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

bool Http1Connection::flush() {
  std::array<std::string_view, Stream::kMaxParts> parts;
  const size_t count = output_.front(parts);
  const Transfer sent = stream_->write({parts.data(), count});
  if (sent.result == Io::done) {
    const size_t of_chunks = output_.consume(sent.bytes);
    sent_in_time_ += sent.bytes;
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

bool Http1Connection::read_input() {
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

bool Http1Connection::discard_input() {
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

void Http1Connection::parse(std::string_view bytes) {
  const bool in_head = parser_.state() == http::RequestParser::State::head;
  const size_t used = parser_.feed(bytes);
  switch (parser_.state()) {
    case http::RequestParser::State::complete:
      input_ = bytes.substr(used);
      account_for_input();
      if (phase_ == Phase::reading) {
        answer_request();
      }
      break;
    case http::RequestParser::State::refused: {
      const http::Refusal& refusal = parser_.refusal();
      refuse({refusal.status, std::string(refusal.reason), refusal.message, {}});
      break;
    }
    case http::RequestParser::State::body:
      if (in_head) {
        if (auto refusal = state_.handler.screen(parser_.request(), peer_)) {
          return refuse_with(*std::move(refusal));
        }
      }
      [[fallthrough]];
    default:
      account_for_input();
      if (phase_ == Phase::reading && parser_.expects_continue()) {
        output_.add("HTTP/1.1 100 Continue\r\n\r\n");
      }
      break;
  }
}

RequestBytes Http1Connection::bytes_to_count() const {
  const size_t head = parser_.head_bytes();
  return {head - std::min(head, state_.limits.plain_head_bytes), parser_.body_bytes()};
}

void Http1Connection::account_for_input() {
  if (!hold_.grow(bytes_to_count())) {
    refuse(http::too_many_requests("the server holds too much of other requests, try again later"));
  }
}

void Http1Connection::answer_request() {
  current_ = {};
  current_.http_1_0 = parser_.is_http_1_0();
  current_.keep_alive = parser_.keep_alive() && !io_.stopping();
  http::Request request = parser_.take();
  current_.method = request.method;
  request.peer = peer_;
  const http::RequestClass request_class = http::classify(request);
  current_.long_running = request_class == http::RequestClass::long_running;
  phase_ = Phase::answering;
  link_ = std::make_shared<ExchangeLink>(state_.core, io_.mailbox(), this);
  auto response = dispatch(state_, std::move(request), request_class, standing_, hold_, link_);
  if (standing_.is_proven()) {
    io_.vouch_for(id_);
  }
  if (response) {
    answer(*std::move(response));
  }
}

void Http1Connection::take_step(ExchangeLink& /*link*/, AnswerStep step) {
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

void Http1Connection::answer(http::Response response) {
  if (response.make_body) {
    response.body = response.make_body();
  }
  http::Framing framing;
  framing.date = io_.date();
  framing.close = !current_.keep_alive;
  const size_t body_bytes = response.shared ? response.shared->size() : response.body.size();
  if (response.status != 204 && response.status != 304) {
    framing.content_length = body_bytes;
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
  // Else clients without credentials could hold every place by asking and not reading.
  if (body_bytes <= state_.limits.small_answer_bytes) {
    release_request();
  }
}

void Http1Connection::begin_stream(const StartAnswer& start) {
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

void Http1Connection::write_chunk(http::Chunk chunk) {
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

void Http1Connection::abort_answer() {
  if (current_.streaming) {
    // What was said before the cut still goes out, as far as the client takes it at once.
    while (!output_.empty() && flush()) {
    }
    return close();
  }
  answer(http::status_response(internal_error("the request was not answered")));
}

void Http1Connection::end_answer() {
  if (link_ != nullptr) {
    link_->connection = nullptr;
    link_ = nullptr;
  }
  fresh_ = false;
  may_read_ = false;  // mostly the next request is not there yet
  phase_ = current_.keep_alive && !io_.stopping() ? Phase::reading : Phase::closing;
}

// For larger answers not before the client has them: answers in memory are bounded, too.
void Http1Connection::release_request() {
  sending_link_ = nullptr;
  hold_.release(bytes_to_count());
}

// The request cannot be answered, or not be read to its end, so the connection ends with it.
void Http1Connection::refuse(const Status& status) {
  refuse_with(http::status_response(status));
}

void Http1Connection::refuse_with(http::Response response) {
  state_.refused.fetch_add(1);
  if (phase_ != Phase::answering) {
    current_ = {};
  }
  current_.keep_alive = false;
  answer(std::move(response));
}

void Http1Connection::wind_down() {
  switch (phase_) {
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

void Http1Connection::close() {
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
  sending_link_ = nullptr;
  hold_.release();
  stream_ = nullptr;
  io_.forget(id_);
}

}  // namespace windlass::net
