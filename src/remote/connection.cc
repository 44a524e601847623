#include "remote/connection.h"

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

Connection::Connection(posix::EventLoop& loop, std::unique_ptr<net::Stream> stream)
    : loop_(loop), stream_(std::move(stream)) {}

void Connection::start() {
  watched_ = EPOLLIN;
  watch_ = loop_.watch(stream_->fd(), watched_, [this](uint32_t) {
    const auto self = shared_from_this();
    on_ready();
  });
}

void Connection::close() {
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  stream_.reset();
  sink_ = nullptr;
  output_.clear();
}

void Connection::send(const RequestHead& head, std::string body, AnswerSink& sink) {
  CHECK(room() > 0, "one request at a time");
  ++requests_;
  sink_ = &sink;
  answer_ = {};
  parser_.begin(head.method);
  output_.add(head_text(head, body.size()));
  output_.add(std::move(body));
  go_on_later();  // a sink never hears from inside of the call
}

bool Connection::cancel(AnswerSink& sink) {
  if (sink_ == &sink) {
    close();
  }
  return true;
}

void Connection::go_on_later() {
  loop_.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->sink_ != nullptr) {
      self->on_ready();
    }
  });
}

// No answer is due: the server has ended the connection, or is not to be trusted, unless only TLS
// has something to say to itself (session tickets).
void Connection::on_idle_ready() {
  std::array<char, 1> byte;
  if (stream_->read(byte).result == net::Io::want_read) {
    return;
  }
  close();
  tell_changed();
}

void Connection::on_ready() {
  if (stream_ == nullptr) {
    return;
  }
  if (sink_ == nullptr) {
    return on_idle_ready();
  }
  if (!write_some()) {
    return;
  }
  for (int i = 0; i < kReadsPerTurn; ++i) {
    if (!read_some()) {
      return;
    }
  }
  // The socket may have nothing more to tell although TLS has.
  go_on_later();
}

// False when there is no going on now.
bool Connection::write_some() {
  std::array<std::string_view, net::Stream::kMaxParts> parts;
  while (!output_.empty()) {
    const size_t count = output_.front(parts);
    const net::Transfer sent = stream_->write(std::span(parts.data(), count));
    switch (sent.result) {
      case net::Io::done:
        output_.consume(sent.bytes);
        break;
      case net::Io::want_write:
        watch_for(EPOLLIN | EPOLLOUT);
        return true;  // an early answer may be there to read
      case net::Io::want_read:
        watch_for(EPOLLIN);
        return false;
      default:
        // A server that refuses early says why before it hangs up.
        if (read_some() || sink_ == nullptr) {
          return false;
        }
        lose(stream_ != nullptr && !stream_->failure().empty() ? stream_->failure()
                                                               : "the connection was ended");
        return false;
    }
  }
  watch_for(EPOLLIN);
  return true;
}

// False when there is nothing more to read now, or nobody to read for.
bool Connection::read_some() {
  std::array<char, kReadBytes> buffer;
  const net::Transfer got = stream_->read(buffer);
  switch (got.result) {
    case net::Io::done:
      return take({buffer.data(), got.bytes});
    case net::Io::want_read:
      return false;
    case net::Io::want_write:
      watch_for(EPOLLIN | EPOLLOUT);
      return false;
    case net::Io::closed:
      parser_.end();
      if (parser_.state() == http::ResponseParser::State::complete) {
        if (tell_more()) {
          complete();
        }
      } else {
        lose("the connection was ended");
      }
      return false;
    default:
      lose(stream_->failure().empty() ? "the connection was cut" : stream_->failure());
      return false;
  }
}

bool Connection::take(std::string_view bytes) {
  const size_t used = parser_.feed(bytes, answer_.body);
  switch (parser_.state()) {
    case http::ResponseParser::State::head:
      return true;
    case http::ResponseParser::State::broken:
      lose(parser_.problem());
      return false;
    case http::ResponseParser::State::body:
      return tell_more();
    default:
      break;
  }
  if (!tell_more()) {
    return false;
  }
  // What comes after the answer, or before the request has gone out, fits no question.
  if (used < bytes.size() || !output_.empty() || !parser_.keep_alive()) {
    loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
    stream_.reset();
  }
  complete();
  return false;
}

// False when there is nobody to read for any more.
bool Connection::tell_more() {
  if (answer_.status == 0) {
    answer_.status = parser_.status();
    answer_.headers = parser_.headers();
  }
  if (!sink_->on_more(answer_)) {
    close();
  }
  return sink_ != nullptr;
}

void Connection::complete() {
  AnswerSink* sink = std::exchange(sink_, nullptr);
  if (!parser_.keep_alive()) {
    close();
  }
  sink->on_complete(std::exchange(answer_, {}));
}

void Connection::lose(const std::string& why) {
  AnswerSink* sink = std::exchange(sink_, nullptr);
  const bool left = output_.empty();
  const bool heard = !parser_.idle();
  close();
  if (sink != nullptr) {
    sink->on_lost({why, left, heard, false});
  }
}

void Connection::watch_for(uint32_t events) {
  if (events != watched_ && watch_ != posix::WatchId::none) {
    watched_ = events;
    loop_.change(watch_, events);
  }
}

}  // namespace windlass::remote
