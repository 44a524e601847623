#include "net/endpoint_checks.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "http/message.h"
#include "http/response_parser.h"
#include "net/endpoint.h"
#include "net/plain_stream.h"

namespace windlass::net {
namespace {

constexpr size_t kReadBytes = 4096;
constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

bool has_control_character(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      return true;
    }
  }
  return false;
}

// What nobody may put into a request's head.
Result<void> check_text(const env::HttpCheck& check) {
  bool good = !has_control_character(check.path) && check.path.find(' ') == std::string::npos;
  for (const auto& [name, value] : check.headers) {
    good = good && !name.empty() && name.find_first_of(" :") == std::string::npos &&
           !has_control_character(name) && !has_control_character(value);
  }
  return good ? Result<void>() : fail(plain_error("malformed HTTP path or header"));
}

std::string request_head(const env::HttpCheck& check) {
  std::string head =
      fmt::format("GET {}{} HTTP/1.1\r\n", check.path.starts_with('/') ? "" : "/", check.path);
  http::Headers given;
  for (const auto& [name, value] : check.headers) {
    given.push_back({name, value});
    head += fmt::format("{}: {}\r\n", name, value);
  }
  if (!http::find_header(given, "Host")) {
    const bool usual = check.port == (check.tls ? kHttpsPort : kHttpPort);
    const Endpoint endpoint{check.address, check.port};
    const std::string text = endpoint.text();
    head += fmt::format("Host: {}\r\n", usual ? text.substr(0, text.rfind(':')) : text);
  }
  if (!http::find_header(given, "User-Agent")) {
    head += "User-Agent: kube-probe/windlass\r\n";
  }
  if (!http::find_header(given, "Accept")) {
    head += "Accept: */*\r\n";
  }
  return head + "Connection: close\r\n\r\n";
}

// Whoever asked knows where to: `connect: connection refused`.
Status without_place(const Status& error, const Endpoint& endpoint) {
  const std::string place = "connect to " + endpoint.text();
  return error.message.starts_with(place)
             ? plain_error("connect" + error.message.substr(place.size()))
             : error;
}

// One connection, held by whoever asked. What the loop holds of it is a plain pointer, taken back
// in the destructor.
class Check : public std::enable_shared_from_this<Check> {
 public:
  using OnDone = std::function<void(Result<int>)>;

  Check(posix::EventLoop& loop, OnDone on_done) : loop_(loop), on_done_(std::move(on_done)) {}
  ~Check() { stop(); }
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  // `head` is "" where only the connection counts. `tls` is null for plain TCP.
  void begin(const std::string& address, uint16_t port, Duration timeout, std::string head,
             std::shared_ptr<const TlsClientContext> tls) {
    head_ = std::move(head);
    tls_ = std::move(tls);
    auto endpoint = parse_endpoint(Endpoint{address, port}.text());
    if (!endpoint) {
      return finish_later(fail(plain_error(
          fmt::format("{}: only addresses can be probed, names are not looked up", address))));
    }
    endpoint_ = *std::move(endpoint);
    auto fd = begin_connect(endpoint_);
    if (!fd) {
      return finish_later(fail(without_place(fd.error(), endpoint_)));
    }
    fd_ = *std::move(fd);
    timer_ = loop_.schedule(timeout, [this] { finish(fail(plain_error("no answer in time"))); });
    watch(fd_.get(), EPOLLOUT, &Check::on_connected);
  }

  void finish_later(Result<int> result) {
    loop_.post([weak = weak_from_this(), result = std::move(result)] {
      if (const auto self = weak.lock()) {
        self->finish(result);
      }
    });
  }

 private:
  void on_connected() {
    if (const auto connected = connect_result(fd_.get(), endpoint_); !connected) {
      return finish(fail(without_place(connected.error(), endpoint_)));
    }
    if (head_.empty()) {
      return finish(0);
    }
    loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
    stream_ = tls_ == nullptr ? std::make_unique<PlainStream>(std::move(fd_))
                              : tls_->connect(std::move(fd_), endpoint_.address);
    if (stream_ == nullptr) {
      return finish(fail(plain_error("TLS cannot be set up")));
    }
    shake_hands();
  }

