// For tests only: a server on a real socket with a core thread of its own, handlers from lambdas,
// and a client that waits with a deadline and never sleeps.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "env/log.h"
#include "net/http_server.h"
#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"
#include "posix/posix_clock.h"

namespace windlass::net::testing {

inline constexpr int kDeadlineMs = 120'000;

// Keeps every line.
class TextLog final : public env::Log {
 public:
  void write(env::LogLevel, std::string_view message,
             std::initializer_list<env::LogField> fields) override {
    const std::lock_guard lock(mutex_);
    text_ += env::format_log_line(message, fields) + '\n';
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

using ExchangePtr = std::shared_ptr<http::Exchange>;
using OnCore = std::function<void(const http::Request&, ExchangePtr)>;

// Answers at once what is in `at_once`, by path; everything else goes to `on_core`.
class LambdaHandler final : public http::Handler {
 public:
  class LambdaCall final : public http::Call {
   public:
    LambdaCall(const OnCore& run, http::Request request)
        : run_(run), request_(std::move(request)) {}
    void run(ExchangePtr exchange) override { run_(request_, std::move(exchange)); }

   private:
    const OnCore& run_;
    http::Request request_;
  };

  std::variant<http::Response, std::unique_ptr<http::Call>> prepare(
      http::Request request) const override {
    if (on_prepare) {
      on_prepare(request);
    }
    if (const auto found = at_once.find(request.target); found != at_once.end()) {
      return found->second;
    }
    return std::make_unique<LambdaCall>(on_core, std::move(request));
  }

  struct Context final : http::RequestContext {
    http::Peer peer;
  };

  std::shared_ptr<http::RequestContext> read_head(const http::Request& head,
                                                  const http::Peer& peer) const override {
    auto context = std::make_shared<Context>();
    context->peer = peer;
    if (identify_with) {
      context->caller = identify_with(head.headers, peer);
    }
    return context;
  }

  std::optional<http::Response> screen(const http::Request& head,
                                       http::RequestContext& context) const override {
    return screen_with ? screen_with(head, static_cast<Context&>(context).peer) : std::nullopt;
  }

  std::function<void(const http::Request&)> on_prepare;  // on an I/O thread
  std::function<http::Caller(const http::Headers&, const http::Peer&)> identify_with;
  std::map<std::string, http::Response> at_once;
  std::function<std::optional<http::Response>(const http::Request&, const http::Peer&)> screen_with;
  OnCore on_core = [](const http::Request& request, const ExchangePtr& exchange) {
    exchange->respond({200, {}, request.method + ' ' + request.target + ' ' + request.body});
  };
};

class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}, LambdaHandler lambdas = {})
      : handler(std::move(lambdas)), loop_(clock_) {
    thread_ = std::thread([this] { loop_.run(); });
    auto started = HttpServer::start({loop_, clock_, log}, handler, std::move(options));
    EXPECT_TRUE(started.has_value()) << started.error().message;
    server = *std::move(started);
  }
  ~TestServer() {
    server.reset();
    loop_.stop();
    thread_.join();
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  void post(std::function<void()> task) { loop_.post(std::move(task)); }
  void on_core(std::function<void()> task) {
    std::promise<void> done;
    loop_.post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  // Until the condition holds on the core thread. False after the deadline.
  bool wait_until(const std::function<bool()>& condition) {
    for (int i = 0; i < kDeadlineMs; ++i) {
      bool holds = false;
      on_core([&] { holds = condition(); });
      if (holds) {
        return true;
      }
      ::poll(nullptr, 0, 1);
    }
    return false;
  }

  TextLog log;
  LambdaHandler handler;
  std::unique_ptr<HttpServer> server;

 private:
  posix::PosixClock clock_;
  posix::EventLoop loop_;
  std::thread thread_;
};

// From the test's own thread, also while the core is busy. False after the deadline.
inline bool soon(const std::function<bool()>& condition) {
  for (int i = 0; i < kDeadlineMs; ++i) {
    if (condition()) {
      return true;
    }
    ::poll(nullptr, 0, 1);
  }
  return false;
}

// The core does nothing else as long as this is there.
class BusyCore {
 public:
  explicit BusyCore(TestServer& server) {
    std::promise<void> began;
    server.post([&began, end = end_.get_future().share()] {
      began.set_value();
      end.wait();
    });
    began.get_future().wait();
  }
  ~BusyCore() { end_.set_value(); }
  BusyCore(const BusyCore&) = delete;
  BusyCore& operator=(const BusyCore&) = delete;

 private:
  std::promise<void> end_;
};

struct ReceivedResponse {
  int status = 0;
  std::string head;
  std::string body;
};

// A plain blocking client.
class Client {
 public:
  explicit Client(const HttpServer& server, int receive_buffer = 0)
      : Client(server.endpoint(), receive_buffer) {}
  // `from` is the loopback address to come from; "" for the usual one.
  explicit Client(const Endpoint& endpoint, int receive_buffer = 0, const std::string& from = "")
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    if (!from.empty()) {
      ::inet_pton(AF_INET, from.c_str(), &address.sin_addr);
      EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
    address.sin_port = htons(endpoint.port);
    ::inet_pton(AF_INET, endpoint.address.c_str(), &address.sin_addr);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }
  // Ends it with a reset, not in good order.
  void reset() {
    const linger at_once = {1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd_.reset();
  }
  void finish_sending() { ::shutdown(fd_.get(), SHUT_WR); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return;  // the server has ended it; what it said is still to be read
      }
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void request(const std::string& line, const std::string& headers = "",
               std::string_view body = "") {
    send(line + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n" + std::string(body));
  }

  // False at the end of the connection, or after the deadline.
  bool receive_more() {
    pollfd waits = {fd_.get(), POLLIN, 0};
    if (::poll(&waits, 1, kDeadlineMs) != 1) {
      ADD_FAILURE() << "nothing came in time";
      return false;
    }
    std::string buffer(65536, '\0');
    const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      return false;
    }
    received_.append(buffer, 0, static_cast<size_t>(got));
    return true;
  }
  // Up to and with the mark, taken out of what was received; "" when it never comes.
  std::string receive_until(std::string_view mark) {
    size_t at;
    while ((at = received_.find(mark)) == std::string::npos) {
      if (!receive_more()) {
        return "";
      }
    }
    std::string taken = received_.substr(0, at + mark.size());
    received_.erase(0, at + mark.size());
    return taken;
  }
  std::string receive_exactly(size_t bytes) {
    while (received_.size() < bytes && receive_more()) {
    }
    std::string taken = received_.substr(0, bytes);
    received_.erase(0, bytes);
    return taken;
  }
  std::string receive_rest() {
    while (receive_more()) {
    }
    return std::exchange(received_, {});
  }

  // One whole answer; status 0 when the connection ended before.
  ReceivedResponse receive(bool with_body = true) {
    ReceivedResponse answer;
    answer.head = receive_until("\r\n\r\n");
    if (answer.head.empty()) {
      return answer;
    }
    answer.status = std::stoi(answer.head.substr(9, 3));
    if (!with_body) {
      return answer;
    }
    if (const size_t at = answer.head.find("Content-Length: "); at != std::string::npos) {
      answer.body = receive_exactly(std::stoul(answer.head.substr(at + 16)));
    } else if (answer.head.find("Transfer-Encoding: chunked") != std::string::npos) {
      while (true) {
        const std::string line = receive_until("\r\n");
        const size_t size = line.empty() ? 0 : std::stoul(line, nullptr, 16);
        answer.body += receive_exactly(size);
        receive_until("\r\n");
        if (size == 0) {
          break;
        }
      }
    }
    return answer;
  }

 private:
  posix::FileDescriptor fd_;
  std::string received_;
};

}  // namespace windlass::net::testing
