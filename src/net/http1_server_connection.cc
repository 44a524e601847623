#include "net/http1_server_connection.h"

#include <algorithm>
#include <utility>

#include "http/status_response.h"
#include "http/target.h"
#include "net/dispatch.h"
#include "net/io_thread.h"
#include "net/stream/endpoint.h"

namespace windlass::net {

Http1ServerConnection::Http1ServerConnection(uint64_t id, IoThread& io, ServerState& state,
                                             std::unique_ptr<ByteStream> stream, http::Peer peer)
    : id_(id),
      io_(io),
      state_(state),
      peer_(std::move(peer)),
      pump_(io.loop(), *this, std::move(stream)),
      parser_(state.limits.request),
      hold_(state),
      identity_(state, network_of(peer_.address)),
      timer_(io.loop(), state.clock, [this] {
        const auto self = shared_from_this();
        on_timeout();
      }) {}

void Http1ServerConnection::start() {
  pump_.start(EPOLLRDHUP);
  advance();
}

void Http1ServerConnection::on_ready(uint32_t events) {
  const auto self = shared_from_this();
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    return close();
  }
  if ((events & EPOLLRDHUP) != 0 && is_busy()) {
    on_peer_finished();
  }
  advance();
}

// It may only have finished sending (a request from a pipe), so a plain answer is still given. A
// client that follows a stream and closes is gone.
void Http1ServerConnection::on_peer_finished() {
  pump_.watch_always(0);
  if (phase_ != Phase::answering) {
    return;  // the rest of an answer still goes out; then reading meets the end
  }
  writer_.end_connection();
  if (writer_.streaming() || long_running_) {
    close();
  }
}

void Http1ServerConnection::advance() {
  if (phase_ == Phase::closed || pump_.resumes()) {
    return;
  }
  const auto self = shared_from_this();
  moved_this_turn_ = false;
  settle();
  pump_.run(io_.scratch());
  if (phase_ != Phase::closed) {
    update_deadline();
  }
}

void Http1ServerConnection::settle() {
  if (!writer_.output().empty() || phase_ == Phase::closed) {
    return;
  }
  if (phase_ != Phase::answering && std::exchange(answered_, false)) {
    release_request();
  }
  if (phase_ == Phase::reading && parser_.idle() && !pump_.has_input() && io_.stopping()) {
    phase_ = Phase::closing;
  }
  if (phase_ == Phase::closing) {
    pump_.linger();
    phase_ = Phase::lingering;
  }
}

void Http1ServerConnection::on_sent(size_t bytes) {
  const size_t of_chunks = writer_.output().consume(bytes);
  sent_in_time_ += bytes;
  moved_this_turn_ = true;
  if (sending_link_ != nullptr) {
    sending_link_->on_sent(of_chunks);
  }
  settle();
}

size_t Http1ServerConnection::on_received(std::string_view bytes) {
  if (std::exchange(awaits_stream_bytes_, false)) {
    moved_this_turn_ = true;
    link_->on_received(std::string(bytes));
    return bytes.size();
  }
  const size_t used = parse(bytes);
  settle();
  return used;
}

size_t Http1ServerConnection::parse(std::string_view bytes) {
  const bool in_head = parser_.state() == http::RequestParser::State::head;
  const size_t used = parser_.feed(bytes);
  switch (parser_.state()) {
    case http::RequestParser::State::complete:
      account_for_input();
      if (phase_ == Phase::reading) {
        answer_request();
      }
      return used;
    case http::RequestParser::State::refused: {
      const http::Refusal& refusal = parser_.refusal();
      refuse({refusal.status, std::string(refusal.reason), refusal.message, {}});
      break;
    }
    case http::RequestParser::State::body:
      if (in_head) {
        context_ = state_.handler.read_head(parser_.request(), peer_);
        if (auto refusal = state_.handler.screen(parser_.request(), *context_)) {
          refuse_with(*std::move(refusal));
          break;
        }
        hold_.charge(context_->caller);
      }
      [[fallthrough]];
    default:
      account_for_input();
      if (phase_ == Phase::reading && parser_.expects_continue()) {
        writer_.welcome_body();
      }
      break;
  }
  return bytes.size();
}

