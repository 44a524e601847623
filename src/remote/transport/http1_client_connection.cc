#include "remote/transport/http1_client_connection.h"

#include <array>
#include <utility>
#include <vector>

#include "base/check.h"

namespace windlass::remote {
namespace {

std::string head_text(const RequestHead& head, size_t body_bytes) {
  std::string text;
  text.reserve(256 + head.path.size() + head.authorization.size());
  const auto line = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(value).append("\r\n");
  };
  text.append(head.method).append(" ").append(head.path).append(" HTTP/1.1\r\n");
  line("Host: ", head.authority);
  line("User-Agent: ", head.user_agent);
  line("Accept: ", head.accept);
  if (!head.authorization.empty()) {
    line("Authorization: ", head.authorization);
  }
  if (head.has_body) {
    line("Content-Type: ", head.content_type);
    line("Content-Length: ", std::to_string(body_bytes));
  }
  text += "\r\n";
  return text;
}

}  // namespace

Http1ClientConnection::Http1ClientConnection(posix::EventLoop& loop,
                                             std::unique_ptr<net::ByteStream> stream)
    : pump_(loop, *this, std::move(stream), net::StreamPump::AfterFailedWrite::read) {}

void Http1ClientConnection::close() {
  pump_.close();
  sink_ = nullptr;
  output_.clear();
}

void Http1ClientConnection::send(const RequestHead& head, std::string body, AnswerSink& sink) {
  CHECK(room() > 0, "one request at a time");
  ++requests_;
  sink_ = &sink;
  answer_ = {};
  parser_.begin(head.method);
  output_.add(head_text(head, body.size()));
  output_.add(std::move(body));
  pump_.resume_later();  // a sink never hears from inside of the call
}

bool Http1ClientConnection::cancel(AnswerSink& sink) {
  if (sink_ == &sink) {
    close();
  }
  return true;
}

void Http1ClientConnection::on_ready(uint32_t /*events*/) {
  const auto self = shared_from_this();
  std::array<char, net::StreamPump::kReadBytes> buffer;
  pump_.run(buffer);
}

// Without a request, a server that says something is not to be trusted.
size_t Http1ClientConnection::on_received(std::string_view bytes) {
  if (sink_ == nullptr) {
    end_idle();
  } else {
    take(bytes);
  }
  return bytes.size();
}

void Http1ClientConnection::on_ended(net::Io how, const std::string& why) {
  if (sink_ == nullptr) {
    return end_idle();
  }
  if (how == net::Io::closed) {
    parser_.end();
    if (parser_.state() == http::ResponseParser::State::complete) {
      if (tell_more()) {
        complete();
      }
      return;
    }
  }
  lose(why);
}

void Http1ClientConnection::end_idle() {
  close();
  tell_changed();
}

void Http1ClientConnection::take(std::string_view bytes) {
  const size_t used = parser_.feed(bytes, answer_.body);
  switch (parser_.state()) {
    case http::ResponseParser::State::head:
      return;
    case http::ResponseParser::State::broken:
      return lose(parser_.problem());
    case http::ResponseParser::State::body:
      tell_more();
      return;
    default:
      break;
  }
  if (!tell_more()) {
    return;
  }
  // Bytes after the answer, or before the request has gone out, fit no question.
  if (used < bytes.size() || !output_.empty()) {
    pump_.close();
  }
  complete();
}

// False when no request waits for the rest.
bool Http1ClientConnection::tell_more() {
  if (answer_.status == 0) {
    answer_.status = parser_.status();
    answer_.headers = parser_.headers();
  }
  if (!sink_->on_more(answer_)) {
    close();
  }
  return sink_ != nullptr;
}

void Http1ClientConnection::complete() {
  AnswerSink* sink = std::exchange(sink_, nullptr);
  if (!parser_.keep_alive()) {
    close();
  }
  sink->on_complete(std::exchange(answer_, {}));
}

void Http1ClientConnection::lose(const std::string& why) {
  AnswerSink* sink = std::exchange(sink_, nullptr);
  const bool left = output_.empty();
  const bool heard = !parser_.idle();
  close();
  sink->on_lost({why, left, heard, false});
}

}  // namespace windlass::remote
