// A connection over which many requests go at a time: HTTP/2. A request of which nothing was handed
// to the socket, or which the server says it did not look at, cannot have been applied; of every
// other one nobody knows.
//
// A server that says nothing for long is asked whether it is there (a ping), and the connection
// ended when it does not answer: a line that was cut without a word would otherwise hold up all
// that is under way. A connection without requests ends after a while. Owns its stream.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "env/clock.h"
#include "http/http2_session.h"
#include "net/stream.h"
#include "posix/event_loop.h"
#include "remote/channel.h"

namespace windlass::remote {

class Http2Connection final : public Channel, public std::enable_shared_from_this<Http2Connection> {
 public:
  struct Options {
    size_t streams = 100;              // requests at a time, if the server lets us
    Duration read_idle = seconds(30);  // without a word, until it is asked; as client-go
    Duration ping_timeout = seconds(15);
    Duration idle_timeout = seconds(60);  // without requests; less than servers keep connections
  };

  Http2Connection(posix::EventLoop& loop, env::Clock& clock, std::unique_ptr<net::Stream> stream,
                  const Options& options);
  ~Http2Connection() override { close(); }
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  void start() override;
  void send(const RequestHead& head, std::string body, AnswerSink& sink) override;
  bool cancel(AnswerSink& sink) override;
  size_t room() const override { return closed() ? 0 : session_.room(); }
  bool usable() const override {
    return !closed() && !session_.going_away() && !session_.finished();
  }
  bool closed() const override { return stream_ == nullptr; }
  size_t requests() const override { return requests_; }
  bool shares() const override { return true; }
  void close() override;

 private:
  static constexpr size_t kReadBytes = size_t{64} * 1024;
  static constexpr int kReadsPerTurn = 16;  // so that others get their turn

  void on_ready();
  void go_on_later();
  bool write_some();
  bool read_some();
  bool deliver();
  bool deliver(http::Http2Session::StreamId id);
  void lose_all(const std::string& why);
  void tell_if_changed();
  void watch_for(uint32_t events);
  void look_after(Duration delay);
  void look();
  void check_health();

  posix::EventLoop& loop_;
  env::Clock& clock_;
  const Options options_;
  std::unique_ptr<net::Stream> stream_;
  http::Http2Session session_;
  std::map<http::Http2Session::StreamId, AnswerSink*> sinks_;
  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t watched_ = 0;
  bool going_on_ = false;  // it has posted itself
  size_t requests_ = 0;
  bool told_room_ = true;
  bool told_usable_ = true;
  env::TimerId timer_ = env::TimerId::none;
  MonotonicTime last_read_;
  MonotonicTime last_used_;
  bool pinged_ = false;
  bool ping_waits_ = false;  // until the loop comes to write it
  MonotonicTime pinged_at_;
};

}  // namespace windlass::remote