RequestBytes Http1ServerConnection::bytes_to_count() const {
  const size_t head = parser_.head_bytes();
  return {head - std::min(head, state_.limits.plain_head_bytes), parser_.body_bytes()};
}

void Http1ServerConnection::account_for_input() {
  if (!hold_.grow(bytes_to_count())) {
    refuse(http::too_many_requests("the server holds too much of other requests, try again later"));
  }
}

void Http1ServerConnection::answer_request() {
  const bool http_1_0 = parser_.is_http_1_0();
  const bool keep_alive = parser_.keep_alive() && !io_.stopping();
  can_upgrade_ = !http_1_0;
  http::Request request = parser_.take();
  writer_.begin(request.method, http_1_0, keep_alive);
  request.peer = peer_;
  request.context = std::exchange(context_, nullptr);
  const http::RequestClass request_class = http::classify(request);
  long_running_ = request_class == http::RequestClass::long_running;
  phase_ = Phase::answering;
  link_ = std::make_shared<ExchangeLink>(state_.core, io_.mailbox(), this);
  auto response = dispatch(state_, std::move(request), request_class, identity_, hold_, link_);
  if (identity_.is_proven()) {
    io_.vouch_for(id_);
  }
  if (response) {
    answer(*std::move(response));
  }
}

void Http1ServerConnection::take_step(ExchangeLink& /*link*/, AnswerStep step) {
  if (phase_ != Phase::answering) {
    return;
  }
  if (auto* chunk = std::get_if<http::Chunk>(&step)) {
    write_chunk(std::move(*chunk));
  } else if (auto* response = std::get_if<http::Response>(&step)) {
    answer(std::move(*response));
  } else if (auto* start = std::get_if<StartAnswer>(&step)) {
    writer_.start(*start, io_.date());
    sending_link_ = link_;
  } else if (const auto* change = std::get_if<UpgradeAnswer>(&step)) {
    upgrade(*change);
  } else if (std::holds_alternative<ReceiveMore>(step)) {
    awaits_stream_bytes_ = writer_.upgraded();
    pump_.expect_input();
  } else if (std::holds_alternative<FinishAnswer>(step)) {
    writer_.finish();
    end_answer();
  } else {
    abort_answer();
  }
}

void Http1ServerConnection::answer(http::Response response) {
  if (response.make_body) {
    response.body = response.make_body();
  }
  const size_t body_bytes = response.shared ? response.shared->size() : response.body.size();
  writer_.respond(std::move(response), io_.date());
  end_answer();
  // Else clients without credentials could hold every place by asking and not reading.
  if (body_bytes <= state_.limits.small_answer_bytes) {
    answered_ = false;
    release_request();
  }
}

void Http1ServerConnection::write_chunk(http::Chunk chunk) {
  if (!writer_.has_body()) {
    link_->on_sent(chunk->size());
    return;
  }
  if (link_->unsent() > state_.limits.unsent_stream_bytes) {
    state_.cut_off.fetch_add(1);
    state_.log.info("a slow client is cut off", {{"peer", peer_.address}});
    return close();
  }
  writer_.write(std::move(chunk));
}

void Http1ServerConnection::upgrade(const UpgradeAnswer& upgrade) {
  if (!can_upgrade_) {
    return close();
  }
  writer_.upgrade(upgrade, io_.date());
  long_running_ = true;
  sending_link_ = link_;
}

void Http1ServerConnection::abort_answer() {
  if (writer_.streaming()) {
    // Chunks written before the cut still go out, as far as the client takes them at once.
    pump_.flush();
    return close();
  }
  answer(http::status_response(internal_error("the request was not answered")));
}

