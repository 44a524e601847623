// A connection over which many requests go at a time: HTTP/2. A request of which nothing was handed
// to the socket, or which the server says it did not look at, cannot have been applied; of every
// other one that is unknown.
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
#include "net/stream/stream_pump.h"
#include "remote/transport/client_connection.h"

namespace windlass::remote {

class Http2ClientConnection final : public ClientConnection,
                                    private net::StreamUser,
                                    public std::enable_shared_from_this<Http2ClientConnection> {
 public:
  struct Options {
    size_t streams = 100;              // requests at a time, if the server lets us
    Duration read_idle = seconds(30);  // without a word, until it is asked; as client-go
    Duration ping_timeout = seconds(15);
    Duration idle_timeout = seconds(60);  // without requests; less than servers keep connections
  };

  Http2ClientConnection(posix::EventLoop& loop, env::Clock& clock,
                        std::unique_ptr<net::ByteStream> stream, const Options& options);
  ~Http2ClientConnection() override { close(); }
  Http2ClientConnection(const Http2ClientConnection&) = delete;
  Http2ClientConnection& operator=(const Http2ClientConnection&) = delete;

  void start() override;
  void send(const RequestHead& head, std::string body, AnswerSink& sink) override;
  bool cancel(AnswerSink& sink) override;
  size_t room() const override { return closed() ? 0 : session_.room(); }
  bool usable() const override {
    return !closed() && !session_.going_away() && !session_.finished();
  }
  bool closed() const override { return pump_.closed(); }
  size_t requests() const override { return requests_; }
  bool shares() const override { return true; }
  void close() override;

 private:
  void on_ready(uint32_t events) override;
  size_t output(std::span<std::string_view> parts) override {
    parts[0] = session_.output();
    return parts[0].empty() ? 0 : 1;
  }
  void on_sent(size_t bytes) override { session_.written(bytes); }
  bool reads() const override { return !closed() && !session_.finished(); }
  size_t on_received(std::string_view bytes) override;
  void on_ended(net::Io how, const std::string& why) override;

  // Tells what has come. False when the connection is closed since then.
  bool deliver();
  bool deliver(http::Http2Session::StreamId id);
  void lose_all(const std::string& why);
  void tell_if_changed();
  void look_after(Duration delay);
  void look();
  void check_health();

  posix::EventLoop& loop_;
  env::Clock& clock_;
  const Options options_;
  net::StreamPump pump_;
  http::Http2Session session_;
  std::map<http::Http2Session::StreamId, AnswerSink*> sinks_;
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
