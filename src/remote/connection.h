// One connection to a server over which requests go one after the other (HTTP/1.1 keep-alive). Says
// of a request that got no answer whether it had left whole: one that had not cannot have been
// applied.
//
// Lives on the event loop, which outlives it; owns its stream. Held by a shared pointer, because
// its owner may drop it from within a callback.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/response_parser.h"
#include "net/output_queue.h"
#include "net/stream.h"
#include "posix/event_loop.h"

namespace windlass::remote {

// Who hears of the answer to one request. Exactly one of on_complete and on_lost ends it, unless
// the connection is closed before.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // More has come, also when only the head: takes what it likes from `body`, and answers whether it
  // wants more.
  virtual bool on_more(const http::ResponseParser& answer, std::string& body) = 0;
  virtual void on_complete(const http::ResponseParser& answer, std::string body) = 0;
  // `left` is whether the whole request went out; `heard` whether any of the answer came.
  virtual void on_lost(const std::string& why, bool left, bool heard) = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(posix::EventLoop& loop, std::unique_ptr<net::Stream> stream);
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The server has ended the connection while it was idle.
  void when_closed(std::function<void()> then) { on_closed_ = std::move(then); }
  // Once made. Watches the socket.
  void start();
  // Only when reusable(). The sink stays until it has heard the end, or close().
  void send(std::string_view method, std::string head, std::string body, AnswerSink& sink);
  bool reusable() const { return stream_ != nullptr && sink_ == nullptr; }
  size_t requests() const { return requests_; }
  // Ends it; nobody hears anything any more.
  void close();

 private:
  static constexpr size_t kReadBytes = size_t{64} * 1024;
  static constexpr int kReadsPerTurn = 16;  // so that others get their turn

  void on_ready();
  void on_idle_ready();
  void go_on_later();
  bool write_some();
  bool read_some();
  bool take(std::string_view bytes);
  void complete();
  void lose(const std::string& why);
  void watch_for(uint32_t events);

  posix::EventLoop& loop_;
  std::unique_ptr<net::Stream> stream_;
  std::function<void()> on_closed_;
  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t watched_ = 0;
  net::OutputQueue output_;
  http::ResponseParser parser_;
  std::string body_;
  AnswerSink* sink_ = nullptr;
  size_t requests_ = 0;
};

}  // namespace windlass::remote