void Http1ServerConnection::end_answer() {
  if (link_ != nullptr) {
    link_->connection = nullptr;
    link_ = nullptr;
  }
  fresh_ = false;
  answered_ = true;
  awaits_stream_bytes_ = false;
  pump_.expect_nothing();  // mostly the next request is not there yet
  phase_ = writer_.keep_alive() && !io_.stopping() ? Phase::reading : Phase::closing;
}

// For larger answers not before the client has them: answers in memory are bounded, too.
void Http1ServerConnection::release_request() {
  sending_link_ = nullptr;
  hold_.release(bytes_to_count());
}

// The request cannot be answered, or not be read to its end, so the connection ends with it.
void Http1ServerConnection::refuse(const Status& status) {
  refuse_with(http::status_response(status));
}

void Http1ServerConnection::refuse_with(http::Response response) {
  state_.refused.fetch_add(1);
  if (phase_ != Phase::answering) {
    writer_.begin("", false, false);
    long_running_ = false;
  }
  writer_.end_connection();
  parser_ = http::RequestParser(state_.limits.request);  // what has come is of no use any more
  answer(std::move(response));
}

void Http1ServerConnection::wind_down() {
  switch (phase_) {
    case Phase::reading:
      if (writer_.output().empty() && parser_.idle() && !pump_.has_input()) {
        pump_.stream().finish_writing();
        return close();
      }
      break;
    case Phase::answering:
      writer_.end_connection();
      if (writer_.upgraded()) {
        return close();
      }
      if (long_running_ && writer_.streaming()) {
        // A watch that ends is nothing unusual; its client begins another one elsewhere.
        writer_.finish();
        link_->on_closed();
        link_ = nullptr;
        answered_ = true;
        phase_ = Phase::closing;
      } else if (long_running_) {
        return close();
      }
      break;
    default:
      break;
  }
  advance();
}

void Http1ServerConnection::close() {
  if (phase_ == Phase::closed) {
    return;
  }
  const auto self = shared_from_this();
  phase_ = Phase::closed;
  awaits_stream_bytes_ = false;
  timer_.cancel();
  pump_.close();
  if (link_ != nullptr) {
    link_->on_closed();
    link_ = nullptr;
  }
  writer_.output().clear();
  sending_link_ = nullptr;
  hold_.release();
  io_.forget(id_);
}

Http1ServerConnection::Wait Http1ServerConnection::waits_for() const {
  if (phase_ == Phase::lingering) {
    return Wait::linger;
  }
  if (phase_ == Phase::answering && writer_.upgraded()) {
    return Wait::stream;
  }
  if (!writer_.output().empty()) {
    return Wait::send;
  }
  if (phase_ == Phase::answering) {
    return long_running_ || writer_.streaming() ? Wait::nothing : Wait::answer;
  }
  if (parser_.state() == http::RequestParser::State::body) {
    return Wait::body;
  }
  return parser_.idle() && !fresh_ ? Wait::idle : Wait::head;
}

Duration Http1ServerConnection::timeout_of(Wait wait) const {
  const ServerLimits& limits = state_.limits;
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
    case Wait::stream:
      return limits.stream_idle_timeout;
    case Wait::linger:
      return limits.linger_timeout;
    case Wait::nothing:
      break;
  }
  return Duration::zero();
}

// For a client that takes the bytes that wait for it, and not next to none of them.
bool Http1ServerConnection::begins_anew(Wait wait) const {
  return wait == Wait::idle || wait == Wait::stream ||
         (wait == Wait::send && sent_in_time_ >= state_.limits.least_sent_bytes);
}

// The clock runs from the beginning of a wait, and anew where there is progress that counts.
void Http1ServerConnection::update_deadline() {
  const Wait wait = waits_for();
  if (wait == wait_ && !(moved_this_turn_ && begins_anew(wait))) {
    return;
  }
  wait_ = wait;
  sent_in_time_ = 0;
  if (wait == Wait::nothing) {
    return timer_.clear();
  }
  timer_.set(state_.clock.monotonic() + timeout_of(wait));
}

void Http1ServerConnection::on_timeout() {
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