  void shake_hands() {
    http::Peer ignored;
    const Io result = stream_->handshake(ignored);
    if (result == Io::done) {
      parser_.begin("GET");
      return send();
    }
    wait_or_fail(result, &Check::shake_hands);
  }

  void send() {
    while (sent_ < head_.size()) {
      const std::string_view rest = std::string_view(head_).substr(sent_);
      const Transfer transfer = stream_->write(std::span(&rest, 1));
      if (transfer.result != Io::done) {
        return wait_or_fail(transfer.result, &Check::send);
      }
      sent_ += transfer.bytes;
    }
    receive();
  }

  void receive() {
    std::array<char, kReadBytes> buffer;
    std::string body;
    while (true) {
      const Transfer transfer = stream_->read(buffer);
      if (transfer.result != Io::done) {
        return wait_or_fail(transfer.result, &Check::receive);
      }
      parser_.feed({buffer.data(), transfer.bytes}, body);
      if (parser_.state() == http::ResponseParser::State::broken) {
        return finish(fail(plain_error("malformed HTTP response: " + parser_.problem())));
      }
      if (parser_.state() != http::ResponseParser::State::head) {
        return finish(parser_.status());
      }
    }
  }

  void wait_or_fail(Io result, void (Check::*step)()) {
    switch (result) {
      case Io::want_read:
        return watch(stream_->fd(), EPOLLIN, step);
      case Io::want_write:
        return watch(stream_->fd(), EPOLLOUT, step);
      default:
        return finish(fail(plain_error(stream_->failure().empty() ? "the connection was ended: EOF"
                                                                  : stream_->failure())));
    }
  }

  void watch(int fd, uint32_t events, void (Check::*step)()) {
    loop_.unwatch(watch_);
    watch_ = loop_.watch(fd, events, [this, step](uint32_t) {
      const auto self = shared_from_this();
      (this->*step)();
    });
  }

  void stop() {
    loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
    loop_.cancel(std::exchange(timer_, env::TimerId::none));
    stream_.reset();
    fd_.reset();
  }

  void finish(Result<int> result) {
    const auto self = shared_from_this();
    stop();
    if (const OnDone done = std::exchange(on_done_, nullptr)) {
      done(std::move(result));
    }
  }

  posix::EventLoop& loop_;
  OnDone on_done_;
  std::string head_;
  std::shared_ptr<const TlsClientContext> tls_;
  Endpoint endpoint_;
  posix::FileDescriptor fd_;
  std::unique_ptr<Stream> stream_;
  size_t sent_ = 0;
  http::ResponseParser parser_;
  posix::WatchId watch_ = posix::WatchId::none;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace

env::NetworkChecks::Handle EndpointChecks::get(const env::HttpCheck& check, Duration timeout,
                                               OnStatus on_status) {
  auto asked = std::make_shared<Check>(loop_, std::move(on_status));
  if (const Result<void> good = check_text(check); !good) {
    asked->finish_later(fail(good.error()));
    return asked;
  }
  if (check.tls && tls_ == nullptr) {
    auto made = TlsClientContext::make({.verify = false});
    if (!made) {
      asked->finish_later(fail(made.error()));
      return asked;
    }
    tls_ = *std::move(made);
  }
  asked->begin(check.address, check.port, timeout, request_head(check), check.tls ? tls_ : nullptr);
  return asked;
}

env::NetworkChecks::Handle EndpointChecks::connect(const std::string& address, uint16_t port,
                                                   Duration timeout, OnConnected on_connected) {
  auto asked = std::make_shared<Check>(
      loop_, [on_connected = std::move(on_connected)](const Result<int>& connected) {
        on_connected(connected ? Result<void>() : fail(connected.error()));
      });
  asked->begin(address, port, timeout, "", nullptr);
  return asked;
}

}  // namespace windlass::net
