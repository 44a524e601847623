#include "apiserver/rest/streams/command_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "api/codec/json/json_value.h"
#include "apiserver/rest/answers/responses.h"

namespace windlass::apiserver {
namespace {

constexpr uint8_t kInputChannel = 0;
constexpr uint8_t kStatusChannel = 3;
constexpr uint8_t kResizeChannel = 4;
constexpr uint8_t kCloseChannel = 255;
constexpr size_t kResumeUnsentBytes = CommandSession::kMaxUnsentBytes / 4;

api::JsonValue number_value(int number) {
  return {api::JsonValue::Type::number, fmt::format("{}", number)};
}

// What the status channel says at the end.
std::string status_text(const Result<int>& code) {
  using api::JsonValue;
  JsonValue status = JsonValue::object();
  status.members["metadata"] = JsonValue::object();
  status.members["status"] = JsonValue::string(code && *code == 0 ? "Success" : "Failure");
  if (!code) {
    status.members["message"] =
        JsonValue::string("error executing command in container: " + code.error().message);
    status.members["reason"] = JsonValue::string("InternalError");
    status.members["code"] = number_value(500);
  } else if (*code != 0) {
    JsonValue cause = JsonValue::object();
    cause.members["reason"] = JsonValue::string("ExitCode");
    cause.members["message"] = JsonValue::string(fmt::format("{}", *code));
    JsonValue details = JsonValue::object();
    details.members["causes"] = JsonValue::array();
    details.members["causes"].items.push_back(std::move(cause));
    status.members["message"] = JsonValue::string(
        fmt::format("command terminated with non-zero exit code: exit code {}", *code));
    status.members["reason"] = JsonValue::string("NonZeroExitCode");
    status.members["details"] = std::move(details);
  }
  return api::to_json_text(status);
}

uint16_t size_of(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* found = value.find(name);
  if (found == nullptr || found->type != api::JsonValue::Type::number) {
    return 0;
  }
  const int64_t number = std::strtoll(found->text.c_str(), nullptr, 10);
  return static_cast<uint16_t>(
      std::clamp<int64_t>(number, 0, std::numeric_limits<uint16_t>::max()));
}

}  // namespace

void CommandSession::start(const OpenCommand& open, const CommandOrder& order,
                           WebSocketUpgrade upgrade, std::shared_ptr<http::Exchange> exchange) {
  const auto session =
      std::make_shared<CommandSession>(order, std::move(upgrade), std::move(exchange));
  auto command = open(order, *session);
  if (!command) {
    return session->on_refused(command.error());
  }
  session->command_ = *std::move(command);
  session->exchange_->when_closed([session] {
    session->command_ = nullptr;
    session->exchange_ = nullptr;
  });
}

CommandSession::CommandSession(const CommandOrder& order, WebSocketUpgrade upgrade,
                               std::shared_ptr<http::Exchange> exchange)
    : input_(order.input),
      output_(order.output),
      errors_(order.errors && !order.terminal),
      terminal_(order.terminal),
      closes_channels_(upgrade.protocol == kCommandProtocols[0]),
      upgrade_(std::move(upgrade)),
      exchange_(std::move(exchange)) {}

bool CommandSession::serves(OutputStream stream) const {
  return stream == OutputStream::output ? output_ : errors_;
}

void CommandSession::on_started() {
  exchange_->upgrade("websocket", upgrade_.headers);
  // Tells the client that it is connected.
  send(static_cast<uint8_t>(output_ || terminal_ ? OutputStream::output : OutputStream::errors),
       "");
  receive();
}

void CommandSession::on_refused(const Status& why) {
  const auto self = shared_from_this();
  command_ = nullptr;
  std::exchange(exchange_, nullptr)->respond(failure_response(why, {}));
}

void CommandSession::on_output(OutputStream stream, std::string bytes) {
  if (!serves(stream)) {
    return;
  }
  send(static_cast<uint8_t>(stream), bytes);
  if (exchange_->unsent() <= kMaxUnsentBytes || std::exchange(held_, true)) {
    return;
  }
  command_->hold_output(true);
  exchange_->when_unsent_at_most(kResumeUnsentBytes, [self = shared_from_this()] {
    self->held_ = false;
    if (self->command_ != nullptr) {
      self->command_->hold_output(false);
    }
  });
}

void CommandSession::on_ended(const Result<int>& code) {
  send(kStatusChannel, status_text(code));
  end(http::kNormalClosure);
}

void CommandSession::receive() {
  exchange_->receive([self = shared_from_this()](std::string bytes) {
    self->received_ = std::move(bytes);
    self->read_ = 0;
    self->take_received();
  });
}

// As far as the command takes its input.
void CommandSession::take_received() {
  while (exchange_ != nullptr && input_bytes_.empty()) {
    std::string_view rest = std::string_view(received_).substr(read_);
    auto piece = reader_.next(rest);
    read_ = received_.size() - rest.size();
    if (piece) {
      take(*std::move(piece));
    } else if (reader_.failed()) {
      return end(http::kProtocolError);
    } else {
      return receive();
    }
  }
}

void CommandSession::take(http::WebSocketPiece piece) {
  switch (piece.kind) {
    case http::WebSocketPiece::Kind::data:
      return take_data(std::move(piece));
    case http::WebSocketPiece::Kind::ping:
      return exchange_->write(
          std::make_shared<const std::string>(http::websocket_pong(piece.bytes)));
    case http::WebSocketPiece::Kind::close:
      return end(http::kNormalClosure);
    case http::WebSocketPiece::Kind::pong:
      break;
  }
}

void CommandSession::take_data(http::WebSocketPiece piece) {
  std::string_view bytes = piece.bytes;
  if (piece.first) {
    channel_ = -1;
    control_.clear();
  }
  if (channel_ < 0 && !bytes.empty()) {
    channel_ = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
  }
  if (channel_ == kInputChannel) {
    return write_input(bytes);
  }
  control_.append(bytes.substr(0, kMaxControlBytes - control_.size()));
  if (piece.last && channel_ >= 0) {
    take_message(static_cast<uint8_t>(channel_), control_);
  }
}

void CommandSession::take_message(uint8_t channel, std::string_view text) {
  if (channel == kResizeChannel && terminal_) {
    const auto size = api::parse_json_value(text);
    if (size && size->value.is_object()) {
      command_->resize(size_of(size->value, "Width"), size_of(size->value, "Height"));
    }
  } else if (channel == kCloseChannel && closes_channels_ && input_ &&
             text == std::string_view("\0", 1)) {
    command_->end_input();
  }
}

void CommandSession::write_input(std::string_view bytes) {
  if (!input_ || bytes.empty()) {
    return;
  }
  const size_t taken = command_->write_input(bytes);
  input_bytes_ = bytes.substr(taken);
}

void CommandSession::on_input_room() {
  if (input_bytes_.empty()) {
    return;
  }
  const std::string bytes = std::exchange(input_bytes_, {});
  write_input(bytes);
  take_received();
}

void CommandSession::send(uint8_t channel, std::string_view bytes) {
  const auto prefix = static_cast<char>(channel);
  exchange_->write(
      std::make_shared<const std::string>(http::websocket_message({&prefix, 1}, bytes)));
}

void CommandSession::end(uint16_t code) {
  const auto self = shared_from_this();
  command_ = nullptr;
  const auto exchange = std::exchange(exchange_, nullptr);
  exchange->write(std::make_shared<const std::string>(http::websocket_close(code)));
  exchange->finish();
}

}  // namespace windlass::apiserver
